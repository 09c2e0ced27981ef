from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.view import View


@dataclass(frozen=True, eq=False)
class Ranking:
    """The best tags by falling score; `others` more were candidates, with `rest` of the score among them."""

    tags: list[int]
    scores: list[float]
    others: int
    rest: float


def rank(view: View, query: tuple[int, ...], specificity: float, limit: int) -> Ranking:
    """Related tags of all query tags together: mean T^Y × (count / largest count)^(1−specificity).

    Scores lie between 0 and 1. The query's own tags are left out.
    """
    related = view.snapshot.related
    if len(query) == 1:
        tags, moves = related.of(query[0])
    else:
        total = np.zeros(len(view.counts))
        for tag in query:
            indices, values = related.of(tag)
            total[indices] += values
        total[list(query)] = 0.0
        tags = np.flatnonzero(total).astype(np.int32)
        moves = (total[tags] / len(query)).astype(np.float32)
    return _best(tags, moves * view.popularity[tags] ** (1.0 - specificity), limit)


def rounded(values: list[float], digits: int) -> list[float]:
    """All values rounded at once, which is much quicker than one by one."""
    found: list[float] = np.round(values, digits).tolist()
    return found


def popular(view: View, limit: int) -> Ranking:
    """The commonest tags, for a cloud without a query."""
    tags = view.by_count[:limit]
    scores = [view.counts[tag] / view.max_count for tag in tags]
    rest = float(view.popularity.sum()) - sum(scores)
    return Ranking(tags, scores, len(view.by_count) - len(tags), max(rest, 0.0))


def shares(view: View, query: tuple[int, ...], tags: list[int]) -> list[list[float]]:
    """For each tag, how much of what leads to it comes from each query tag; sums to 1."""
    if len(query) == 1:
        return [[1.0]] * len(tags)
    rows = [dict(zip(*(part.tolist() for part in view.snapshot.related.of(tag)), strict=True)) for tag in query]
    moves = [[row.get(tag, 0.0) for row in rows] for tag in tags]
    return [[move / sum(row) for move in row] for row in moves]


def _best(tags: NDArray[np.int32], scores: NDArray[np.float64], limit: int) -> Ranking:
    order = np.lexsort((tags, -scores))
    ranked: list[float] = scores[order].tolist()
    return Ranking(tags[order[:limit]].tolist(), ranked[:limit], max(len(ranked) - limit, 0), sum(ranked[limit:], 0.0))
