"""The documents of a concept over all the time that a corpus covers."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from service.questions.documents.documents import documents_of
from service.questions.time.periods import past_of_concept
from service.view.view import View
from service.view.window import DAY
from snapshot.version.documents.dates import NO_DATE

POINTS: Final = 60
"""At most so many points."""

STRAY: Final = 0.02
"""This share of the documents, the oldest, is left out: a few stray dates would press the rest together."""

STEPS: Final = {"day": DAY, "week": 7 * DAY, "month": 30 * DAY, "quarter": 91 * DAY, "year": 365 * DAY}
"""Lengths of a point, and what they are called."""


@dataclass(frozen=True)
class Course:
    """How many documents each step has: `counts` from `start` on, up to `end`, each `step` long, named by `unit`."""

    start: int
    end: int
    step: int
    unit: str
    counts: list[int]


def course(view: View, cluster: int) -> Course | None:
    """The course of a concept; None without dates. It ends with the day of the newest document of the corpus."""
    if not view.has_documents or not len(view.documents.dates):
        return None
    dates, past = view.documents.dates, view.snapshot.series.past.documents
    everything = dates[view.documents.index.positions()]
    everything = everything[everything != NO_DATE]
    if not len(everything):
        return None
    oldest = int(np.quantile(everything, STRAY, method="lower")) // DAY * DAY
    if len(past.days):
        oldest = min(oldest, int(past.days[0]) * DAY)
    end = (int(everything.max()) // DAY + 1) * DAY
    unit, step = next(
        ((unit, step) for unit, step in STEPS.items() if end - oldest <= step * POINTS),
        ("year", -(-(end - oldest) // (STEPS["year"] * POINTS)) * STEPS["year"]),
    )
    points = -(-(end - oldest) // step)
    start = end - points * step
    own, dropped = dates[documents_of(view, cluster)], past_of_concept(view, cluster)
    moments = np.concatenate([own[own != NO_DATE], dropped.days.astype(np.int64) * DAY])
    weights = np.concatenate([np.ones(len(moments) - len(dropped.days), dtype=np.int64), dropped.counts])
    inside = (moments >= start) & (moments < end)
    counts = np.bincount((moments[inside] - start) // step, weights=weights[inside], minlength=points)
    return Course(start, end, step, unit, counts.astype(np.int64).tolist())
