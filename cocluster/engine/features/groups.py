"""Groups of features that keep most of the divergence, and the coarse rows over them.

Any groups give valid bounds; good ones hold features of like profile. Profiles are compared by the Hellinger
distance in a random projection: squared distances of √q, close to KL^J for like profiles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cocluster.engine.kernel import Floats, Ints, Longs, Singles, bound_kernel, kernel


class Precision(NamedTuple):
    """How well features are told apart."""

    dimensions: int  # of the projection; a multiple of 4
    rounds: int  # of k-means


ROUGH, THOROUGH = Precision(32, 2), Precision(128, 4)


@kernel
def sketch(q: Floats, rows: Longs, dimensions: int, dimension: Longs, sign: Singles) -> Singles:
    """√q of these rows, each feature added with a random sign to a random dimension; dimensions × rows."""
    out = np.zeros((dimensions, rows.size), np.float32)
    for i in range(rows.size):
        x = rows[i]
        for f in range(q.shape[1]):
            out[dimension[f], i] += sign[f] * np.float32(np.sqrt(q[x, f]))
    return out


@bound_kernel
def squared_distances(out: Singles, points: Singles, centres: Singles, s: int) -> None:
    """Squared distances of all points to centre s; both dimensions × number."""
    for i in range(out.size):
        out[i] = 0.0
    for d in range(0, points.shape[0], 4):
        c0, c1, c2, c3 = centres[d, s], centres[d + 1, s], centres[d + 2, s], centres[d + 3, s]
        p0, p1, p2, p3 = points[d], points[d + 1], points[d + 2], points[d + 3]
        for i in range(out.size):
            d0, d1, d2, d3 = p0[i] - c0, p1[i] - c1, p2[i] - c2, p3[i] - c3
            out[i] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3)


@kernel
def spread_seeds(points: Singles, mass: Floats, count: int) -> Ints:
    """Points far apart: each is the one of greatest mass × squared distance to those before it."""
    seeds = np.zeros(count, np.int32)
    least = np.full(mass.size, np.inf, np.float32)
    distance = np.empty(mass.size, np.float32)
    for s in range(1, count):
        squared_distances(distance, points, points, seeds[s - 1])
        worst = -1.0
        for i in range(mass.size):
            least[i] = min(least[i], distance[i])
            if least[i] * mass[i] > worst:
                worst, seeds[s] = least[i] * mass[i], i
    return seeds


@kernel
def nearest_centres(points: Singles, centres: Singles) -> Ints:
    """The nearest centre of each point; both dimensions × number."""
    count = points.shape[1]
    nearest = np.zeros(count, np.int32)
    least = np.full(count, np.inf, np.float32)
    distance = np.empty(count, np.float32)
    for s in range(centres.shape[1]):
        squared_distances(distance, points, centres, s)
        for i in range(count):
            if distance[i] < least[i]:
                least[i], nearest[i] = distance[i], s
    return nearest


@kernel
def add_up(q: Floats, group: Ints, groups: int) -> Floats:
    """Shares over groups of features: Q_g = Σ_{f in g} q_f."""
    out = np.zeros((q.shape[0], groups))
    for x in range(q.shape[0]):
        for f in range(q.shape[1]):
            out[x, group[f]] += q[x, f]
    return out


def partition(points: Singles, mass: Floats, count: int, rounds: int) -> tuple[Ints, Singles, Floats]:
    """At most `count` groups of like points by a few rounds of k-means: (group of each point, centres, masses)."""
    centres = np.ascontiguousarray(points[:, spread_seeds(points, mass, count)])
    for _ in range(rounds):
        used, of = np.unique(nearest_centres(points, centres), return_inverse=True)
        held: Floats = np.bincount(of, mass, len(used)).astype(np.float64)
        centres = np.stack([np.bincount(of, mass * row, len(used)) / held for row in points]).astype(np.float32)
    return of.astype(np.int32), centres, held


def group_features(
    q: Floats, rows: Longs, mass: Floats, fine: int, coarse: int, precision: Precision
) -> tuple[Ints, Ints]:
    """(fine, coarse) group of each of these rows, the fine inside the coarse; alone where there are few rows."""
    alone = np.arange(len(rows), dtype=np.int32)
    if len(rows) <= coarse:
        return alone, alone
    dimensions, rounds = precision
    random = np.random.default_rng(0)
    dimension = random.integers(dimensions, size=(q.shape[1],))
    sign = random.choice(np.array([-1, 1], np.float32), q.shape[1])
    points = sketch(q, rows, dimensions, dimension, sign)
    if len(rows) <= fine:
        return alone, partition(points, mass, coarse, rounds)[0]
    inner, centres, held = partition(points, mass, fine, rounds)
    if len(held) <= coarse:
        return inner, inner
    return inner, partition(centres, held, coarse, rounds)[0][inner]
