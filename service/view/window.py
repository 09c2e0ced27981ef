"""A view of the documents of a span of time alone: everything that counts documents counts these."""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.errors import NotPossible, OutOfRange
from service.view.document_store import DocumentStore
from service.view.view import View
from snapshot import Card
from snapshot.version.documents.dates import NO_DATE, PARTS, parse_date
from tagmodel import RestrictedIndex

DAY: Final = 86400
UNITS: Final = {"h": 3600, "d": DAY, "w": 7 * DAY, "m": 30 * DAY, "y": 365 * DAY}
SPAN: Final = re.compile(r"(\d{1,5})([hdwmy])")
LAST_YEAR: Final = 9999
LONGEST_SPAN: Final = 100 * UNITS["y"]


@dataclass(frozen=True)
class Window:
    """A span of time: from `start` on, before `end`, in seconds since the epoch. None: no bound."""

    start: int | None = None
    end: int | None = None


def span_seconds(text: str, name: str) -> int:
    """The seconds of a span such as 30d: hours, days, weeks, months of 30 days, years of 365."""
    found = SPAN.fullmatch(text)
    if found is None or not int(found[1]):
        raise OutOfRange(f"{name}: write a span of time such as 12h, 7d, 4w, 6m or 1y, not {text!r}")
    seconds = int(found[1]) * UNITS[found[2]]
    if seconds > LONGEST_SPAN:
        raise OutOfRange(f"{name}: {text} is longer than 100 years")
    return seconds


def window(view: View, start: str, end: str, last: str) -> Window | None:
    """The span that a question asks for; None if it asks for none.

    `last` counts back from the newest document, so the same version always gives the same answer.
    """
    if not (start or end or last):
        return None
    newest = newest_date(view)
    if last:
        if start or end:
            raise OutOfRange("last: give either last, or from and to")
        return Window(newest + 1 - span_seconds(last, "last"), newest + 1)
    return Window(_first_second(start, "from"), _second_after(end))


def newest_date(view: View) -> int:
    """The date of the newest document; NotPossible if no document has one."""
    dates = view.documents.dates
    positions = view.documents.index.positions()
    newest = int(dates[positions].max(initial=NO_DATE)) if len(dates) else NO_DATE
    if newest == NO_DATE:
        raise NotPossible(f"no document of {view.snapshot.corpus} has a date")
    return newest


def in_window(view: View, span: Window) -> NDArray[np.bool_]:
    """For every position, whether its document has a date in a span of time."""
    dates = view.documents.dates
    chosen: NDArray[np.bool_] = dates != NO_DATE
    if span.start is not None:
        chosen &= dates >= span.start
    if span.end is not None:
        chosen &= dates < span.end
    return chosen


def windowed(view: View, span: Window | None) -> View:
    """The view with only the documents of a span of time; the view itself if there is none."""
    if span is None:
        return view
    documents, snapshot = view.documents, view.snapshot
    index = RestrictedIndex(documents.index, in_window(view, span))
    counts, head = index.counts(), view.head_count
    restricted = replace(
        snapshot,
        counts=counts[:head].astype(np.int32),
        tail=replace(snapshot.tail, counts=counts[head:].astype(np.int32)),
        document_count=index.document_count,
        tail_document_count=0,
        cluster_documents=(),
    )
    return view.with_counts(restricted, RestrictedDocuments(documents, index), view.changes)


class RestrictedDocuments(DocumentStore):
    """Some of the documents of a view, under their positions there."""

    def __init__(self, whole: DocumentStore, index: RestrictedIndex) -> None:
        """`index` says which."""
        self._whole = whole
        self._title_words = whole.version_title_words
        self._chosen = index.chosen
        self.index = index
        self.version_index = whole.version_index
        self.file_bytes = whole.file_bytes

    @property
    def dates(self) -> NDArray[np.int64]:
        """The date of every position."""
        return self._whole.dates

    def position(self, document: str) -> int | None:
        """The position of a document by its id; None if there is none among these."""
        position = self._whole.position(document)
        return position if position is not None and self._chosen[position] else None

    def id(self, position: int) -> str:
        """The id of a document."""
        return self._whole.id(position)

    def close_ids(self, document: str, limit: int = 5) -> list[str]:
        """Ids that may have been meant by an unknown one, also outside."""
        return self._whole.close_ids(document, limit)

    @property
    def has_cards(self) -> bool:
        """Whether any document has a card."""
        return self._whole.has_cards

    def card(self, position: int) -> Card:
        """What people see of a document."""
        return self._whole.card(position)

    def concept(self, position: int) -> int | None:
        """The id of the tag cluster of a document."""
        return self._whole.concept(position)

    def concept_positions(self, documents: NDArray[np.integer]) -> NDArray[np.int64]:
        """The positions of the tag clusters of some documents."""
        return self._whole.concept_positions(documents)

    def concept_counts(self, positions: NDArray[np.intp]) -> dict[int, int]:
        """How many of these documents belong to each tag cluster, by its id."""
        return self._whole.concept_counts(positions)

    def of_concept(self, cluster: int) -> NDArray[np.intp]:
        """The documents of these that belong to a tag cluster, rising."""
        documents = self._whole.of_concept(cluster)
        return documents[self._chosen[documents]]


def _first_second(text: str, name: str) -> int | None:
    if not text:
        return None
    found = parse_date(text)
    if found is None:
        raise OutOfRange(f"{name}: write a date such as 2026-11-18, 2026-11 or 2026, not {text!r}")
    return found


def _second_after(text: str) -> int | None:
    """The end of a span: a year, a month and a day belong to it as a whole."""
    first = _first_second(text, "to")
    parts = PARTS.fullmatch(text.strip())
    if first is None or parts is None:
        return None if first is None else first + 1
    _, month, day = (None if part is None else int(part) for part in parts.groups())
    if day is not None:
        return first + DAY
    begun = datetime.fromtimestamp(first, UTC)
    if begun.year == LAST_YEAR:
        return None
    next_month = begun.month % 12 + 1 if month is not None else 1
    return int(begun.replace(year=begun.year + (next_month == 1), month=next_month).timestamp())
