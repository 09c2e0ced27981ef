from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.view import View
from tagmodel.related import probability


@dataclass(frozen=True, eq=False)
class Ranking:
    """The best tags by falling score; `others` more were candidates, with `rest` of the score among them."""

    tags: list[int]
    scores: list[float]
    others: int
    rest: float


def rank(view: View, query: tuple[int, ...], specificity: float, limit: int) -> Ranking:
    """Related tags of all query tags together: their odds × their popularity.  suggestions.md (6)

    Scores lie between 0 and 1. The query's own tags are left out, and those that more speaks against than for.
    """
    tags, odds = view.snapshot.related.candidates(query)
    return _best(tags, odds * view.popularity(specificity, len(query))[tags], limit)


def rounded(values: list[float], digits: int) -> list[float]:
    """All values rounded at once, which is much quicker than one by one."""
    numbers: list[float] = np.round(values, digits).tolist()
    return numbers


def popular(view: View, limit: int) -> Ranking:
    """The commonest tags, for a cloud without a query."""
    tags = view.by_count[:limit]
    scores = [view.counts[tag] / view.max_count for tag in tags]
    rest = float(view.relative_counts.sum()) - sum(scores)
    return Ranking(tags, scores, len(view.by_count) - len(tags), max(rest, 0.0))


def shares(view: View, query: tuple[int, ...], tags: list[int]) -> list[list[float]]:
    """For each tag, how much of what speaks for it comes from each query tag; sums to 1."""
    if len(query) == 1:
        return [[1.0]] * len(tags)
    related = view.snapshot.related
    place = np.full(len(view.counts), -1, dtype=np.int64)
    place[tags] = np.arange(len(tags))
    speaking = np.zeros((len(tags), len(query)))
    for column, tag in enumerate(query):
        rows = place[related.indices[related.span(tag)]]
        listed = rows >= 0
        speaking[rows[listed], column] = related.weights(tag, len(query))[listed]
    speaking = np.maximum(speaking, 0.0)
    by_tag: list[list[float]] = (speaking / speaking.sum(axis=1, keepdims=True)).tolist()
    return by_tag


def _best(tags: NDArray[np.integer], chances: NDArray[np.float64], limit: int) -> Ranking:
    """The first `limit` by odds; of equals, those with the lower number."""
    others = max(len(chances) - limit, 0)
    total = float(probability(chances).sum()) if others else 0.0
    if others:
        near = chances >= np.partition(chances, others)[others]
        tags, chances = tags[near], chances[near]
    order = np.lexsort((tags, -chances))[:limit]
    ranked: list[float] = probability(chances[order]).tolist()
    return Ranking(tags[order].tolist(), ranked, others, max(total - sum(ranked), 0.0) if others else 0.0)
