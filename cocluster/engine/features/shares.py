"""The exact rows: shares q = N/mass of one cluster over the features, and l = log₂ q, in float64.

A merge on the other side joins two features. It is written in a log there and reaches a row here only when the row
is next needed (`catch_up`). A feature that has joined another has q = l = 0 and so adds nothing to any sum.
"""

from __future__ import annotations

import numpy as np

from cocluster.engine.kernel import Bools, Floats, Ints, kernel

NOTHING = 1e-24  # a KL^J this small is the rounding of equal rows and counts as 0


@kernel
def divergence(q: Floats, l: Floats, a: int, b: int) -> float:
    """KL^J = ½ Σ (q_a − q_b)(l_a − l_b).  math.md (7)

    Eight sums in a fixed order, so that the same rows give the same bits on any machine.
    """
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    features = q.shape[1]
    whole = features - features % 8
    for f in range(0, whole, 8):
        s0 += (q[a, f] - q[b, f]) * (l[a, f] - l[b, f])
        s1 += (q[a, f + 1] - q[b, f + 1]) * (l[a, f + 1] - l[b, f + 1])
        s2 += (q[a, f + 2] - q[b, f + 2]) * (l[a, f + 2] - l[b, f + 2])
        s3 += (q[a, f + 3] - q[b, f + 3]) * (l[a, f + 3] - l[b, f + 3])
        s4 += (q[a, f + 4] - q[b, f + 4]) * (l[a, f + 4] - l[b, f + 4])
        s5 += (q[a, f + 5] - q[b, f + 5]) * (l[a, f + 5] - l[b, f + 5])
        s6 += (q[a, f + 6] - q[b, f + 6]) * (l[a, f + 6] - l[b, f + 6])
        s7 += (q[a, f + 7] - q[b, f + 7]) * (l[a, f + 7] - l[b, f + 7])
    for f in range(whole, features):
        s0 += (q[a, f] - q[b, f]) * (l[a, f] - l[b, f])
    total = 0.5 * (((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7)))
    return total if total > NOTHING else 0.0


@kernel
def catch_up(q: Floats, l: Floats, seen: Ints, x: int, kept: Ints, joined: Ints, merges: int) -> None:
    """Bring row x up to date with the feature merges made since it was last needed: q_i ← q_i + q_j."""
    for t in range(seen[x], merges):
        i, j = kept[t], joined[t]
        q[x, i] += q[x, j]
        l[x, i] = np.log2(q[x, i])
        q[x, j] = 0.0
        l[x, j] = 0.0
    seen[x] = merges


@kernel
def mix(q: Floats, l: Floats, mass: Floats, a: int, b: int) -> float:
    """Row a becomes the mixture of rows a and b; returns the information lost in bits.  math.md (9)

    The loss is Σ m_a q_a log₂(q_a/q) + m_b q_b log₂(q_b/q), q the mixture: never negative but by rounding.
    """
    both = mass[a] + mass[b]
    share_a, share_b = mass[a] / both, mass[b] / both
    lost = 0.0
    for f in range(q.shape[1]):
        mixed = share_a * q[a, f] + share_b * q[b, f]
        if mixed > 0.0:
            log = np.log2(mixed)
            lost += share_a * q[a, f] * (l[a, f] - log) + share_b * q[b, f] * (l[b, f] - log)
            q[a, f] = mixed
            l[a, f] = log
    mass[a] = both
    return max(float(lost * both), 0.0)


@kernel
def catch_up_all(q: Floats, l: Floats, seen: Ints, alive: Bools, kept: Ints, joined: Ints, merges: int) -> None:
    """Bring all rows of clusters up to date."""
    for x in range(alive.size):
        if alive[x]:
            catch_up(q, l, seen, x, kept, joined, merges)


@kernel
def transposed(N: Floats) -> Floats:
    """Nᵀ, tile by tile."""
    rows, columns = N.shape
    out = np.empty((columns, rows))
    for i in range(0, rows, 32):
        for j in range(0, columns, 32):
            for x in range(i, min(i + 32, rows)):
                for y in range(j, min(j + 32, columns)):
                    out[y, x] = N[x, y]
    return out


@kernel
def normalised(N: Floats) -> tuple[Floats, Floats, Floats]:
    """(q, log₂ q, mass) of the rows of N."""
    q, l, mass = np.empty(N.shape), np.empty(N.shape), np.empty(N.shape[0])
    for x in range(N.shape[0]):
        total = 0.0
        for f in range(N.shape[1]):
            total += N[x, f]
        mass[x] = total
        for f in range(N.shape[1]):
            q[x, f] = N[x, f] / total
            l[x, f] = np.log2(q[x, f])
    return q, l, mass
