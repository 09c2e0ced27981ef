from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.view import View


@dataclass(frozen=True, eq=False)
class Ranking:
    """Tags by falling score, and what each query tag contributed to it (tags × query tags)."""

    tags: NDArray[np.int64]
    scores: NDArray[np.float64]
    shares: NDArray[np.float64]


def rank(view: View, query: tuple[int, ...], specificity: float) -> Ranking:
    """Related tags of all query tags together: mean T^Y × (count / largest count)^(1−specificity).

    Scores lie between 0 and 1. The query's own tags are left out.
    """
    rows = [view.snapshot.related.of(tag) for tag in query]
    tags = np.unique(np.concatenate([indices for indices, _ in rows]).astype(np.int64))
    tags = tags[~np.isin(tags, query)]
    moves = np.zeros((len(tags), len(query)))
    for column, (indices, values) in enumerate(rows):
        known = np.isin(indices, tags)
        moves[np.searchsorted(tags, indices[known]), column] = values[known]
    popularity = (view.snapshot.counts[tags] / view.max_count) ** (1.0 - specificity)
    scores = moves.mean(axis=1) * popularity
    order = np.lexsort((tags, -scores))
    shares = moves / moves.sum(axis=1, keepdims=True)
    return Ranking(tags[order], scores[order], shares[order])


def popular(view: View, limit: int) -> Ranking:
    """The commonest tags, for a cloud without a query."""
    tags = view.by_count[:limit].astype(np.int64)
    return Ranking(tags, view.snapshot.counts[tags] / view.max_count, np.zeros((len(tags), 0)))
