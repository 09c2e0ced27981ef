"""Documents as every source yields them, the parser of one line, and a tally of bad lines."""

import re
from dataclasses import dataclass, field
from itertools import chain
from typing import Final
from uuid import UUID

import orjson

from snapshot import Card
from snapshot.version.limits import check_lengths
from worker.errors import CorpusError
from worker.sources.card_fields import CardFields
from worker.sources.cleaning import split_list
from worker.sources.tag_values import plain_value, tag_names, tag_weights, weight_of

TEXTS: Final = frozenset({str})
OBJECT: Final = dict

SHOWN: Final = 5
"""How many bad lines a message lists."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document with its tags as the source spells them. In a source of pairs: a document with one of its tags."""

    id: str
    tags: tuple[str, ...]
    label: str | None = None
    card: Card | None = None
    weights: tuple[float, ...] | None = None
    """Of the tags, in their order; None if each counts 1."""


@dataclass
class Tally:
    """The progress of reading, and the faults of bad lines."""

    lines: int = 0
    bad: int = 0
    passed_over: int = 0
    faults: list[str] = field(default_factory=list)
    done: int = 0
    total: int = 1
    dropped: int = 0
    """Values of cards that cannot be shown; their documents are good."""

    dropped_example: str = ""

    def drop(self, reason: object) -> None:
        """Count a value that cannot be shown."""
        self.dropped += 1
        self.dropped_example = self.dropped_example or str(reason)

    def pass_over(self, place: str, reason: object, lines: int = 1) -> None:
        """Count a bad line, or several that one fault spoils; stores the first few faults."""
        self.bad += lines
        self.passed_over += 1
        if len(self.faults) < SHOWN:
            self.faults.append(f"{place}: {reason}")

    def add(self, other: "Tally") -> None:
        """Add the counts of another reader; the caller updates `done` and `total`."""
        self.lines += other.lines
        self.bad += other.bad
        self.passed_over += other.passed_over
        self.faults += other.faults[: SHOWN - len(self.faults)]
        self.dropped += other.dropped
        self.dropped_example = self.dropped_example or other.dropped_example

    def check(self, corpus: str, allowed: float) -> None:
        """CorpusError if more than this share of the lines was bad."""
        if self.bad > allowed * self.lines:
            share = f"{100 * allowed:.3g} %"
            raise CorpusError(f"{corpus}: {self.summary()}, more than the allowed {share}: {self.details()}")

    def summary(self) -> str:
        """How many lines were bad."""
        return f"{self.bad} of {self.lines} lines are bad"

    def details(self) -> str:
        """The first bad lines with their places."""
        more = self.passed_over - len(self.faults)
        return "; ".join([*self.faults, *([f"and {more} more"] if more else [])])


@dataclass(frozen=True)
class RowParser:
    """Parses the values of one line into a document: a list of tags, or with `pairs` one of its tags."""

    pairs: bool
    separator: str | None = None
    pattern: re.Pattern[str] | None = None
    """Finds the tags in a text: what its group matches, or all of the match."""

    several: bool = False
    """Whether several columns hold tags. Otherwise the names of several columns are the tags, as in one-hot tables."""

    weighted: bool = False
    """Whether votes are kept as weights; otherwise a tag is there or not."""

    def parse(
        self, name: object, tags: object, label: object, card: Card | None = None, weight: object = None
    ) -> Document:
        """The document of one line; ValueError with its fault. Pairs have their weight beside the tag."""
        document = Document(
            id=_parse_id(name),
            tags=_parse_tag(tags) if self.pairs else self._parse_tags(tags),
            label=None if label is None or label == "" else str(label),
            card=card,
            weights=self._parse_weights(tags, weight) if self.weighted else None,
        )
        if document.weights is not None and len(document.weights) != len(document.tags):
            raise ValueError("there are more weights than tags, or fewer")
        check_lengths(document.id, document.tags, document.label)
        return document

    def _parse_weights(self, tags: object, weight: object) -> tuple[float, ...] | None:
        """The weights of the tags; None if the line has none."""
        if self.pairs:
            return None if tags is None or weight in (None, "") else (weight_of(weight),)
        if isinstance(tags, str) and self.separator is None and self.pattern is None and tags:
            tags = _parse_list(tags)
        return None if self.several else tag_weights(tags)

    def _parse_tags(self, value: object) -> tuple[str, ...]:
        if self.several and isinstance(value, dict):
            return tuple(chain.from_iterable(self._parse_cell(cell) for cell in value.values()))
        if value is None or value == "":
            return ()
        if isinstance(value, str):
            if self.pattern is not None:
                return tuple(_first_group(match) for match in self.pattern.finditer(value))
            if self.separator is not None:
                return tuple(split_list(value, self.separator))
            value = _parse_list(value)
        if not isinstance(value, list) or OBJECT in map(type, value):
            value = tag_names(value)
        if not isinstance(value, list) or not TEXTS.issuperset(map(type, value)):
            raise ValueError("the tags are not a list of strings")
        return tuple(value)

    def _parse_cell(self, value: object) -> tuple[str, ...]:
        """The tags of one of several columns; without separator or pattern a text is one tag."""
        if isinstance(value, str) and self.separator is None and self.pattern is None and not value.startswith("["):
            return (value,) if value.strip() else ()
        return self._parse_tags(value)


@dataclass(frozen=True)
class Fields:
    """Where a file has the id, the tags and the class label of a document, and its card if that is wanted.

    By name, or by column number from 1 in a file without a header; None for the default.
    """

    parser: RowParser
    id: str | int | None = None
    tags: str | int | tuple[str | int, ...] | None = None
    label: str | int | None = None
    header: bool = True
    card: CardFields | None = None
    delimiter: str | None = None
    encoding: str | None = None
    records: str | None = None
    inline: bool = False


def _first_group(match: re.Match[str]) -> str:
    """The first group that matched; all of the match if the pattern has no groups."""
    return match[0] if match.lastindex is None else next(group for group in match.groups() if group is not None)


def _parse_id(value: object) -> str:
    value = plain_value(value)
    if value is None or value == "":
        raise ValueError("no document id")
    if isinstance(value, bool) or not isinstance(value, str | int | UUID):
        raise ValueError("the document id is neither text nor a whole number")  # noqa: TRY004 - as below
    return str(value)


def _parse_tag(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, str):
        raise ValueError("the tag is not text")  # noqa: TRY004 - a bad line is a value, whatever its type
    return (value,)


def _parse_list(text: str) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        raise ValueError("the tags are not a JSON list; a character between them is declared as separator") from None
