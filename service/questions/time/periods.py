"""The documents of a window and of the time before it, counted exactly; of dropped days, what the version remembers."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.view.view import View
from service.view.window import DAY, Window, in_window, newest_date
from snapshot import DailyCounts

BEFORE: Final = 4
"""The time before is so many times as long as the window."""

STEPS: Final = 7
"""Points of a series in each window."""

FIRST_MOMENT: Final = int(datetime(1, 1, 1, tzinfo=UTC).timestamp())
"""No date is earlier."""

Positions = NDArray[np.intp]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Periods:
    """The window and the time before it, by the documents of each."""

    window: Window
    start: int
    recent: NDArray[np.bool_]
    before: NDArray[np.bool_]

    @property
    def end(self) -> int:
        """The second after the window."""
        return self.window.end or 0

    @property
    def middle(self) -> int:
        """Where the window begins."""
        return self.window.start or 0

    @property
    def step(self) -> int:
        """The seconds of a point of a series."""
        return -(-(self.end - self.middle) // STEPS)


def periods(view: View, seconds: int) -> Periods:
    """The window that ends with the day of the newest document, and the time before it."""
    end = (newest_date(view) // DAY + 1) * DAY
    middle = max(end - seconds, FIRST_MOMENT)
    start = max(end - (BEFORE + 1) * seconds, FIRST_MOMENT)
    window = Window(middle, end)
    return Periods(window, start, in_window(view, window), in_window(view, Window(start, middle)))


@dataclass(frozen=True)
class PeriodCounts:
    """How many documents the window and the time before it have: of all, of each tag, of each concept."""

    sizes: tuple[int, int]
    tags: tuple[Counts, Counts]
    clusters: list[int]
    concepts: tuple[Counts, Counts]
    """Of each of `clusters`."""


def counted(view: View, spans: Periods) -> PeriodCounts:
    """The documents that are there, and those of earlier days that the source has dropped."""
    index, clusters, past = view.documents.index, sorted(view.clusters), view.snapshot.series.past
    positions = index.positions()
    place = {cluster: number for number, cluster in enumerate(clusters)}
    none = len(clusters)
    of_run = [place.get(view.concept_id(cluster.id), none) for cluster in view.snapshot.clusters]
    of_position = np.array([*of_run, none], dtype=np.int64)
    of_id = {cluster.id: number for cluster, number in zip(view.snapshot.clusters, of_run, strict=True)}
    sizes, tags, concepts = [], [], []
    for span, start, stop in ((spans.recent, spans.middle, spans.end), (spans.before, spans.start, spans.middle)):
        documents, days = positions[span[positions]], (first_day(start), first_day(stop))
        sizes.append(len(documents) + int(past.documents.of(*days, 1)[0]))
        of_tags = np.bincount(index.tags_of_all(documents), minlength=index.tag_count)
        tags.append(of_tags + past.tags.of(*days, index.tag_count))
        found = np.bincount(of_position[view.documents.concept_positions(documents)], minlength=none + 1)
        for cluster, count in enumerate(past.concepts.of(*days, 1).tolist()):
            found[of_id.get(cluster, none)] += count
        concepts.append(found[:none])
    return PeriodCounts((sizes[0], sizes[1]), (tags[0], tags[1]), clusters, (concepts[0], concepts[1]))


def series(view: View, spans: Periods, documents: Positions, past: DailyCounts) -> list[int]:
    """How many of some documents each step of both spans has, oldest first."""
    dates = view.documents.dates[documents]
    moments = np.concatenate([dates, past.days.astype(np.int64) * DAY])
    weights = np.concatenate([np.ones(len(dates), dtype=np.int64), past.counts])
    end = spans.end
    inside = (moments >= spans.start) & (moments < end)
    places = (STEPS * (BEFORE + 1) - 1) - (end - 1 - moments[inside]) // spans.step
    found = np.bincount(np.maximum(places, 0), weights=weights[inside], minlength=STEPS * (BEFORE + 1))
    counts: list[int] = found.astype(np.int64).tolist()
    return counts


def past_of_tag(view: View, tag: int) -> DailyCounts:
    """The days of a tag that the source has dropped; of a rare tag, weeks."""
    past = view.snapshot.series.past.tags
    return past.chosen(past.things == tag)


def past_of_concept(view: View, cluster: int) -> DailyCounts:
    """The days of a concept that the source has dropped."""
    past = view.snapshot.series.past.concepts
    ids = [each.id for each in view.snapshot.clusters if view.concept_id(each.id) == cluster]
    return past.chosen(np.isin(past.things, ids))


def first_day(moment: int) -> int:
    """The first day that begins at a moment or later."""
    return -(-moment // DAY)
