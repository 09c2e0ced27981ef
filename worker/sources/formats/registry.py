"""The registry of file formats. A new format needs a module that declares it and a line in FORMATS."""

import re
from functools import partial
from importlib.util import find_spec
from pathlib import PurePath
from typing import Final

from worker.errors import CorpusError
from worker.sources.formats import bookmarks, markdown, references, workbook, xml_records
from worker.sources.formats.format import FileFormat
from worker.sources.formats.json_array import array_or_line_documents
from worker.sources.formats.json_lines import json_blocks, json_documents
from worker.sources.formats.parquet import parquet_documents
from worker.sources.formats.tables import table_documents

FORMATS: Final[dict[str, FileFormat]] = {
    "jsonl": FileFormat("JSON Lines", (".jsonl", ".ndjson"), own_reader=json_documents, read_blocks=json_blocks),
    "json": FileFormat("JSON", (".json",), own_reader=array_or_line_documents),
    "csv": FileFormat("CSV", (".csv",), own_reader=partial(table_documents, delimiter=","), has_header=True),
    "tsv": FileFormat("TSV", (".tsv", ".tab"), own_reader=partial(table_documents, delimiter="\t"), has_header=True),
    "parquet": FileFormat(
        "Parquet",
        (".parquet",),
        own_reader=parquet_documents,
        begins=lambda start: start.startswith(b"PAR1"),
        package=("pyarrow", "parquet"),
    ),
    "spreadsheet": workbook.FORMAT,
    "xml": xml_records.FORMAT,
    "bookmarks": bookmarks.FORMAT,
    "bibtex": references.BIBTEX,
    "ris": references.RIS,
    "markdown": markdown.FORMAT,
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
