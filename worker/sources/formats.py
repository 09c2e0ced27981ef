"""The registry of file formats. A new format needs a module with its reader and a line in FORMATS."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Final

from worker.errors import CorpusError
from worker.sources.document import Document, Fields, Tally
from worker.sources.document_blocks import DocumentBlock
from worker.sources.json_array import array_or_line_documents
from worker.sources.json_lines import json_blocks, json_documents
from worker.sources.parquet import parquet_documents
from worker.sources.tables import table_documents


@dataclass(frozen=True)
class FormatReader:
    """How to read and recognise files of one format."""

    read: Callable[[Path, str, Fields, Tally], Iterator[Document]]
    """From path, name in messages, fields and tally of one file to its documents."""

    suffixes: tuple[str, ...]
    """Endings of file names, before `.gz` or `.zst`."""

    has_header: bool = False
    """Whether the first row has titles, and may be missing if columns are declared by number."""

    read_blocks: Callable[[Path, str, Fields, Tally], Iterator[DocumentBlock]] | None = None
    """The same documents in blocks, if the format can be read in bulk."""

    package: tuple[str, str] | None = None
    """A module that the reader needs, and the extra of Cotag that installs it."""


FORMATS: Final[dict[str, FormatReader]] = {
    "jsonl": FormatReader(json_documents, (".jsonl", ".ndjson"), read_blocks=json_blocks),
    "json": FormatReader(array_or_line_documents, (".json",)),
    "csv": FormatReader(partial(table_documents, delimiter=","), (".csv",), has_header=True),
    "tsv": FormatReader(partial(table_documents, delimiter="\t"), (".tsv", ".tab"), has_header=True),
    "parquet": FormatReader(parquet_documents, (".parquet",), package=("pyarrow", "parquet")),
}


def known_format(name: str) -> str:
    """The name of a format; ValueError with all names if there is no such format."""
    if name not in FORMATS:
        raise ValueError(f"unknown format {name!r}; the formats are {', '.join(FORMATS)}")
    return name


def require_package(kind: str) -> None:
    """CorpusError with the extra to install if the package that reads a format is missing."""
    package = FORMATS[kind].package
    if package is not None and find_spec(package[0]) is None:
        module, extra = package
        raise CorpusError(f"{kind} files need {module}, which is not installed: pip install 'cotag[{extra}]'")


def format_of(name: str) -> str | None:
    """The format of a file by its name, compressed or not."""
    suffix = PurePath(re.sub(r"\.(gz|zst)$", "", name)).suffix.lower()
    return next((kind for kind, reader in FORMATS.items() if suffix in reader.suffixes), None)
