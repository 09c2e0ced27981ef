from collections.abc import Iterator
from pathlib import Path

from worker.sources.declarations import FileSource
from worker.sources.document import Document, Tally
from worker.sources.file_patterns import fixed_part, matched
from worker.sources.formats import FORMATS


def file_documents(source: FileSource, pattern: Path, tally: Tally) -> Iterator[Document]:
    """The documents of all files of a source, file by file in the order of their names."""
    found = matched(pattern)
    tally.total = sum(path.stat().st_size for path in found)
    folder = fixed_part(pattern)
    for path in found:
        yield from documents_in(source, path, str(path.relative_to(folder)), tally)


def documents_in(source: FileSource, path: Path, name: str, tally: Tally) -> Iterator[Document]:
    """The documents of one file."""
    return FORMATS[source.kind].read(path, name, source.fields, tally)
