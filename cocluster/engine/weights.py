"""Merge weights W(i,j;k), exact for a pair and as float32 lower bounds for a row of pairs.  math.md (6)

W·log₂ k = r·X(i+j) − X(i) − X(j) with X = p log₂ p and r = log₂ k / log₂(k−1). The factor 1/log₂ k is common to
a side. X ≤ 0 and r grows as k falls, so the weight at a later k is a lower bound until that k is reached.
"""

from __future__ import annotations

import numpy as np
from numba import njit

UNWEIGHTED = 0.0  # stands for the total size where the cost is KL^J alone
DEAD = np.float32(1e38)  # weight of a cluster that no longer exists: no bound times this is ever the least
DOWN = 1.0 - 2.0**-22  # pays for the rounding of float32(weight) and of its product with a bound


@njit(cache=True, error_model="numpy")
def log_ratio(k):
    """r(k) = log₂ k / log₂(k−1); 1 at k = 2."""
    return np.log2(k) / np.log2(k - 1.0) if k > 2.0 else 1.0


@njit(cache=True, error_model="numpy")
def scale(total, k):
    """What turns a weighted bound into a cost: 1/log₂ k, the factor common to a side."""
    return 1.0 if total == UNWEIGHTED else 1.0 / np.log2(k)


@njit(cache=True, error_model="numpy")
def weight(size_a, size_b, total, k):
    """W(i,j;k), 0 when negative; at k = 2 log₂ k stands in both places; 1 when unweighted.  math.md (6)"""
    if total == UNWEIGHTED:
        return 1.0
    p, q, s = size_a / total, size_b / total, (size_a + size_b) / total
    below = np.log2(k - 1.0) if k > 2.0 else 1.0
    return max(s * np.log2(s) / below - (p * np.log2(p) + q * np.log2(q)) / np.log2(k), 0.0)


@njit(cache=True, error_model="numpy")
def scaled_weight(size_a, size_b, total, r):
    """W·log₂ k = r·X(i+j) − X(i) − X(j), 0 when negative, rounded down to float32; 1 when unweighted."""
    if total == UNWEIGHTED:
        return np.float32(DOWN)
    p, q, s = size_a / total, size_b / total, (size_a + size_b) / total
    gone, come = -p * np.log2(p) - q * np.log2(q), r * s * np.log2(s)
    return np.float32(max(gone + come - 1e-15 * (gone - come), 0.0) * DOWN)


@njit(cache=True, error_model="numpy")
def class_of(size, class_size, members):
    """The class of this size; a new or an abandoned one when there is none. −1 when all are taken."""
    free = -1
    for c in range(class_size.size):
        if members[c] > 0 and class_size[c] == size:
            return c
        if members[c] == 0 and free < 0:
            free = c
    return free


@njit(cache=True, error_model="numpy")
def class_weights(weights, c, class_size, members, size_class, alive, total, r):
    """weights[c, y] = lower bound of W·log₂ k between a cluster of class c and cluster y."""
    between = np.empty(class_size.size, np.float32)
    for d in range(class_size.size):
        if members[d] > 0:
            between[d] = scaled_weight(class_size[c], class_size[d], total, r)
    for y in range(alive.size):
        weights[c, y] = between[size_class[y]] if alive[y] else DEAD


@njit(cache=True, error_model="numpy")
def reweigh(weights, a, b, size, size_class, class_size, members, alive, total, r):
    """Cluster b has joined a: a changes class, b leaves all weight rows. Says whether a class was free for a."""
    members[size_class[a]] -= 1
    members[size_class[b]] -= 1
    c = class_of(size[a], class_size, members)
    if c < 0:
        return False
    fresh = members[c] == 0
    members[c] += 1
    size_class[a] = c
    class_size[c] = size[a]
    if fresh:
        class_weights(weights, c, class_size, members, size_class, alive, total, r)
    for d in range(class_size.size):
        if members[d] > 0:
            weights[d, a] = weights[c, a] if d == c else scaled_weight(class_size[d], class_size[c], total, r)
            weights[d, b] = DEAD
    return True
