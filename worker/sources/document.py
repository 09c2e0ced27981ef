"""What every kind of source gives: documents, and a tally of the lines that hold none."""

from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import orjson

from worker.errors import CorpusError

SHOWN: Final = 5
"""How many bad lines are described one by one."""


@dataclass(frozen=True, slots=True)
class Document:
    """One tagged document, its tags as found. In a source of pairs: one document with one of its tags."""

    id: str
    tags: tuple[str, ...]
    label: str | None = None


@dataclass
class Tally:
    """How far reading has come, and what was wrong with the lines that were passed over."""

    lines: int = 0
    bad: int = 0
    passed_over: int = 0
    faults: list[str] = field(default_factory=list)
    done: int = 0
    total: int = 1

    def pass_over(self, place: str, reason: object, lines: int = 1) -> None:
        """Count a bad line, or all those that it swallowed; the first few are described."""
        self.bad += lines
        self.passed_over += 1
        if len(self.faults) < SHOWN:
            self.faults.append(f"{place}: {reason}")

    def add(self, other: "Tally") -> None:
        """What another reader counted; how far it is all told is for the caller to say."""
        self.lines += other.lines
        self.bad += other.bad
        self.passed_over += other.passed_over
        self.faults += other.faults[: SHOWN - len(self.faults)]

    def check(self, corpus: str, allowed: float) -> None:
        """CorpusError if more than this share of the lines was bad."""
        if self.bad > allowed * self.lines:
            share = f"{100 * allowed:.3g} %"
            raise CorpusError(f"{corpus}: {self.described()}, more than the allowed {share}: {self.listed()}")

    def described(self) -> str:
        """How many lines were bad."""
        return f"{self.bad} of {self.lines} lines are bad"

    def listed(self) -> str:
        """The first bad lines with their places."""
        more = self.passed_over - len(self.faults)
        return "; ".join([*self.faults, *([f"and {more} more"] if more else [])])


@dataclass(frozen=True)
class Shape:
    """How the values of one line make a document: a list of tags, or a single one of many lines."""

    pairs: bool
    separator: str | None = None

    def document(self, name: object, tags: object, label: object) -> Document:
        """The document of one line; ValueError says what is wrong with it."""
        return Document(
            id=_text_of_id(name),
            tags=_one_tag(tags) if self.pairs else self._tag_list(tags),
            label=None if label is None or label == "" else str(label),
        )

    def _tag_list(self, value: object) -> tuple[str, ...]:
        if value is None or value == "":
            return ()
        if isinstance(value, str):
            if self.separator is not None:
                return tuple(value.split(self.separator))
            value = _parsed_list(value)
        if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
            raise ValueError("the tags are not a list of strings")
        return tuple(value)


@dataclass(frozen=True)
class Fields:
    """Where a file has the id, the tags and the class label of a document.

    By name, or by column number from 1 in a file without a header; None for the usual place.
    """

    shape: Shape
    id: str | int | None = None
    tags: str | int | None = None
    label: str | int | None = None
    header: bool = True


def _text_of_id(value: object) -> str:
    if value is None or value == "":
        raise ValueError("no document id")
    if isinstance(value, bool) or not isinstance(value, str | int | UUID):
        raise ValueError("the document id is neither text nor a whole number")  # noqa: TRY004 - as below
    return str(value)


def _one_tag(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, str):
        raise ValueError("the tag is not text")  # noqa: TRY004 - a bad line is a value, whatever its type
    return (value,)


def _parsed_list(text: str) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        raise ValueError("the tags are not a JSON list; a character between them is declared as separator") from None
