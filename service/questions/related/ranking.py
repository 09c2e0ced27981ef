"""Ranks related tags for a query, or the commonest tags without one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.view import View
from tagmodel.related import probability


@dataclass(frozen=True, eq=False)
class Ranking:
    """The best tags by falling score; `others` more candidates share `rest` of the score.

    `votes` are those of the candidates.
    """

    tags: list[int]
    scores: NDArray[np.float64]
    others: int
    rest: float
    votes: NDArray[np.float32] | None = None


def rank(
    view: View,
    query: tuple[int, ...],
    specificity: float,
    limit: int,
    *,
    with_rest: bool = False,
    among: NDArray[np.bool_] | None = None,
) -> Ranking:
    """Related tags of all query tags together: their odds × their popularity.  suggestions.md (6)

    Scores lie between 0 and 1. Left out are the query's own tags, tags with more evidence against than for, and those
    that are not `among` the tags to choose from. Only clouds need `rest`, for which the scores of all candidates are
    computed; without it, `rest` is 0.
    """
    tags, odds, votes = view.snapshot.related.candidates(query)
    if among is not None:
        tags, odds = tags[among[tags]], odds[among[tags]]
    odds = odds * view.popularity(specificity, len(query))[tags]
    others = max(len(odds) - limit, 0)
    best = _first(odds, limit) if len(query) == 1 else _best(odds, limit)
    scores = probability(odds[best])
    rest = max(float(probability(odds).sum()) - sum(scores.tolist()), 0.0) if with_rest and others else 0.0
    return Ranking(tags[best].tolist(), scores, others, rest, votes)


def popular(view: View, limit: int, among: NDArray[np.bool_] | None = None) -> Ranking:
    """The commonest tags, or those of some tags, for a cloud without a query."""
    candidates = view.by_count if among is None else [tag for tag in view.by_count if among[tag]]
    tags = candidates[:limit]
    scores = view.relative_counts[tags]
    rest = float(view.relative_counts[candidates].sum()) - sum(scores.tolist())
    return Ranking(tags, scores, len(candidates) - len(tags), max(rest, 0.0))


def shares(ranking: Ranking) -> NDArray[np.float64]:
    """For each ranked tag, a column: the share of its evidence that comes from each query tag; the shares sum to 1."""
    if ranking.votes is None:
        return np.ones((1, len(ranking.tags)))
    evidence = ranking.votes.take(ranking.tags, axis=1).astype(np.float64)
    np.maximum(evidence, 0.0, out=evidence)
    evidence /= evidence.sum(axis=0)
    return evidence


def _first(odds: NDArray[np.float64], limit: int) -> NDArray[np.intp]:
    """The places of the first `limit` candidates by odds, in their order at equal odds. Quick if most are in order."""
    return (-odds).argsort(kind="stable")[:limit]


def _best(odds: NDArray[np.float64], limit: int) -> NDArray[np.intp]:
    """The same, quick if they are in no order: only the best few are sorted."""
    others = len(odds) - limit
    if others <= 0 or limit == 0:
        return _first(odds, limit)
    rising = odds.copy()
    rising.partition(others)
    (near,) = (odds >= rising[others]).nonzero()
    best: NDArray[np.intp] = near[_first(odds[near], limit)]
    return best
