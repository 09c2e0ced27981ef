"""Merge weights W(i,j;k), exact for a pair and as float32 lower bounds for a row of pairs.  math.md (6)

W·log₂ k = r·X(i+j) − X(i) − X(j) with X = p log₂ p and r = log₂ k / log₂(k−1). The factor 1/log₂ k is common to
a side. X ≤ 0 and r grows as k falls, so the weight at a later k is a lower bound until that k is reached.
Clusters of one size share a class, and a class has one row of weights against all clusters.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from cocluster.engine.kernel import Bools, Ints, Longs, Singles, kernel

Cost: TypeAlias = Literal["composite", "divergence"]
"""What a merge costs: KL^J × W (8), or KL^J alone."""

UNWEIGHTED = 0.0  # stands for the total size where the cost is KL^J alone
DEAD = np.float32(1e38)  # weight of a cluster that no longer exists: no bound times this is ever the least
DOWN = 1.0 - 2.0**-22  # pays for the rounding of float32(weight) and of its product with a bound


def total_of(cost: Cost, size: Longs) -> float:
    """By what the kernels know the cost and the items of a side: how many there are, or a mark instead."""
    return UNWEIGHTED if cost == "divergence" else float(size.sum())


@kernel
def log_ratio(k: float) -> float:
    """r(k) = log₂ k / log₂(k−1); 1 at k = 2."""
    return np.log2(k) / np.log2(k - 1.0) if k > 2.0 else 1.0


@kernel
def scale(total: float, k: int) -> float:
    """What turns a weighted bound into a cost: 1/log₂ k, the factor common to a side."""
    return 1.0 if total == UNWEIGHTED else 1.0 / np.log2(float(k))


@kernel
def weight(size_a: int, size_b: int, total: float, k: int) -> float:
    """W(i,j;k), 0 when negative; at k = 2 log₂ k stands in both places; 1 when unweighted.  math.md (6)"""
    if total == UNWEIGHTED:
        return 1.0
    p, q, s = size_a / total, size_b / total, (size_a + size_b) / total
    below = np.log2(k - 1.0) if k > 2 else 1.0
    w: float = s * np.log2(s) / below - (p * np.log2(p) + q * np.log2(q)) / np.log2(float(k))
    return max(w, 0.0)


@kernel
def scaled_weight(size_a: int, size_b: int, total: float, r: float) -> np.float32:
    """W·log₂ k = r·X(i+j) − X(i) − X(j), 0 when negative, rounded down to float32; 1 when unweighted."""
    if total == UNWEIGHTED:
        return np.float32(DOWN)
    p, q, s = size_a / total, size_b / total, (size_a + size_b) / total
    gone, come = -p * np.log2(p) - q * np.log2(q), r * s * np.log2(s)
    return np.float32(max(gone + come - 1e-15 * (gone - come), 0.0) * DOWN)


@kernel
def class_weights(
    weights: Singles,
    c: int,
    class_size: Longs,
    members: Ints,
    size_class: Ints,
    alive: Bools,
    total: float,
    r: float,
) -> None:
    """weights[c, y] = lower bound of W·log₂ k between a cluster of class c and cluster y."""
    between = np.empty(class_size.size, np.float32)
    for d in range(class_size.size):
        if members[d] > 0:
            between[d] = scaled_weight(class_size[c], class_size[d], total, r)
    for y in range(alive.size):
        weights[c, y] = between[size_class[y]] if alive[y] else DEAD


@kernel
def all_class_weights(
    weights: Singles, class_size: Longs, members: Ints, size_class: Ints, alive: Bools, total: float, r: float
) -> None:
    """The weights of all classes that have members."""
    for c in range(class_size.size):
        if members[c] > 0:
            class_weights(weights, c, class_size, members, size_class, alive, total, r)


@kernel
def class_of(size: int, class_size: Longs, members: Ints) -> int:
    """The class of this size; one without members when there is none (there always is: distinct sizes are few)."""
    free = -1
    for c in range(class_size.size):
        if members[c] == 0:
            free = c
        elif class_size[c] == size:
            return c
    return free


@kernel
def reweigh(
    weights: Singles,
    a: int,
    b: int,
    size: Longs,
    size_class: Ints,
    class_size: Longs,
    members: Ints,
    alive: Bools,
    total: float,
    r: float,
) -> None:
    """Cluster b has joined a, whose size is already the new one: a changes class, b leaves all rows of weights."""
    members[size_class[a]] -= 1
    members[size_class[b]] -= 1
    c = class_of(size[a], class_size, members)
    size_class[a] = c
    class_size[c] = size[a]
    members[c] += 1
    if members[c] == 1:
        class_weights(weights, c, class_size, members, size_class, alive, total, r)
    for d in range(class_size.size):
        if members[d] > 0:
            weights[d, a] = scaled_weight(class_size[d], class_size[c], total, r)
            weights[d, b] = DEAD
