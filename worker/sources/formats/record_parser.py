"""Parses objects with named values into documents: of JSON, or of any other format of records."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any, Final

import orjson

from snapshot.version.limits import LONGEST_ID, LONGEST_LABEL, LONGEST_TAG
from worker.sources.blocks import DocumentBlock
from worker.sources.card_fields import CardParser
from worker.sources.document import TEXTS, Document, Fields, Tally
from worker.sources.tag_values import WEIGHTS

OBJECTS: Final = frozenset({dict})
LISTS: Final = frozenset({list})
IDS: Final = frozenset({str, int})
LABELS: Final = frozenset({str, type(None)})


@dataclass(frozen=True)
class RecordParser:
    """Parses objects with named values into documents, of JSON or of other formats."""

    fields: Fields
    tags: str | int | tuple[str | int, ...]
    card: CardParser | None

    @classmethod
    def of(cls, fields: Fields) -> "RecordParser":
        """The parser of these fields."""
        tags = fields.tags or ("tag" if fields.parser.pairs else "tags")
        return cls(fields, tags, None if fields.card is None else fields.card.by_name())

    def parse(self, record: object, place: str, tally: Tally) -> Document:
        """The document of an object; its place is the id of one that has none. ValueError with its fault."""
        fields, parser = self.fields, self.fields.parser
        if not isinstance(record, dict):
            raise ValueError("not an object")  # noqa: TRY004 - a bad line is a value, whatever its type
        if fields.tags is None and self.tags not in record:
            raise ValueError(f'no field "{self.tags}"')
        identity = record.get(fields.id or "id")
        if identity is None and fields.id is None and not parser.pairs:
            identity = place
        card = None if self.card is None else self.card.parse(record.get, tally)
        weight = next((record[name] for name in WEIGHTS if name in record), None) if parser.weighted else None
        return parser.parse(identity, self._tags(record), record.get(fields.label or "label"), card, weight)

    def parse_usual(self, lines: list[bytes], tally: Tally) -> DocumentBlock | None:
        """The documents of lines that each have an id and a list of tags; None if any does not, or is bad.

        What it returns is what `parse` makes of each line.
        """
        parser = self.fields.parser
        if parser.pairs or parser.weighted or isinstance(self.tags, tuple):
            return None
        try:
            records = list(map(orjson.loads, lines))
            if not OBJECTS.issuperset(map(type, records)):
                return None
            tags = list(map(itemgetter(self.tags), records))
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
            and _longest(chain.from_iterable(tags)) <= LONGEST_TAG
            and _longest(map(str, ids)) <= LONGEST_ID
            and _longest(label for label in labels if label is not None) <= LONGEST_LABEL
        )
        if not usual:
            return None
        return DocumentBlock(
            list(map(str, ids)), tags, [label or None for label in labels], self._cards(records, tally)
        )

    def _tags(self, record: dict[Any, Any]) -> object:
        """The value of the tags: of one field, or of several by name."""
        if not isinstance(self.tags, tuple):
            return record.get(self.tags)
        return {str(name): record.get(name) for name in self.tags}

    def _cards(self, records: list[dict[str, Any]], tally: Tally) -> list[Any] | None:
        """The cards of objects; None if none has one."""
        if self.card is None or all(map(self.card.places.isdisjoint, records)):
            return None
        return [self.card.parse(record.get, tally) for record in records]


def _longest(texts: Iterable[str]) -> int:
    return max(map(len, texts), default=0)
