"""Concepts that began to rise with a version: those that rise now and did not in the version before."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from snapshot import Series, Snapshot
from snapshot.version.documents.dates import shown_date
from snapshot.version.documents.series import DAY
from tagmodel.trends import trend_scores

WINDOW: Final = 7
"""Days of the window …"""

BEFORE: Final = 4
"""… and the time before it is so many times as long."""

MOST: Final = 20
"""Concepts that are told of at most, the strongest."""


@dataclass(frozen=True)
class Rise:
    """A concept that rises: `count` of `documents` in the window, `before` of `documents_before` in the time before."""

    cluster: int
    score: float
    count: int
    before: int
    documents: int
    documents_before: int
    start: str
    """The first day of the window."""

    end: str
    """The day after it."""

    series: list[int]
    """The documents of each day, from the first of the time before on."""


def newly_rising(snapshot: Snapshot, previous: Snapshot | None) -> list[Rise]:
    """The concepts that rise beyond chance and did not in the version before, the largest change first.

    None without a version before: then nobody follows anything yet.
    """
    if previous is None:
        return []
    known = {rise.cluster for rise in rising(previous.series)}
    return [rise for rise in rising(snapshot.series) if rise.cluster not in known][:MOST]


def rising(series: Series) -> list[Rise]:
    """All concepts that rise in the week to the newest document, the largest change first."""
    if not series.any:
        return []
    end = series.newest + 1
    middle, start = end - WINDOW, end - WINDOW * (BEFORE + 1)
    size = int(series.concepts.things.max(initial=-1)) + 1
    now, then = series.concepts.of(middle, end, size), series.concepts.of(start, middle, size)
    n, m = int(series.documents.of(middle, end, 1)[0]), int(series.documents.of(start, middle, 1)[0])
    if not n or not m:
        return []
    scores = trend_scores(now, n, then, m)
    order = [each for each in np.argsort(-scores, kind="stable").tolist() if scores[each] > 0]
    return [
        Rise(
            cluster=each,
            score=round(float(scores[each]), 4),
            count=int(now[each]),
            before=int(then[each]),
            documents=n,
            documents_before=m,
            start=shown_date(middle * DAY),
            end=shown_date(end * DAY),
            series=_daily(series, each, start, end),
        )
        for each in order
    ]


def _daily(series: Series, cluster: int, start: int, end: int) -> list[int]:
    own = series.concepts.chosen((series.concepts.things == cluster) & (series.concepts.days >= start))
    counts: list[int] = np.bincount(own.days - start, weights=own.counts, minlength=end - start).astype(int).tolist()
    return counts
