"""Groups of features that keep most of the divergence, and the coarse rows over them.

Any groups give valid bounds; good ones hold features of like profile. Profiles are compared by the Hellinger
distance in a random projection: squared distances of √q, close to KL^J for like profiles.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

DIMENSIONS = 32  # of the projection


def sketch(q: NDArray[np.float64], seed: int = 0) -> NDArray[np.float32]:
    """√q of each row in a random projection that keeps distances roughly."""
    signs = np.random.default_rng(seed).standard_normal((q.shape[1], DIMENSIONS)).astype(np.float32)
    out = np.empty((len(q), DIMENSIONS), np.float32)
    for start in range(0, len(q), 512):
        out[start : start + 512] = np.sqrt(q[start : start + 512]).astype(np.float32) @ signs
    return out


@njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})
def spread_seeds(points, mass, count):
    """Nearest of `count` seeds for each point; each seed is the point with the greatest mass × squared distance so far."""
    n, dimensions = points.shape
    nearest = np.zeros(n, np.int32)
    distance = np.full(n, np.inf, np.float32)
    seed = np.argmax(mass)
    for s in range(count):
        worst = np.float32(-1.0)
        chosen = seed
        for i in range(n):
            total = np.float32(0.0)
            for d in range(dimensions):
                gap = points[i, d] - points[chosen, d]
                total += gap * gap
            if total < distance[i]:
                distance[i] = total
                nearest[i] = s
            if distance[i] * mass[i] > worst:
                worst = distance[i] * mass[i]
                seed = i
    return nearest


@njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})
def recentre(points, mass, nearest, count):
    """One round of k-means from these groups: mass-weighted centres, then each point to its nearest centre."""
    n, dimensions = points.shape
    centre = np.zeros((count, dimensions), np.float32)
    held = np.zeros(count, np.float32)
    for i in range(n):
        held[nearest[i]] += mass[i]
        for d in range(dimensions):
            centre[nearest[i], d] += mass[i] * points[i, d]
    for s in range(count):
        if held[s] > 0:
            for d in range(dimensions):
                centre[s, d] /= held[s]
    out = np.empty(n, np.int32)
    for i in range(n):
        best = np.float32(np.inf)
        for s in range(count):
            total = np.float32(0.0)
            for d in range(dimensions):
                gap = points[i, d] - centre[s, d]
                total += gap * gap
            if total < best and held[s] > 0:
                best = total
                out[i] = s
    return out, centre, held


@njit(cache=True, error_model="numpy")
def add_up(q, group, groups):
    """Shares over groups of features: Q_g = Σ_{f in g} q_f."""
    out = np.zeros((q.shape[0], groups))
    for x in range(q.shape[0]):
        for f in range(q.shape[1]):
            out[x, group[f]] += q[x, f]
    return out


def group_features(
    profiles: NDArray[np.float64], mass: NDArray[np.float64], fine: int, coarse: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """(fine, coarse) group of each feature, the fine inside the coarse; one group each where there are few features."""
    features = len(profiles)
    if features <= coarse:
        alone = np.arange(features, dtype=np.int32)
        return alone, alone
    points = sketch(profiles)
    weight = (mass / mass.sum()).astype(np.float32)
    if features <= fine:
        inner = np.arange(features, dtype=np.int32)
        centre, held = points, weight
    else:
        inner = spread_seeds(points, weight, fine)
        inner, _, _ = recentre(points, weight, inner, fine)
        _, centre, held = recentre(points, weight, inner, fine)
    outer = spread_seeds(centre, held, coarse)
    outer, _, _ = recentre(centre, held, outer, coarse)
    return inner, outer[inner].astype(np.int32)
