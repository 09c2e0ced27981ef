"""The candidates for the next merge: found[c] = side, x, y and figures[c] = cost, KL^J.

A candidate stays one as long as merges leave its KL^J as it is: in data full of ties (an identity matrix) all pairs are
candidates at every merge.
"""

from __future__ import annotations

import numpy as np

from cocluster.engine.bounds import EXACT, FRESH, VALUE, start_of, weighted
from cocluster.engine.kernel import Floats, Ints, Longs, Singles, kernel
from cocluster.engine.weights import weight

TIE = 1e-11  # costs closer than this (relative) are equal, math.md (8)
BELOW_ROUNDING = 2.0**-60


@kernel
def term(q: Floats, l: Floats, x: int, y: int, f: int) -> float:
    """What feature f adds to KL^J of rows x and y."""
    added: float = 0.5 * (q[x, f] - q[y, f]) * (l[x, f] - l[y, f])
    return added


@kernel
def unchanged(
    found: Longs,
    figures: Floats,
    known: int,
    side: int,
    a: int,
    b: int,
    other_q: Floats,
    other_l: Floats,
    joint: bool,
) -> int:
    """Move the candidates to the front whose KL^J is the same after a merge; returns their number.

    Clusters a and b of `side` have merged. A candidate of this side is the same if it has neither. KL^J of the other
    side loses at most the terms of the features a and b; it is the same where these are below its rounding.
    """
    left = 0
    for c in range(known):
        x, y, d = found[c, 1], found[c, 2], figures[c, 1]
        if found[c, 0] == side:
            same = a not in (x, y) and b not in (x, y)
        else:
            same = not joint or (
                term(other_q, other_l, x, y, a) + term(other_q, other_l, x, y, b) <= BELOW_ROUNDING * d
            )
        if same and figures[c, 0] < np.inf:
            found[left, 0], found[left, 1], found[left, 2] = found[c, 0], x, y
            figures[left, 1] = d
            left += 1
    return left


@kernel
def weigh_again(
    bounds: Ints, size: Longs, total: float, k: int, found: Longs, figures: Floats, known: int, side: int, best: float
) -> float:
    """The cost of a side's candidates at k clusters; they are FRESH. Returns the least cost."""
    size_x = size_y = np.int64(0)
    w = 0.0
    for c in range(known):
        if found[c, 0] == side:
            x, y = found[c, 1], found[c, 2]
            if size[x] != size_x or size[y] != size_y:
                size_x, size_y = size[x], size[y]
                w = weight(size_x, size_y, total, k)
            figures[c, 0] = figures[c, 1] * w
            best = min(best, figures[c, 0])
            at = start_of(x) + y
            bounds[at] = (bounds[at] & VALUE) | np.int32(FRESH)
    return best


@kernel
def settle(bounds: Ints, low: Ints, size_class: Ints, weights: Singles, found: Longs, known: int, side: int) -> None:
    """FRESH pairs of a side are EXACT ones again, and count in their rows' minima."""
    for c in range(known):
        if found[c, 0] == side:
            x, y = found[c, 1], found[c, 2]
            at = start_of(x) + y
            bounds[at] = (bounds[at] & VALUE) | np.int32(EXACT)
            low[x] = min(low[x], weighted(bounds[at], weights[size_class[x], y]))


@kernel
def chosen(found: Longs, figures: Floats, known: int) -> int:
    """Of the candidates within TIE of the least cost: documents first, then the least KL^J, then the lowest ids.

    math.md (8); slots are ordered as ids are, and y < x.
    """
    least, side = np.inf, 1
    for c in range(known):
        least = min(least, figures[c, 0])
    for c in range(known):
        if figures[c, 0] <= least * (1.0 + TIE):
            side = min(side, found[c, 0])
    close = np.inf
    for c in range(known):
        if found[c, 0] == side and figures[c, 0] <= least * (1.0 + TIE):
            close = min(close, figures[c, 1])
    winner = -1
    for c in range(known):
        tied = found[c, 0] == side and figures[c, 0] <= least * (1.0 + TIE)
        if tied and figures[c, 1] <= close * (1.0 + TIE):
            w = winner
            if w < 0 or found[c, 2] < found[w, 2] or (found[c, 2] == found[w, 2] and found[c, 1] < found[w, 1]):
                winner = c
    return winner
