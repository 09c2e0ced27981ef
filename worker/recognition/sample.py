"""Reads the first records of a file or query, and tells its format by name and content."""

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

import orjson

from worker.errors import CorpusError
from worker.recognition.columns import id_candidates, tag_candidates
from worker.recognition.tag_lists import shortened
from worker.sources.document import Fields, RowParser, Tally
from worker.sources.formats.format import FileFormat
from worker.sources.formats.json_array import elements
from worker.sources.formats.json_lines import unwrapped
from worker.sources.formats.json_nested import TOP, load_json, record_places, records_at
from worker.sources.formats.parquet import open_parquet, parquet_rows
from worker.sources.formats.registry import FORMATS, format_of, require_package
from worker.sources.formats.streams.archives import only_member
from worker.sources.formats.streams.encodings import encoding_of
from worker.sources.formats.streams.lines import LONGEST, blocks, lines
from worker.sources.formats.tables import SEPARATOR_LINE, table_rows
from worker.sources.sql import query_rows

RECORDS: Final = 2000
"""Records that a sample holds."""

FIRST_ROWS: Final = 10
"""Rows in which titles are looked for."""

DELIMITERS: Final = {"csv": ",", "tsv": "\t"}
COLONS: Final = "::"
"""Between the columns of MovieLens, whose files have no titles."""

ALL_DELIMITERS: Final = (COLONS, ",", ";", "\t", "|")

HINTS: Final = {
    b"\x1f\x8b": "is compressed with gzip; let its name end in .gz",
    b"\x28\xb5\x2f\xfd": "is compressed with Zstandard; let its name end in .zst",
    b"%PDF": "is a PDF; Cotag reads tables and JSON",
}
NO_FIELDS: Final = Fields(RowParser(pairs=False))
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

    numbered: bool = False
    """Whether the names are the numbers of the columns."""

    def values(self, name: str) -> list[Any]:
        """The values of a column that are not empty."""
        return [value for record in self.records if (value := record.get(name)) not in (None, "", [], {})]

    def repeated(self, name: str) -> float:
        """The share of records whose value in a column has come before."""
        values = [str(record.get(name)) for record in self.records]
        return 1 - len(set(values)) / len(values)

    def untitled(self) -> "Sample":
        """The same table with numbers for titles, and its first row among the records."""
        names = tuple(str(number) for number in range(1, len(self.names) + 1))
        rows = [self.names, *([record.get(name, "") for name in self.names] for record in self.records)]
        return replace(self, names=names, records=[dict(zip(names, row, strict=True)) for row in rows], numbered=True)


