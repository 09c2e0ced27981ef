"""Reads the documents of files, one after the other."""

from collections.abc import Iterator
from pathlib import Path

from worker.sources.declarations import FileSource
from worker.sources.document import Document, Tally
from worker.sources.file_patterns import fixed_part, matching_files
from worker.sources.formats import FORMATS


def file_documents(source: FileSource, pattern: Path, tally: Tally, *, cards: bool) -> Iterator[Document]:
    """The documents of all files of a source, file by file in the order of their names."""
    paths = matching_files(pattern)
    tally.total = sum(path.stat().st_size for path in paths)
    folder = fixed_part(pattern)
    for path in paths:
        yield from documents_in(source, path, str(path.relative_to(folder)), tally, cards=cards)


def documents_in(source: FileSource, path: Path, name: str, tally: Tally, *, cards: bool) -> Iterator[Document]:
    """The documents of one file, with their cards if these are wanted."""
    return FORMATS[source.kind].read(path, name, source.places(cards=cards), tally)
