"""Reads the documents of a corpus from its source, whatever its kind."""

from collections.abc import Callable, Iterator
from typing import Final

from redis import Redis

from worker.corpora import Corpus
from worker.sources.declarations import PushedSource, SqlSource
from worker.sources.document import Document, Tally
from worker.sources.files import file_documents
from worker.sources.pushed import pushed_documents
from worker.sources.sql import sql_documents

REPORT_DOCUMENTS: Final = 1000
"""Documents between two reports of progress."""


def documents(corpus: Corpus, tally: Tally, redis: Redis | None = None) -> Iterator[Document]:
    """The documents of a corpus, one after the other. Only pushed ones need the store.

    CorpusError if they are unreadable, SourceUnavailable if they may be readable later.
    """
    source, cards = corpus.document_source, corpus.documents
    if isinstance(source, PushedSource):
        return pushed_documents(source, corpus.name, redis, tally, cards=cards)
    if isinstance(source, SqlSource):
        return sql_documents(source, corpus.name, tally, cards=cards)
    if corpus.path is None:
        raise TypeError("a corpus in files has a path")
    return file_documents(source, corpus.path, tally, cards=cards)


def with_progress(documents: Iterator[Document], report: Callable[[], None]) -> Iterator[Document]:
    """The same documents, with a report of progress at the start and at regular intervals."""
    report()
    for number, document in enumerate(documents, start=1):
        yield document
        if number % REPORT_DOCUMENTS == 0:
            report()
