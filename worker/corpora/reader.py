"""Reads the documents of a corpus from its source, whatever its kind."""

from collections.abc import Callable, Iterator
from typing import Final

from redis import Redis

from worker.corpora.declaration import Corpus
from worker.sources.blocks import DocumentBlock, in_blocks
from worker.sources.declarations import PushedSource, SqlSource
from worker.sources.document import Document, Tally
from worker.sources.files import file_blocks
from worker.sources.pushed import pushed_documents
from worker.sources.sql import sql_documents

REPORT_DOCUMENTS: Final = 1000
"""Documents between two reports of progress, at least."""


def read_documents(corpus: Corpus, tally: Tally, redis: Redis | None = None) -> Iterator[Document]:
    """The documents of a corpus, one after the other."""
    for block in document_blocks(corpus, tally, redis):
        yield from block.documents()


def document_blocks(corpus: Corpus, tally: Tally, redis: Redis | None = None) -> Iterator[DocumentBlock]:
    """The documents of a corpus in blocks. Only pushed ones need the store.

    CorpusError if they are unreadable, SourceUnavailable if they may be readable later.
    """
    source, cards = corpus.document_source, corpus.documents
    if isinstance(source, PushedSource):
        return in_blocks(pushed_documents(source, corpus.name, redis, tally, cards=cards))
    if isinstance(source, SqlSource):
        return in_blocks(sql_documents(source, corpus.name, tally, cards=cards))
    if corpus.path is None:
        raise TypeError("a corpus in files has a path")
    return file_blocks(source, corpus.path, tally, cards=cards)


def with_progress(blocks: Iterator[DocumentBlock], report: Callable[[], None]) -> Iterator[DocumentBlock]:
    """The same documents, with a report of progress at the start and at regular intervals."""
    report()
    unreported = 0
    for block in blocks:
        yield block
        unreported += len(block.ids)
        if unreported >= REPORT_DOCUMENTS:
            report()
            unreported = 0
