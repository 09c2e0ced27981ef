"""How many documents each day had of each concept and tag: what is left of documents that their source has dropped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from snapshot.version.documents.dates import NO_DATE
from snapshot.version.documents.document_table import DocumentTable
from snapshot.version.tail import NO_CONCEPT

DAY: Final = 86400
WEEK: Final = 7

DAYS: Final = 731
"""Days that a series goes back."""

MOST_COUNTS: Final = 400_000
"""Counts of tags in a version; the oldest beyond that are left out."""


def _none() -> NDArray[np.int32]:
    return np.empty(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class DailyCounts:
    """Counts of things by day, by rising day, then by thing; what has none is left out. Days count from the epoch."""

    days: NDArray[np.int32] = field(default_factory=_none)
    things: NDArray[np.int32] = field(default_factory=_none)
    counts: NDArray[np.int32] = field(default_factory=_none)

    def of(self, start: int, end: int, size: int) -> NDArray[np.int64]:
        """The count of each of `size` things from one day on, before another."""
        among = slice(*np.searchsorted(self.days, [start, end]).tolist())
        found = np.bincount(self.things[among], weights=self.counts[among], minlength=size)
        return found.astype(np.int64)

    def before(self, day: int) -> "DailyCounts":
        """Those of earlier days."""
        return self.chosen(self.days < day)

    def chosen(self, chosen: NDArray[np.bool_]) -> "DailyCounts":
        """Some of them."""
        return DailyCounts(self.days[chosen], self.things[chosen], self.counts[chosen])


@dataclass(frozen=True, eq=False)
class Series:
    """The series of a version; empty if no document has a date.

    Attributes:
        since: the first day of the documents that the run read. What is earlier comes from the versions before.
        documents: of each day, how many documents there were; the thing is always 0.
        concepts: how many belonged to each concept, by its id.
        tags: how many had each tag, by its number; of tail tags by week, under the first day of the week.
    """

    since: int = 0
    documents: DailyCounts = field(default_factory=DailyCounts)
    concepts: DailyCounts = field(default_factory=DailyCounts)
    tags: DailyCounts = field(default_factory=DailyCounts)

    @property
    def newest(self) -> int:
        """The day of the newest document."""
        return int(self.documents.days[-1])

    @property
    def any(self) -> bool:
        """Whether a document had a date."""
        return len(self.documents.days) > 0

    @property
    def past(self) -> "Series":
        """What is left of documents that the source no longer has."""
        earlier = (each.before(self.since) for each in (self.documents, self.concepts, self.tags))
        return Series(self.since, *earlier)


def counted_series(
    table: DocumentTable, ids: Sequence[int], head: int, among: NDArray[np.bool_] | None = None
) -> Series:
    """The series of the documents of a table, or of some of them. `ids` are those of the concepts, `head` the tags."""
    if not len(table.dates):
        return Series()
    dated = table.dates != NO_DATE
    rows = np.flatnonzero(dated if among is None else dated & among)
    if not len(rows):
        return Series()
    days = table.dates[rows] // DAY
    since = int(days.min())
    rows, days = rows[days > days.max() - DAYS], days[days > days.max() - DAYS]
    concepts = np.array([*ids, NO_CONCEPT], dtype=np.int64)[np.minimum(table.concepts[rows], len(ids)).astype(np.int64)]
    tags = table.index.tags_of_all(rows).astype(np.int64)
    tag_days = np.repeat(days, table.index.sizes_of(rows))
    tag_days = np.where(tags < head, tag_days, tag_days // WEEK * WEEK)
    placed = concepts != NO_CONCEPT
    return _bounded(
        Series(
            since=since,
            documents=_counted(days, np.zeros(len(days), dtype=np.int64)),
            concepts=_counted(days[placed], concepts[placed]),
            tags=_counted(tag_days, tags),
        )
    )


def continued(now: Series, before: Series, concepts: Mapping[int, int], tags: NDArray[np.int64]) -> Series:
    """The counts of a run, and for the days before its oldest document those of the version before.

    `concepts` and `tags` say what became of the ids and the numbers of the version before; −1: nothing.
    """
    if not now.any or not before.any:
        return now
    old = before.concepts.before(now.since)
    ids = np.array([concepts.get(each, NO_CONCEPT) for each in old.things.tolist()], dtype=np.int64)
    tagged = before.tags.before(now.since)
    numbers = tags[tagged.things]
    return _bounded(
        Series(
            since=now.since,
            documents=_joined(before.documents.before(now.since), now.documents),
            concepts=_joined(_renumbered(old, ids), now.concepts),
            tags=_joined(_renumbered(tagged, numbers), now.tags),
        )
    )


def without_series(series: Series, removed: Series, tags: NDArray[np.int64]) -> Series:
    """The series without the documents of another one; `tags` are the new numbers of tags, −1 for those that go."""
    left = _less(series.tags, removed.tags)
    return replace(
        series,
        documents=_less(series.documents, removed.documents),
        concepts=_less(series.concepts, removed.concepts),
        tags=_renumbered(left, tags[left.things]),
    )


def _counted(days: NDArray[Any], things: NDArray[np.int64], weights: NDArray[Any] | None = None) -> DailyCounts:
    """The sum of the weights of each pair of a day and a thing; without weights, how often it occurs."""
    if not len(days):
        return DailyCounts()
    width = int(things.max()) + 1
    pairs, places = np.unique(days.astype(np.int64) * width + things, return_inverse=True)
    counts = np.bincount(places, weights=weights)
    return DailyCounts(*(part.astype(np.int32) for part in (pairs // width, pairs % width, counts)))


def _renumbered(counts: DailyCounts, things: NDArray[np.int64]) -> DailyCounts:
    """The same counts of other things; those of −1 are left out, those that became one are added up."""
    stays = things >= 0
    return _counted(counts.days[stays], things[stays], counts.counts[stays])


def _joined(before: DailyCounts, now: DailyCounts) -> DailyCounts:
    """Both; of a week that both have, the larger count."""
    if not len(before.days):
        return now
    days, things, counts = (
        np.concatenate([getattr(before, name), getattr(now, name)]) for name in ("days", "things", "counts")
    )
    order = np.lexsort((counts, things, days))
    days, things, counts = days[order], things[order], counts[order]
    last = np.append((days[1:] != days[:-1]) | (things[1:] != things[:-1]), True)
    return DailyCounts(days[last], things[last], counts[last])


def _less(counts: DailyCounts, removed: DailyCounts) -> DailyCounts:
    if not len(removed.days) or not len(counts.days):
        return counts
    left = np.concatenate([counts.counts, -removed.counts])
    days = np.concatenate([counts.days, removed.days])
    things = np.concatenate([counts.things, removed.things]).astype(np.int64)
    summed = _counted(days, things, left)
    return summed.chosen(summed.counts > 0)


def _bounded(series: Series) -> Series:
    """Without what is too old, and without the oldest counts of tags if there are too many."""
    first = series.newest - DAYS + 1
    tags = series.tags.chosen(series.tags.days >= first)
    if len(tags.days) > MOST_COUNTS:
        tags = tags.chosen(tags.days > tags.days[-MOST_COUNTS - 1])
    return replace(
        series,
        documents=series.documents.chosen(series.documents.days >= first),
        concepts=series.concepts.chosen(series.concepts.days >= first),
        tags=tags,
    )
