"""Reads JSON Lines files."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from worker.sources.card_fields import CardParser
from worker.sources.document import Document, Fields, Tally
from worker.sources.lines import lines


def json_documents(path: Path, name: str, fields: Fields, tally: Tally) -> Iterator[Document]:
    """The documents of a JSON Lines file: one object a line."""
    parser = RecordParser.of(fields)
    for number, line in lines(path, tally):
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
