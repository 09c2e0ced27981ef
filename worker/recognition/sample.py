"""Reads the first records of a file or query, and tells its format by name and content."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

import orjson

from worker.errors import CorpusError
from worker.recognition.columns import id_candidates, tag_candidates
from worker.sources.document import Tally
from worker.sources.formats import format_of, require_package
from worker.sources.json_array import elements
from worker.sources.lines import LONGEST, blocks, lines
from worker.sources.parquet import open_parquet, parquet_rows
from worker.sources.sql import query_rows
from worker.sources.tables import SEPARATOR_LINE

RECORDS: Final = 2000
"""Records that a sample holds."""

FIRST_ROWS: Final = 10
"""Rows in which titles are looked for."""

DELIMITERS: Final = {"csv": ",", "tsv": "\t"}
ALL_DELIMITERS: Final = ",;\t|"

XML_HINT: Final = (
    "is XML, which Cotag does not read; export CSV or JSON instead, "
    "or convert it: python -c \"import pandas; pandas.read_xml('{name}').to_csv('{stem}.csv')\""
)
HINTS: Final = {
    b"PK\x03\x04": "is a workbook or a ZIP archive; save the sheet as CSV (in Excel: CSV UTF-8), or unpack it",
    b"\xd0\xcf\x11\xe0": "is an old Excel workbook; save the sheet as CSV UTF-8",
    b"\x1f\x8b": "is compressed with gzip; let its name end in .gz",
    b"\x28\xb5\x2f\xfd": "is compressed with Zstandard; let its name end in .zst",
    b"%PDF": "is a PDF; Cotag reads tables and JSON",
}
SQLITE: Final = b"SQLite format 3\x00"


@dataclass(frozen=True)
class Sample:
    """The first records of a source: objects with the names of columns or fields."""

    format: str
    names: tuple[str, ...]
    records: list[dict[str, Any]]
    complete: bool
    """Whether these are all records."""

    source: dict[str, Any] = field(default_factory=dict)
    """Keys of the declaration that the format needs."""

    titled: bool = False
    """Whether the names are the first row of a table, which might be a record instead."""

    def values(self, name: str) -> list[Any]:
        """The values of a column that are not empty."""
        return [value for record in self.records if (value := record.get(name)) not in (None, "", [])]

    def repeated(self, name: str) -> float:
        """The share of records whose value in a column has come before."""
        values = [str(record.get(name)) for record in self.records]
        return 1 - len(set(values)) / len(values)

    def untitled(self) -> "Sample":
        """The same table with numbers for titles, and its first row among the records."""
        names = tuple(str(number) for number in range(1, len(self.names) + 1))
        rows = [self.names, *([record.get(name, "") for name in self.names] for record in self.records)]
        return replace(self, names=names, records=[dict(zip(names, row, strict=True)) for row in rows])


def is_sqlite(path: Path) -> bool:
    """Whether a file is a SQLite database; CorpusError if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}") from error


def sample_file(path: Path) -> Sample:
    """The first records of a file; CorpusError if it is nothing that Cotag reads."""
    start = next(blocks(path, Tally()), b"")[:4096]
    for magic, hint in HINTS.items():
        if start.startswith(magic):
            raise CorpusError(f"{path} {hint}")
    if re.match(rb"\s*<(\?xml|!doctype|[A-Za-z][^<>]*>)", start, re.IGNORECASE):
        raise CorpusError(f"{path} {XML_HINT.format(name=path.name, stem=path.stem)}")
    if not start.strip():
        raise CorpusError(f"{path} is empty")
    kind = format_of(path.name)
    if start.startswith(b"PAR1") or kind == "parquet":
        require_package("parquet")
        return _of_parquet(path)
    if start.lstrip()[:1] == b"[" and kind in {None, "json", "jsonl"}:
        return _of_objects(path, "json", (orjson.loads(element) for element in elements(path, Tally())))
    if start.lstrip()[:1] == b"{" and kind in {None, "json", "jsonl"}:
        return _of_objects(path, "jsonl", _json_lines(path))
    if kind in {"json", "jsonl"}:
        raise CorpusError(f"{path} is not JSON: it begins with {start[:20].decode(errors='replace')!r}")
    return _of_table(path, kind or "csv")


def sample_query(url: str, query: str, name: str) -> Sample:
    """The first rows of a query."""
    with query_rows(url, query, name) as (names, rows):
        records = [dict(zip(names, row, strict=True)) for row in islice(rows, RECORDS + 1)]
    source = {"sql": url, "query": query}
    return Sample("sql", tuple(names), records[:RECORDS], len(records) <= RECORDS, source)


