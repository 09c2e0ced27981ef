"""Reads CSV and TSV files."""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from snapshot import Card
from worker.errors import CorpusError
from worker.sources.card_fields import CardParser
from worker.sources.document import Document, Fields, Tally
from worker.sources.formats.streams.lines import LONGEST, lines
from worker.sources.tag_values import WEIGHTS

SEPARATOR_LINE: Final = re.compile(r"sep=.\r?\n")
"""A first line with which Excel is told the delimiter."""


@dataclass(frozen=True)
class Columns:
    """Positions of the values in a row, from 0, and how many values a row must have (0: any number)."""

    id: int | None
    tags: int | dict[str, int]
    """The column, or several by name."""

    label: int | None
    weight: int | None = None
    """Of the tag of a pair."""

    card: CardParser | None = None
    width: int = 0
    last: int = 0
    """The last column that is needed, in a table without a header."""

    def values(
        self, row: list[str], place: str, tally: Tally
    ) -> tuple[str, object, str | None, Card | None, str | None]:
        """Id, tags, label, card and weight of a row; ValueError if one is missing."""
        if self.width and len(row) != self.width:
            raise ValueError(f"{len(row)} columns where the header has {self.width}")
        if self.last >= len(row):
            raise ValueError(f"{len(row)} columns, but column {self.last + 1} is declared")
        return (
            place if self.id is None else _check_utf8(row[self.id]),
            _check_utf8(row[self.tags]) if isinstance(self.tags, int) else self._several(self.tags, row),
            None if self.label is None else _check_utf8(row[self.label]),
            None if self.card is None else self.card.parse(lambda column: _check_utf8(row[column]), tally),
            None if self.weight is None else row[self.weight],
        )

    @staticmethod
    def _several(columns: dict[str, int], row: list[str]) -> dict[str, str]:
        return {name: _check_utf8(row[column]) for name, column in columns.items()}


def table_documents(path: Path, name: str, fields: Fields, tally: Tally, *, delimiter: str) -> Iterator[Document]:
    """The documents of a table whose columns the delimiter separates, quoted as spreadsheets do."""
    csv.field_size_limit(LONGEST)
    text = (_row_text(number, line) for number, line in lines(path, tally, fields.encoding))
    rows = table_rows(text, fields.delimiter or delimiter, strict=True)
    columns = None if fields.header else _numbered_columns(fields)
    parser = fields.parser
    while True:
        first = rows.line_num + 1
        try:
            row = next(rows)
            if not row:
                continue
            if columns is None:
                columns = _named_columns(fields, [title.strip() for title in row], path)
                continue
            document = parser.parse(*columns.values(row, f"{name}:{first}", tally))
        except StopIteration:
            return
        except (csv.Error, ValueError) as error:
            # A quote that is never closed swallows the lines after it: all of them are lost.
            lost = rows.line_num - first + 1
            tally.lines += lost
            tally.pass_over(f"{name} line {first}", error, lost)
        else:
            tally.lines += 1
            yield document


class table_rows:  # noqa: N801 - used like csv.reader
    """The rows of lines, as csv.reader gives them; also where several characters divide the columns, without quotes."""

    def __init__(self, text: Iterable[str], delimiter: str, *, strict: bool = False) -> None:
        self._rows = csv.reader(text, delimiter=delimiter, strict=strict) if len(delimiter) == 1 else None
        self._text, self._delimiter, self._number = iter(text), delimiter, 0

    @property
    def line_num(self) -> int:
        """Lines read so far."""
        return self._number if self._rows is None else self._rows.line_num

    def __iter__(self) -> "table_rows":
        return self

    def __next__(self) -> list[str]:
        if self._rows is not None:
            return next(self._rows)
        line = next(self._text).rstrip("\r\n")
        self._number += 1
        return line.split(self._delimiter) if line else []


def _row_text(number: int, line: bytes) -> str:
    """The text of a line; the first is blank if it only names the delimiter."""
    text = line.decode("utf-8", "surrogateescape")
    return "\n" if number == 1 and SEPARATOR_LINE.fullmatch(text) else text


def _numbered_columns(fields: Fields) -> Columns:
    identity = int(fields.id or 1)
    several = [int(column) for column in fields.tags] if isinstance(fields.tags, tuple) else None
    tags = max(several) if several else int(fields.tags or 2)  # type: ignore[arg-type]  # no tuple
    label = None if fields.label is None else int(fields.label)
    declared = () if fields.card is None else fields.card.declared
    last = max(identity, tags, label or 0, *(int(column) for column in declared))
    return Columns(
        id=identity - 1,
        tags={str(column): column - 1 for column in several} if several else tags - 1,
        label=None if label is None else label - 1,
        card=None if fields.card is None else fields.card.by_column(range(1, last + 1)),
        last=last - 1,
    )


def _named_columns(fields: Fields, titles: list[str], path: Path) -> Columns:
    tags = fields.tags or ("tag" if fields.parser.pairs else "tags")
    names = tags if isinstance(tags, tuple) else (tags,)
    required = [*names, *(["id"] if fields.parser.pairs and fields.id is None else [])]
    declared = () if fields.card is None else fields.card.declared
    for title in [*required, fields.id, fields.label, *declared]:
        if title is not None and title not in titles:
            raise CorpusError(f'{path}: no column "{title}" in the header ({", ".join(titles)})')
    identity, label = fields.id or "id", fields.label or "label"
    weight = next((name for name in WEIGHTS if name in titles), None) if fields.parser.weighted else None
    return Columns(
        id=titles.index(str(identity)) if identity in titles else None,
        tags={str(name): titles.index(str(name)) for name in names}
        if isinstance(tags, tuple)
        else titles.index(str(tags)),
        label=titles.index(str(label)) if label in titles else None,
        weight=None if weight is None else titles.index(weight),
        card=None if fields.card is None else fields.card.by_column(titles),
        width=len(titles),
    )


def _check_utf8(cell: str) -> str:
    """The cell; ValueError if its bytes were not UTF-8."""
    if not cell.isascii():
        try:
            cell.encode()
        except UnicodeEncodeError:
            raise ValueError("not UTF-8") from None
    return cell
