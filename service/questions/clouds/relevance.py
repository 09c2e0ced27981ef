"""How much the groups of a cloud belong to its query rather than to every query: the order in which they are shown."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]

COUNT_EXPONENT: Final = 0.35
"""A score counts over this power of the count: what everybody uses scores high everywhere."""

MOSTLY: Final = 0.5
"""A group is mostly broad if more of its tags than this are."""

BEHIND: Final = 0.999
"""What the best of the mostly broad groups has of the relevance of the first group, if it had more."""


def tag_relevance(scores: Floats, counts: Floats, cosines: Floats) -> Floats:
    """How much each tag belongs to the query: score / count^0.35 × √ of its cosine with the nearest tag of the query.

    `cosines` are those of the tags of the query, one a row, with each tag. `python -m bench.meaning order` measures
    what the order is worth.
    """
    relevance = scores / counts**COUNT_EXPONENT
    return np.asarray(relevance * np.sqrt(np.maximum(cosines.max(axis=0), 0.0)) if len(cosines) else relevance)


def group_relevance(relevance: Floats, labels: Labels) -> Floats:
    """That of the most relevant tag of each group, as a share of the largest."""
    best = np.zeros(int(labels.max()) + 1)
    np.maximum.at(best, labels, relevance)
    return np.asarray(best / (best.max() or 1.0))


def mostly_broad(labels: Labels, broad: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether most tags of each group are broad."""
    return np.asarray(np.bincount(labels, broad) > MOSTLY * np.bincount(labels))


def alone_specific(labels: Labels, broad: NDArray[np.bool_], group: int) -> bool:
    """Whether all groups but this one are mostly broad: then it is the answer, however loose it is."""
    mostly = mostly_broad(labels, broad)
    return bool(not mostly[group] and mostly.sum() == len(mostly) - 1)


def broad_behind(relevance: Floats, labels: Labels, broad: NDArray[np.bool_]) -> Floats:
    """The relevance of groups where none that is mostly broad comes first, unless all are."""
    narrow = ~mostly_broad(labels, broad)
    if not narrow.any():
        return relevance
    first = relevance[narrow].max()
    ahead = ~narrow & (relevance >= first)
    if not ahead.any():
        return relevance
    behind = relevance.copy()
    behind[ahead] *= BEHIND * first / relevance[ahead].max()
    return np.asarray(behind / (first or 1.0))
