"""Ranks related tags for a query, or the commonest tags without one."""

from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.view.view import View
from tagmodel.rare import chances_by_query_tag, odds_beside_rare
from tagmodel.related import probability

BALANCED: Final = 0.5
"""The usual specificity."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """The best tags by falling score; `others` more candidates share `rest` of the score.

    `votes` are those of the candidates; `evidence`, if any tag of the query is rare, what each query tag adds to the
    score of each ranked tag.
    """

    tags: list[int]
    scores: NDArray[np.float64]
    others: int
    rest: float
    votes: NDArray[np.float32] | None = None
    evidence: NDArray[np.float64] | None = None


NOTHING_RANKED: Final = Ranking([], np.zeros(0), 0, 0.0)
"""The answer to a query of which nothing is known."""


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
    if any(map(view.is_tail, query)):
        return rank_beside_rare(view, query, specificity, limit, with_rest=with_rest, among=among)
    among = view.among_living(among)
    tags, odds, votes = view.snapshot.related.candidates(query)
    if among is not None:
        tags, odds = tags[among[tags]], odds[among[tags]]
    odds = odds * view.popularity(specificity, len(query))[tags]
    others = max(len(odds) - limit, 0)
    best = _first(odds, limit) if len(query) == 1 else _best(odds, limit)
    scores = probability(odds[best])
    rest = max(float(probability(odds).sum()) - sum(scores.tolist()), 0.0) if with_rest and others else 0.0
    return Ranking(tags[best].tolist(), scores, others, rest, votes)


def rank_beside_rare(
    view: View,
    query: tuple[int, ...],
    specificity: float,
    limit: int,
    *,
    with_rest: bool = False,
    among: NDArray[np.bool_] | None = None,
) -> Ranking:
    """Related tags of a query with rare tags, rare ones among them.  tail.md (3)

    A corpus without documents knows nothing of its rare tags: there, the other tags of the query speak alone.
    """
    if view.has_documents:
        index = view.documents.index
        parts = chances_by_query_tag(view.snapshot.related, index, query)
    else:
        parts = np.zeros((len(query), len(view.counts)))
        known = tuple(tag for tag in query if not view.is_tail(tag))
        if known:
            return rank(view, known, specificity, limit, with_rest=with_rest, among=among)
    odds = odds_beside_rare(parts.sum(axis=0), query, view.head_count, partial(_popularity, view, specificity))
    among = view.among_living(among)
    if among is not None:
        odds[~among] = 0.0
    (tags,) = (odds > 0).nonzero()
    odds = odds[tags]
    best = _best(odds, limit)
    scores = probability(odds[best])
    others = max(len(tags) - limit, 0)
    rest = max(float(probability(odds).sum()) - float(scores.sum()), 0.0) if with_rest and others else 0.0
    return Ranking(tags[best].tolist(), scores, others, rest, evidence=parts[:, tags[best]])


def _popularity(view: View, specificity: float, size: int) -> NDArray[np.float64]:
    """As for head tags. Beside rare tags alone, the balanced specificity changes nothing."""
    factors = view.popularity(specificity, size)
    return factors if size > 1 else factors / view.popularity(BALANCED, size)


def popular(view: View, limit: int, among: NDArray[np.bool_] | None = None) -> Ranking:
    """The commonest tags, or those of some tags, for a cloud without a query."""
    among = view.among_living(among)
    candidates = view.by_count if among is None else [tag for tag in view.by_count if among[tag]]
    tags = candidates[:limit]
    scores = view.relative_counts[tags]
    rest = float(view.relative_counts[candidates].sum()) - sum(scores.tolist())
    return Ranking(tags, scores, len(candidates) - len(tags), max(rest, 0.0))


def shares(ranking: Ranking) -> NDArray[np.float64]:
    """For each ranked tag, a column: the share of its evidence that comes from each query tag; the shares sum to 1."""
    if ranking.evidence is not None:
        added: NDArray[np.float64] = ranking.evidence / np.maximum(ranking.evidence.sum(axis=0), 1e-12)
        return added
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
