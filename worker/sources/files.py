from collections.abc import Iterator
from pathlib import Path

from worker.sources.declared import FileSource
from worker.sources.document import Document, Tally
from worker.sources.json_lines import json_documents
from worker.sources.matching import fixed_part, matched
from worker.sources.tables import table_documents


def file_documents(source: FileSource, pattern: Path, tally: Tally) -> Iterator[Document]:
    """The documents of all files of a source, file by file in the order of their names."""
    found = matched(pattern)
    tally.total = sum(path.stat().st_size for path in found)
    folder = fixed_part(pattern)
    for path in found:
        yield from documents_in(source, path, str(path.relative_to(folder)), tally)


def documents_in(source: FileSource, path: Path, name: str, tally: Tally) -> Iterator[Document]:
    """The documents of one file."""
    read = json_documents if source.kind == "jsonl" else table_documents
    return read(path, name, source, tally)
