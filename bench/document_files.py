"""Files of documents as measurements need them: one by one, or as a matrix."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from worker.corpora.declaration import Corpus
from worker.corpora.reader import read_documents
from worker.sources.blocks import in_blocks
from worker.sources.document import Document, Tally
from worker.vocabulary.tag_corpus import TagCorpus, build_corpus, read_entries


def documents_of(path: Path) -> Iterator[Document]:
    """The documents of one file with the usual fields; bad lines are passed over."""
    return read_documents(Corpus(name=path.name, source=str(path), path=path), Tally())


def gather(found: Iterable[Document]) -> TagCorpus:
    """The matrix of documents; the last one of an id replaces the others."""
    return build_corpus(read_entries(in_blocks(found), pairs=False))