def is_sqlite(path: Path) -> bool:
    """Whether a file is a SQLite database; CorpusError if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}") from error


def sample_file(path: Path, wanted: str | None = None, *, inline: bool = False) -> Sample:
    """The first records of a file, of those at the wanted place; CorpusError if it is nothing that Cotag reads."""
    raw = _start(path)
    for kind, known in FORMATS.items():
        if known.begins is not None and known.begins(raw):
            return _of_format(path, kind, known, wanted, None, inline=inline)
    start = next(blocks(path, Tally(), "latin-1"), b"").decode().encode("latin-1")
    for magic, hint in HINTS.items():
        if start.startswith(magic):
            raise CorpusError(f"{path} {hint}")
    if not start.strip():
        raise CorpusError(f"{path} is empty")
    encoding = encoding_of(start, path)
    by_name = format_of(only_member(path) if path.suffix == ".zip" else path.name)
    for kind, known in FORMATS.items():
        named = by_name == kind and (known.records is not None or known.package is not None)
        if named or (known.begins is not None and known.begins(start)):
            return _of_format(path, kind, known, wanted, encoding, inline=inline)
    text = start.decode(encoding or "utf-8", "replace").lstrip("\ufeff \t\r\n")
    return _of_text(path, by_name, text, wanted, encoding)


def _of_text(path: Path, kind: str | None, text: str, wanted: str | None, encoding: str | None) -> Sample:
    """The first records of JSON or of a table, which its first characters tell apart."""
    if re.match(r"<(!doctype|[A-Za-z][^<>]*>)", text, re.IGNORECASE):
        raise CorpusError(f"{path} is HTML without bookmarks; export a table, JSON or a feed instead")
    if text[:1] in {"{", "["} and kind in {None, "json", "jsonl"}:
        if wanted is None and text[0] == "[":
            sample = _of_objects(path, "json", map(orjson.loads, elements(path, Tally(), encoding)), encoding)
            return _of_nested(path, wanted, encoding) if _wrapper(sample) else sample
        if text[0] == "{" and _is_lines(path, encoding, wanted):
            sample = _of_objects(path, "jsonl", _json_lines(path, encoding), encoding)
            return sample if (place := wanted or _wrapper(sample)) is None else _unwrapped(path, sample, place)
        return _of_nested(path, wanted, encoding)
    if kind in {"json", "jsonl"}:
        raise CorpusError(f"{path} is not JSON: it begins with {text[:20]!r}")
    return _of_table(path, kind or "csv", encoding)


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4096)


def _keys(path: Path, kind: str, encoding: str | None = None, **more: Any) -> dict[str, Any]:
    """The keys of the declaration that a file needs beside its name."""
    keys: dict[str, Any] = {} if format_of(path.name) == kind else {"format": kind}
    return keys | ({} if encoding is None else {"encoding": encoding}) | more


def _of_format(
    path: Path, kind: str, known: FileFormat, wanted: str | None, encoding: str | None, *, inline: bool
) -> Sample:
    """The first records of a format that is read record by record."""
    require_package(kind)
    if known.records is None:
        return _of_parquet(path)
    fields = replace(NO_FIELDS, records=wanted, encoding=encoding, inline=inline)
    records = list(islice(known.records(path, fields, Tally()), RECORDS + 1))
    names = tuple(dict.fromkeys(name for record in records for name in record))
    more = {"records": wanted} if wanted else {}
    more |= {"inline": True} if inline else {}  # type: ignore[dict-item]
    source = _keys(path, kind, encoding, **more)
    return Sample(kind, names, records[:RECORDS], len(records) <= RECORDS, source)


def _wrapper(sample: Sample) -> str | None:
    """The only field with objects that have tags, such as `_source`, if the records themselves have none."""
    if tag_candidates(sample.names):
        return None
    held = [
        name
        for name in sample.names
        if (values := sample.values(name))
        and all(isinstance(value, dict) for value in values)
        and tag_candidates(_names(values))
    ]
    return held[0] if len(held) == 1 else None


def _unwrapped(path: Path, sample: Sample, place: str) -> Sample:
    """The records inside a field of each line; CorpusError if there are none."""
    if not any(isinstance(value, dict) for value in sample.values(place)):
        raise CorpusError(f"{path}: holds no records at {place}")
    records = [unwrapped(record, place) for record in sample.records]
    return replace(sample, names=_names(records), records=records, source=sample.source | {"records": place})


def _is_lines(path: Path, encoding: str | None, wanted: str | None = None) -> bool:
    """Whether the first line is a whole object and others follow, or it is a document by itself."""
    first = list(islice((line for _, line in lines(path, Tally(), encoding) if line.strip()), 2))
    try:
        record = orjson.loads(first[0])
    except orjson.JSONDecodeError:
        return False
    return isinstance(record, dict) and (len(first) > 1 or (wanted is None and not record_places(record)))


def _of_nested(path: Path, wanted: str | None, encoding: str | None) -> Sample:
    """The records inside a JSON document: at the wanted place, or the only place whose records have tags."""
    document = load_json(path, Tally(), encoding)
    if wanted is not None:
        records = records_at(document, wanted)
        if records is None:
            raise CorpusError(f"{path}: holds no records at {wanted}")
        places = [(wanted, records)]
    else:
        every = record_places(document)
        places = [each for each in every if tag_candidates(_names(each[1]))]
        if not places:
            known = f"; its lists are at {', '.join(place for place, _ in every[:8])}" if every else ""
            raise CorpusError(
                f"{path}: no list of records with tags was found{known}; name one: --records PLACE --tags FIELD"
            )
        inner = [each for each in places if not any(other[0].startswith(f"{each[0]}.") for other in places)]
        top = [each for each in places if each[0] == TOP]
        places = top or sorted(inner or places, key=lambda each: -len(each[1]))
        if len(places) > 1 and len(places[1][1]) == len(places[0][1]):
            choices = "".join(
                f"\n  --records {place}: " + "; ".join(shortened(record) for record in records[:3])
                for place, records in places[:4]
            )
            raise CorpusError(f"{path}: the documents may be at several places; choose one:{choices}")
    place, records = places[0]
    source = _keys(path, "json", encoding, records=place)
    return Sample("json", _names(records), records[:RECORDS], len(records) <= RECORDS, source)


def _names(records: list[dict[str, Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for record in records[:RECORDS] for name in record))


def sample_query(url: str, query: str, name: str) -> Sample:
    """The first rows of a query."""
    with query_rows(url, query, name) as (names, rows):
        records = [dict(zip(names, row, strict=True)) for row in islice(rows, RECORDS + 1)]
    source = {"sql": url, "query": query}
    return Sample("sql", tuple(names), records[:RECORDS], len(records) <= RECORDS, source)


def _of_objects(path: Path, kind: str, objects: Iterator[Any], encoding: str | None) -> Sample:
    try:
        records = list(islice(objects, RECORDS + 1))
    except ValueError as error:
        raise CorpusError(f"{path} is not JSON: {error}") from error
    objects_only = [record for record in records if isinstance(record, dict)]
    if not objects_only:
        raise CorpusError(f"{path} holds no JSON objects, which are needed for documents with tags")
    return Sample(
        kind, _names(objects_only), objects_only[:RECORDS], len(records) <= RECORDS, _keys(path, kind, encoding)
    )


def _json_lines(path: Path, encoding: str | None) -> Iterator[Any]:
    for _, line in lines(path, Tally(), encoding):
        if line.strip():
            with suppress(orjson.JSONDecodeError):  # reading counts bad lines
                yield orjson.loads(line)


def _of_parquet(path: Path) -> Sample:
    file = open_parquet(path)
    names = tuple(file.schema_arrow.names)
    records = list(islice(parquet_rows(path, file, list(names)), RECORDS + 1))
    source = {} if format_of(path.name) == "parquet" else {"format": "parquet"}
    return Sample("parquet", names, records[:RECORDS], len(records) <= RECORDS, source)


def _of_table(path: Path, kind: str, encoding: str | None) -> Sample:
    text = [line for _, line in islice(lines(path, Tally(), encoding), RECORDS + 1)]
    decoded = [line.decode(errors="replace") for line in text]
    if SEPARATOR_LINE.fullmatch(decoded[0]):
        decoded = decoded[1:]
    try:
        delimiter = _delimiter(decoded, DELIMITERS[kind])
        titles, *rows = _rows(decoded, delimiter)
    except csv.Error as error:
        raise CorpusError(f"{path} is no table: {error}") from error
    names = tuple(title.strip() for title in titles)
    titled = delimiter != COLONS
    if not titled:
        rows, names = [titles, *rows], tuple(str(number) for number in range(1, len(titles) + 1))
    else:
        _check_titles(path, names, rows)
    source = _keys(path, kind, encoding)
    if delimiter != DELIMITERS[kind]:
        source |= {"delimiter": delimiter}
    records = [dict(zip(names, row, strict=False)) for row in rows]
    return Sample(kind, names, records, len(text) <= RECORDS, source, titled=titled, numbered=not titled)


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

    if regularity(COLONS)[0] == 1.0:  # no other text has two colons so often
        return COLONS
    best = max(ALL_DELIMITERS, key=regularity)
    return best if regularity(best)[0] > 0 else usual


def _rows(text: list[str], delimiter: str) -> list[list[str]]:
    csv.field_size_limit(LONGEST)
    return [row for row in table_rows(text, delimiter) if row]
