"""Reads JSON Lines files: a block of lines at once, or line by line where one of them is bad or unusual."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import orjson

from worker.sources.card_fields import CardParser
from worker.sources.document import TEXTS, Document, Fields, Tally
from worker.sources.document_blocks import DocumentBlock, in_blocks
from worker.sources.lines import line_blocks

OBJECTS: Final = frozenset({dict})
LISTS: Final = frozenset({list})
IDS: Final = frozenset({str, int})
LABELS: Final = frozenset({str, type(None)})


def json_documents(path: Path, name: str, fields: Fields, tally: Tally) -> Iterator[Document]:
    """The documents of a JSON Lines file: one object a line."""
    for block in json_blocks(path, name, fields, tally):
        yield from block.documents()


def json_blocks(path: Path, name: str, fields: Fields, tally: Tally) -> Iterator[DocumentBlock]:
    """The same in blocks."""
    parser = RecordParser.of(fields)
    for first, lines in line_blocks(path, tally):
        block = parser.parse_usual(lines)
        if block is not None:
            tally.lines += len(lines)
            yield block
        else:
            yield from in_blocks(_line_by_line(lines, parser, name, first, tally))


def _line_by_line(
    lines: list[bytes], parser: "RecordParser", name: str, first: int, tally: Tally
) -> Iterator[Document]:
    for number, line in enumerate(lines, start=first):
        if not line.strip():
            continue
        tally.lines += 1
        try:
            document = parser.parse(orjson.loads(line), f"{name}:{number}")
        except ValueError as error:
            tally.pass_over(f"{name} line {number}", error)
        else:
            yield document


@dataclass(frozen=True)
class RecordParser:
    """Parses objects with named values into documents, of JSON or of other formats."""

    fields: Fields
    tags: str | int
    card: CardParser | None

    @classmethod
    def of(cls, fields: Fields) -> "RecordParser":
        """The parser of these fields."""
        tags = fields.tags or ("tag" if fields.parser.pairs else "tags")
        return cls(fields, tags, None if fields.card is None else fields.card.by_name())

    def parse(self, record: object, place: str) -> Document:
        """The document of an object; its place is the id of one that has none. ValueError with its fault."""
        fields, parser = self.fields, self.fields.parser
        if not isinstance(record, dict):
            raise ValueError("not an object")  # noqa: TRY004 - a bad line is a value, whatever its type
        if self.tags not in record:
            raise ValueError(f'no field "{self.tags}"')
        identity = record.get(fields.id or "id")
        if identity is None and fields.id is None and not parser.pairs:
            identity = place
        card = None if self.card is None else self.card.parse(record.get)
        return parser.parse(identity, record[self.tags], record.get(fields.label or "label"), card)

    def parse_usual(self, lines: list[bytes]) -> DocumentBlock | None:
        """The documents of lines that each have an id and a list of tags; None if any does not, or is bad.

        What it returns is what `parse` makes of each line.
        """
        if self.fields.parser.pairs:
            return None
        try:
            records = list(map(orjson.loads, lines))
            if not OBJECTS.issuperset(map(type, records)):
                return None
            tags = list(map(itemgetter(self.tags), records))
            cards = self._cards(records)
        except (KeyError, ValueError):
            return None
        ids = [record.get(self.fields.id or "id") for record in records]
        labels = [record.get(self.fields.label or "label") for record in records]
        usual = (
            IDS.issuperset(map(type, ids))
            and LISTS.issuperset(map(type, tags))
            and TEXTS.issuperset(map(type, chain.from_iterable(tags)))
            and LABELS.issuperset(map(type, labels))
            and "" not in ids
        )
        return DocumentBlock(list(map(str, ids)), tags, [label or None for label in labels], cards) if usual else None

    def _cards(self, records: list[dict[str, Any]]) -> list[Any] | None:
        """The cards of objects; None if none has one. ValueError for a bad one."""
        if self.card is None or all(map(self.card.places.isdisjoint, records)):
            return None
        return [self.card.parse(record.get) for record in records]
