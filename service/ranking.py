"""Ranks related tags for a query, or the commonest tags without one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.view import View
from tagmodel.related import probability


@dataclass(frozen=True, eq=False)
class Ranking:
    """The best tags by falling score; `others` more candidates share `rest` of the score."""

    tags: list[int]
    scores: list[float]
    others: int
    rest: float


def rank(view: View, query: tuple[int, ...], specificity: float, limit: int) -> Ranking:
    """Related tags of all query tags together: their odds × their popularity.  suggestions.md (6)

    Scores lie between 0 and 1. Left out are the query's own tags, and tags with more evidence against than for.
    """
    tags, odds = view.snapshot.related.candidates(query)
    return _best(tags, odds * view.popularity(specificity, len(query))[tags], limit)


def round_all(values: list[float], digits: int) -> list[float]:
    """Round all values at once, which is much quicker than one by one."""
    rounded: list[float] = np.round(values, digits).tolist()
    return rounded


def popular(view: View, limit: int) -> Ranking:
    """The commonest tags, for a cloud without a query."""
    tags = view.by_count[:limit]
    scores = [view.counts[tag] / view.max_count for tag in tags]
    rest = float(view.relative_counts.sum()) - sum(scores)
    return Ranking(tags, scores, len(view.by_count) - len(tags), max(rest, 0.0))


def shares(view: View, query: tuple[int, ...], tags: list[int]) -> list[list[float]]:
    """For each tag, the share of its evidence that comes from each query tag; the shares sum to 1."""
    if len(query) == 1:
        return [[1.0]] * len(tags)
    related = view.snapshot.related
    place = np.full(len(view.counts), -1, dtype=np.int64)
    place[tags] = np.arange(len(tags))
    evidence = np.zeros((len(tags), len(query)))
    for column, tag in enumerate(query):
        rows = place[related.indices[related.span(tag)]]
        listed = rows >= 0
        evidence[rows[listed], column] = related.weights(tag, len(query))[listed]
    evidence = np.maximum(evidence, 0.0)
    by_tag: list[list[float]] = (evidence / evidence.sum(axis=1, keepdims=True)).tolist()
    return by_tag


def _best(tags: NDArray[np.integer], odds: NDArray[np.float64], limit: int) -> Ranking:
    """The first `limit` tags by odds; at equal odds, those with the lower index."""
    others = max(len(odds) - limit, 0)
    total = float(probability(odds).sum()) if others else 0.0
    if others and limit:
        near = odds >= np.partition(odds, others)[others]
        tags, odds = tags[near], odds[near]
    order = np.lexsort((tags, -odds))[:limit]
    ranked: list[float] = probability(odds[order]).tolist()
    return Ranking(tags[order].tolist(), ranked, others, max(total - sum(ranked), 0.0) if others else 0.0)
