"""Tags and concepts whose share of the documents rose or fell most against the time before."""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from service.answers import TrendEntry, TrendsAnswer
from service.questions.documents.documents import documents_of, entry
from service.questions.time.periods import (
    Counts,
    Periods,
    Positions,
    counted,
    first_day,
    past_of_concept,
    past_of_tag,
    periods,
    series,
)
from service.view.view import View
from snapshot import DailyCounts
from snapshot.version.documents.dates import shown_date
from tagmodel.trends import trend_scores

DOCUMENTS: Final = 3
"""Documents of each trend."""

CANDIDATES: Final = 100
"""They are chosen from so many of the newest."""

Direction = Literal["rising", "falling"]
Scores = NDArray[np.float64]


def trends(view: View, seconds: int, direction: Direction, limit: int) -> TrendsAnswer:
    """What rose or fell most, beyond chance (`tagmodel.trends`)."""
    spans = periods(view, seconds)
    counts = counted(view, spans)
    index = view.documents.index
    scores = _scores(counts.tags, counts.sizes, direction)
    of_concepts = _scores(counts.concepts, counts.sizes, direction)
    concepts = [(counts.clusters[place], score) for place, score in _best(of_concepts, limit)]
    return TrendsAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        fresh=view.fresh,
        start=shown_date(spans.middle),
        end=shown_date(spans.end),
        before=shown_date(spans.start),
        step=spans.step,
        documents=counts.sizes[0],
        documents_before=counts.sizes[1],
        tags=[
            _entry(
                view,
                spans,
                index.documents_of(tag).astype(np.intp),
                past_of_tag(view, tag),
                score,
                scores=scores,
                tag=tag,
            )
            for tag, score in _best(scores, limit)
        ],
        concepts=[
            _entry(
                view,
                spans,
                np.flatnonzero(documents_of(view, cluster)),
                past_of_concept(view, cluster),
                score,
                scores=scores,
                cluster=cluster,
            )
            for cluster, score in concepts
        ],
    )


def _scores(counts: tuple[Counts, Counts], sizes: tuple[int, int], direction: Direction) -> Scores:
    """How much each rose or fell; at most 0 for what may be chance, and for all without a time before."""
    n, m = sizes
    if not n or not m:
        return np.zeros(len(counts[0]))
    scores = trend_scores(counts[0], n, counts[1], m)
    return scores if direction == "rising" else -scores


def _best(scores: Scores, limit: int) -> Sequence[tuple[int, float]]:
    """The places with the largest scores."""
    order = np.lexsort((np.arange(len(scores)), -scores))[:limit]
    return [(place, float(scores[place])) for place in order.tolist() if scores[place] > 0]


def _entry(
    view: View,
    spans: Periods,
    documents: Positions,
    past: DailyCounts,
    score: float,
    *,
    scores: Scores,
    tag: int | None = None,
    cluster: int | None = None,
) -> TrendEntry:
    recent = documents[spans.recent[documents]]
    name = None if tag is None else view.tag_names[tag]
    first = first_day(spans.middle)
    return {
        "tag": name,
        "cluster": cluster,
        "label": view.labels[cluster] if cluster is not None else str(name),
        "score": round(score, 4),
        "count": len(recent) + int(past.counts[past.days >= first].sum()),
        "before": int(np.count_nonzero(spans.before[documents]))
        + int(past.counts[(past.days < first) & (past.days >= first_day(spans.start))].sum()),
        "series": series(view, spans, documents, past),
        "documents": [entry(view, position) for position in _evidence(view, recent, scores).tolist()],
    }


def _evidence(view: View, recent: Positions, scores: Scores) -> Positions:
    """Of the newest documents those with the most tags that rose or fell, then the newest."""
    index = view.documents.index
    order = np.lexsort((index.order_of(recent), -view.documents.dates[recent]))[:CANDIDATES]
    newest = recent[order]
    rows = np.repeat(np.arange(len(newest)), index.sizes_of(newest))
    changed = np.bincount(rows, weights=scores[index.tags_of_all(newest)] > 0, minlength=len(newest))
    return newest[np.argsort(-changed, kind="stable")[:DOCUMENTS]]
