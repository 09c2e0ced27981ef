"""The registry of file formats. A new format needs a module with its reader and a line in FORMATS."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from typing import Final

from worker.sources.document import Document, Fields, Tally
from worker.sources.json_lines import json_documents
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


FORMATS: Final[dict[str, FormatReader]] = {
    "jsonl": FormatReader(json_documents, (".jsonl", ".ndjson", ".json")),
    "csv": FormatReader(partial(table_documents, delimiter=","), (".csv",), has_header=True),
    "tsv": FormatReader(partial(table_documents, delimiter="\t"), (".tsv", ".tab"), has_header=True),
}


def known_format(name: str) -> str:
    """The name of a format; ValueError with all names if there is no such format."""
    if name not in FORMATS:
        raise ValueError(f"unknown format {name!r}; the formats are {', '.join(FORMATS)}")
    return name


def format_of(name: str) -> str | None:
    """The format of a file by its name, compressed or not."""
    suffix = PurePath(re.sub(r"\.(gz|zst)$", "", name)).suffix
    return next((kind for kind, reader in FORMATS.items() if suffix in reader.suffixes), None)
