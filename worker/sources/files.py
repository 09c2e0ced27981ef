"""Reads the documents of files, one after the other."""

from collections.abc import Iterator
from pathlib import Path

from worker.sources.blocks import DocumentBlock, in_blocks
from worker.sources.declarations import FileSource
from worker.sources.document import Tally
from worker.sources.file_patterns import fixed_part, matching_files
from worker.sources.formats.registry import FORMATS


def file_blocks(source: FileSource, pattern: Path, tally: Tally, *, cards: bool) -> Iterator[DocumentBlock]:
    """The documents of all files of a source, file by file in the order of their names."""
    paths = matching_files(pattern)
    tally.total = sum(path.stat().st_size for path in paths)
    folder = fixed_part(pattern)
    for path in paths:
        yield from blocks_in(source, path, str(path.relative_to(folder)), tally, cards=cards)


def blocks_in(source: FileSource, path: Path, name: str, tally: Tally, *, cards: bool) -> Iterator[DocumentBlock]:
    """The documents of one file, with their cards if these are wanted."""
    reader, fields = FORMATS[source.kind], source.places(cards=cards)
    if reader.read_blocks is not None:
        return reader.read_blocks(path, name, fields, tally)
    return in_blocks(reader.read(path, name, fields, tally))
