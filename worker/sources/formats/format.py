"""What the registry knows about a format, and documents of formats that are read record by record."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from worker.sources.blocks import DocumentBlock
from worker.sources.document import Document, Fields, Tally
from worker.sources.formats.record_parser import RecordParser

Records = Callable[[Path, Fields, Tally], Iterator[dict[str, Any]]]
"""From a file to its records: objects with the names of their values."""


@dataclass(frozen=True)
class FileFormat:
    """How to read and recognise files of one format. A format has `records`, or a faster `read` of its own."""

    title: str
    """Its name in sentences."""

    suffixes: tuple[str, ...]
    """Endings of file names, before `.gz`, `.zst` or inside `.zip`."""

    records: Records | None = None
    begins: Callable[[bytes], bool] | None = None
    """Whether a file that begins so has this format, whatever its name; None if only the name tells."""

    own_reader: Callable[[Path, str, Fields, Tally], Iterator[Document]] | None = None
    read_blocks: Callable[[Path, str, Fields, Tally], Iterator[DocumentBlock]] | None = None
    """The same documents in blocks, if the format can be read in bulk."""

    has_header: bool = False
    """Whether the first row has titles, and may be missing if columns are declared by number."""

    package: tuple[str, str] | None = None
    """A module that the reader needs, and the extra of Cotag that installs it."""

    @property
    def read(self) -> Callable[[Path, str, Fields, Tally], Iterator[Document]]:
        """From path, name in messages, fields and tally of one file to its documents."""
        if self.own_reader is not None:
            return self.own_reader
        if self.records is None:
            raise TypeError("a format has records or a reader of its own")
        return partial(record_documents, self.records)


def record_documents(records: Records, path: Path, name: str, fields: Fields, tally: Tally) -> Iterator[Document]:
    """The documents of a file, one for each of its records."""
    parser = RecordParser.of(fields)
    for number, record in enumerate(records(path, fields, tally), start=1):
        tally.lines += 1
        try:
            document = parser.parse(record, f"{name}:{number}", tally)
        except ValueError as error:
            tally.pass_over(f"{name} record {number}", error)
        else:
            yield document
