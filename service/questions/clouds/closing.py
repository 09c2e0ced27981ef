"""What no group of a cloud should have to hold: tags common with everything, and groups too small to matter."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

COMMON: Final = 0.9
"""Tags of at least this breadth are found with everything."""

COMMON_ONE_IN: Final = 7
"""At most one tag in so many is set apart as common."""

KEPT: Final = 0.985
"""The groups that are kept have at least this share of the weight, and of the relevance."""


def common_places(breadth: Floats, relevance: Floats) -> Places:
    """The broadest tags that this query brings no more than others do: those of the last quarter by relevance.

    At most one tag in seven; none if there would be only one.
    """
    most = len(breadth) // COMMON_ONE_IN
    found: Places = np.flatnonzero(breadth >= COMMON)
    if most < 2 or len(found) < 2:
        return found[:0]
    found = found[relevance[found] <= np.partition(relevance, len(relevance) // 4)[len(relevance) // 4]]
    if len(found) < 2:
        return found[:0]
    return np.sort(found[np.argsort(-breadth[found], kind="stable")[:most]])


def negligible(weights: Floats, relevance: Floats) -> list[int]:
    """The groups beyond the fewest that hold what matters, by weight and by relevance."""
    shares = weights / (weights.sum() or 1.0), relevance / (relevance.sum() or 1.0)
    matter = np.maximum(*shares)
    order = np.argsort(-matter, kind="stable")
    enough = np.minimum(*(np.cumsum(share[order]) for share in shares)) >= KEPT
    kept = int(enough.argmax()) + 1 if enough.any() else len(order)
    rest: list[int] = order[kept:].tolist()
    return rest
