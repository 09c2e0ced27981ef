"""Tags and concepts whose share of the documents rose or fell most against the time before."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from service.answers import TrendEntry, TrendsAnswer
from service.questions.documents.documents import documents_of, entry
from service.view.view import View
from service.view.window import DAY, Window, in_window, newest_date
from snapshot.version.documents.dates import shown_date
from tagmodel.trends import trend_scores

BEFORE: Final = 4
"""The time before is so many times as long as the window."""

STEPS: Final = 7
"""Points of a series in each window."""

DOCUMENTS: Final = 3
"""Documents of each trend."""

Direction = Literal["rising", "falling"]
Positions = NDArray[np.intp]


@dataclass(frozen=True)
class Periods:
    """The window and the time before it, by the documents of each."""

    window: Window
    start: int
    recent: NDArray[np.bool_]
    before: NDArray[np.bool_]

    @property
    def step(self) -> int:
        """The seconds of a point of a series."""
        return -(-((self.window.end or 0) - (self.window.start or 0)) // STEPS)


def periods(view: View, seconds: int) -> Periods:
    """The window that ends with the day of the newest document, and the time before it."""
    end = (newest_date(view) // DAY + 1) * DAY
    window = Window(end - seconds, end)
    start = end - (BEFORE + 1) * seconds
    return Periods(window, start, in_window(view, window), in_window(view, Window(start, end - seconds)))


def trends(view: View, seconds: int, direction: Direction, limit: int) -> TrendsAnswer:
    """What rose or fell most, beyond chance (`tagmodel.trends`)."""
    spans = periods(view, seconds)
    index = view.documents.index
    positions = index.positions()
    now, then = positions[spans.recent[positions]], positions[spans.before[positions]]
    sizes = len(now), len(then)
    tags = _best(_tag_counts(view, now), _tag_counts(view, then), sizes, direction, limit)
    clusters = sorted(view.clusters)
    members = {cluster: np.flatnonzero(documents_of(view, cluster)) for cluster in clusters}
    counts = [
        np.array([np.count_nonzero(span[members[cluster]]) for cluster in clusters], dtype=np.int64)
        for span in (spans.recent, spans.before)
    ]
    concepts = _best(counts[0], counts[1], sizes, direction, limit)
    end = spans.window.end or 0
    return TrendsAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        fresh=view.fresh,
        start=shown_date(end - seconds),
        end=shown_date(end),
        before=shown_date(spans.start),
        step=spans.step,
        documents=len(now),
        documents_before=len(then),
        tags=[
            _entry(view, spans, index.documents_of(tag).astype(np.intp), score, tag=view.tag_names[tag])
            for tag, score in tags
        ],
        concepts=[_concept(view, spans, clusters[place], members[clusters[place]], score) for place, score in concepts],
    )


def series(view: View, spans: Periods, documents: Positions) -> list[int]:
    """How many of some documents each step of both spans has, oldest first."""
    dates = view.documents.dates[documents]
    end = spans.window.end or 0
    places = (STEPS * (BEFORE + 1) - 1) - (end - 1 - dates[(dates >= spans.start) & (dates < end)]) // spans.step
    counts: list[int] = np.bincount(places[places >= 0], minlength=STEPS * (BEFORE + 1)).tolist()
    return counts


def _tag_counts(view: View, documents: Positions) -> NDArray[np.int64]:
    index = view.documents.index
    return np.bincount(index.tags_of_all(documents), minlength=index.tag_count).astype(np.int64)


def _best(
    recent: NDArray[np.int64], before: NDArray[np.int64], sizes: tuple[int, int], direction: Direction, limit: int
) -> Sequence[tuple[int, float]]:
    """The places with the largest scores in a direction; none that may be chance, and none without a time before."""
    n, m = sizes
    if not n or not m:
        return []
    scores = trend_scores(recent, n, before, m)
    scores = scores if direction == "rising" else -scores
    order = np.lexsort((np.arange(len(scores)), -scores))[:limit]
    return [(place, float(scores[place])) for place in order.tolist() if scores[place] > 0]


def _entry(
    view: View,
    spans: Periods,
    documents: Positions,
    score: float,
    *,
    tag: str | None = None,
    cluster: int | None = None,
) -> TrendEntry:
    recent = documents[spans.recent[documents]]
    newest = recent[np.lexsort((view.documents.index.order_of(recent), -view.documents.dates[recent]))][:DOCUMENTS]
    return {
        "tag": tag,
        "cluster": cluster,
        "label": view.labels[cluster] if cluster is not None else str(tag),
        "score": round(score, 4),
        "count": len(recent),
        "before": int(np.count_nonzero(spans.before[documents])),
        "series": series(view, spans, documents),
        "documents": [entry(view, position) for position in newest.tolist()],
    }


def _concept(view: View, spans: Periods, cluster: int, documents: Positions, score: float) -> TrendEntry:
    return _entry(view, spans, documents, score, cluster=cluster)
