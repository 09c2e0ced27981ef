"""Answers about time: what rises and falls."""

from dataclasses import dataclass

from typing_extensions import TypedDict

from service.answers.documents import DocumentEntry


class TrendEntry(TypedDict):
    """A tag, or a concept, whose share of the documents changed: the other of `tag` and `cluster` is null.

    `count` documents of the window have it, `before` of the time before. `series` counts its documents step by step
    from `before` of the answer on; `documents` are its newest.
    """

    tag: str | None
    cluster: int | None
    label: str
    score: float
    count: int
    before: int
    series: list[int]
    documents: list[DocumentEntry]


@dataclass(frozen=True)
class TrendsAnswer:
    """What rose or fell in a window (from `start`, before `end`) against the time before it (from `before` on).

    A point of a series has `step` seconds. `documents` of the window and `documents_before` have a date.
    """

    corpus: str
    version: str
    revision: int
    fresh: int
    start: str
    end: str
    before: str
    step: int
    documents: int
    documents_before: int
    tags: list[TrendEntry]
    concepts: list[TrendEntry]
