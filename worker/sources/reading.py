from collections.abc import Callable, Iterator
from typing import Final

from redis import Redis

from worker.corpora import Corpus
from worker.sources.declarations import PushedSource, SqlSource
from worker.sources.document import Document, Tally
from worker.sources.files import file_documents
from worker.sources.pushed import pushed_documents
from worker.sources.sql import sql_documents

WATCHED: Final = 1000
"""Documents between two looks at the progress."""


def documents(corpus: Corpus, tally: Tally, redis: Redis | None = None) -> Iterator[Document]:
    """The documents of a corpus, one after the other. Only pushed ones need the store.

    CorpusError if they cannot be read, SourceUnavailable if they cannot be read now.
    """
    source = corpus.documents
    if isinstance(source, PushedSource):
        return pushed_documents(source, corpus.name, redis, tally)
    if isinstance(source, SqlSource):
        return sql_documents(source, corpus.name, tally)
    if corpus.path is None:
        raise TypeError("a corpus in files has a path")
    return file_documents(source, corpus.path, tally)


def watched(found: Iterator[Document], look: Callable[[], None]) -> Iterator[Document]:
    """The same documents, with a look at the progress at the start and every so many."""
    look()
    for number, document in enumerate(found, start=1):
        yield document
        if number % WATCHED == 0:
            look()