def _of_objects(path: Path, kind: str, objects: Iterator[Any]) -> Sample:
    try:
        records = list(islice(objects, RECORDS + 1))
    except ValueError as error:
        raise CorpusError(f"{path} is not JSON: {error}") from error
    objects_only = [record for record in records if isinstance(record, dict)]
    if not objects_only:
        raise CorpusError(f"{path} holds no JSON objects, which are needed for documents with tags")
    names = tuple(dict.fromkeys(name for record in objects_only for name in record))
    source = {} if format_of(path.name) == kind else {"format": kind}
    return Sample(kind, names, objects_only[:RECORDS], len(records) <= RECORDS, source)


def _json_lines(path: Path) -> Iterator[Any]:
    for number, line in lines(path, Tally()):
        if line.strip():
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError:
                if number == 1:
                    raise CorpusError(f"{path} {_single_object_hint(path)}") from None


def _single_object_hint(path: Path) -> str:
    """What to do with a file whose first line is no object: it may be one object over many lines."""
    content = b"".join(islice(blocks(path, Tally()), LONGEST // 2**20))
    try:
        record = orjson.loads(content)
    except orjson.JSONDecodeError:
        return "is neither a JSON array nor one JSON object a line"
    lists = [name for name, value in record.items() if isinstance(value, list) and value and isinstance(value[0], dict)]
    inner = lists[0] if lists else "items"
    return f"is one JSON object, not an array of documents; take the array out of it: jq '.[\"{inner}\"]' {path.name}"


def _of_parquet(path: Path) -> Sample:
    file = open_parquet(path)
    names = tuple(file.schema_arrow.names)
    records = list(islice(parquet_rows(path, file, list(names)), RECORDS + 1))
    source = {} if format_of(path.name) == "parquet" else {"format": "parquet"}
    return Sample("parquet", names, records[:RECORDS], len(records) <= RECORDS, source)


def _of_table(path: Path, kind: str) -> Sample:
    text = [line for _, line in islice(lines(path, Tally()), RECORDS + 1)]
    try:
        decoded = [line.decode() for line in text]
    except UnicodeDecodeError:
        name = path.name
        raise CorpusError(
            f"{path} is not UTF-8; save it as UTF-8 (in Excel: CSV UTF-8), or convert it: "
            f"iconv -f WINDOWS-1252 -t UTF-8 {name} > utf8-{name}"
        ) from None
    if SEPARATOR_LINE.fullmatch(decoded[0]):
        decoded = decoded[1:]
    try:
        delimiter = _delimiter(decoded, DELIMITERS[kind])
        titles, *rows = _rows(decoded, delimiter)
    except csv.Error as error:
        raise CorpusError(f"{path} is no table: {error}") from error
    names = tuple(title.strip() for title in titles)
    _check_titles(path, names, rows)
    source: dict[str, Any] = {} if format_of(path.name) == kind else {"format": kind}
    if delimiter != DELIMITERS[kind]:
        source |= {"delimiter": delimiter}
    records = [dict(zip(names, row, strict=False)) for row in rows]
    return Sample(kind, names, records, len(text) <= RECORDS, source, titled=True)


def _check_titles(path: Path, names: tuple[str, ...], rows: list[list[str]]) -> None:
    """CorpusError if the titles stand further below, or two columns have the same."""
    if not tag_candidates(names):
        for number, row in enumerate(rows[:FIRST_ROWS], start=2):
            if tag_candidates(row) and len(row) > 1 and id_candidates(row):
                raise CorpusError(f"{path}: row {number} seems to have the titles; delete the rows above it")
    twice = [name for name in names if name and names.count(name) > 1]
    if twice:
        raise CorpusError(f"{path}: two columns are called {twice[0]}; rename one of them")


def _delimiter(text: list[str], usual: str) -> str:
    """The character that divides most rows into as many columns as the first one; the usual one if in doubt."""

    def regularity(delimiter: str) -> tuple[float, bool, int]:
        rows = _rows(text[:200], delimiter)
        width = len(rows[0]) if rows else 0
        alike = sum(len(row) == width for row in rows) / max(len(rows), 1)
        return (round(alike, 1) if width > 1 else 0.0), delimiter == usual, width

    best = max(ALL_DELIMITERS, key=regularity)
    return best if regularity(best)[0] > 0 else usual


def _rows(text: list[str], delimiter: str) -> list[list[str]]:
    csv.field_size_limit(LONGEST)
    return [row for row in csv.reader(text, delimiter=delimiter) if row]
