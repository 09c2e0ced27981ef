"""Groups of features that keep most of the divergence, and the coarse rows over them.

Any groups give valid bounds; good ones hold features of like profile. Profiles are compared by the Hellinger
distance in a random projection: squared distances of √q, close to KL^J for like profiles.
"""

from __future__ import annotations

import numpy as np

from cocluster.engine.kernel import Floats, Ints, Longs, Singles, bound_kernel, kernel

DIMENSIONS = 32  # of the projection


@kernel
def sketch(q: Floats, rows: Longs, bucket: Longs, sign: Singles) -> Singles:
    """√q of these rows, each feature added with a random sign to a random dimension; dimensions × rows."""
    out = np.zeros((DIMENSIONS, rows.size), np.float32)
    for i in range(rows.size):
        x = rows[i]
        for f in range(q.shape[1]):
            out[bucket[f], i] += sign[f] * np.float32(np.sqrt(q[x, f]))
    return out


@bound_kernel
def squared_distances(out: Singles, points: Singles, centre: Singles) -> None:
    """Squared distances of all points (dimensions × points) to one centre."""
    out[:] = np.float32(0.0)
    for d in range(points.shape[0]):
        c, row = centre[d], points[d]
        for i in range(row.size):
            out[i] += (row[i] - c) * (row[i] - c)


@kernel
def spread_seeds(points: Singles, mass: Singles, count: int) -> Ints:
    """Nearest of `count` seeds for each point; the next seed is the point of greatest mass × squared distance."""
    n = points.shape[1]
    nearest = np.zeros(n, np.int32)
    least = np.full(n, np.inf, np.float32)
    distance = np.empty(n, np.float32)
    seed = np.argmax(mass)
    for s in range(count):
        squared_distances(distance, points, points[:, seed].copy())
        for i in range(n):
            if distance[i] < least[i]:
                least[i], nearest[i] = distance[i], s
        seed = np.argmax(least * mass)
    return nearest


@kernel
def centres(points: Singles, mass: Singles, nearest: Ints, count: int) -> tuple[Singles, Singles]:
    """Mass-weighted centres of the groups (dimensions × groups), and their masses."""
    centre = np.zeros((points.shape[0], count), np.float32)
    held = np.zeros(count, np.float32)
    for i in range(mass.size):
        held[nearest[i]] += mass[i]
    for d in range(points.shape[0]):
        for i in range(mass.size):
            centre[d, nearest[i]] += points[d, i] * mass[i] / held[nearest[i]]
    return centre, held


@kernel
def nearest_centres(points: Singles, centre: Singles, held: Singles) -> Ints:
    """The nearest centre of each point; groups without mass are nobody's."""
    n = points.shape[1]
    nearest = np.zeros(n, np.int32)
    least = np.full(n, np.inf, np.float32)
    distance = np.empty(n, np.float32)
    for s in range(held.size):
        if held[s] > 0.0:
            squared_distances(distance, points, centre[:, s].copy())
            for i in range(n):
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


@kernel
def partition(points: Singles, mass: Singles, count: int) -> Ints:
    """Groups of like points: spread seeds, then one round of k-means."""
    seeds = spread_seeds(points, mass, count)
    centre, held = centres(points, mass, seeds, count)
    return nearest_centres(points, centre, held)


def group_features(
    q: Floats, rows: Longs, mass: Floats, fine: int, coarse: int
) -> tuple[Ints, Ints]:
    """(fine, coarse) group of each of these rows, the fine inside the coarse; alone where there are few rows."""
    alone = np.arange(len(rows), dtype=np.int32)
    if len(rows) <= coarse:
        return alone, alone
    random = np.random.default_rng(0)
    bucket = random.integers(DIMENSIONS, size=q.shape[1])
    sign = random.choice(np.array([-1, 1], np.float32), q.shape[1])
    points = sketch(q, rows, bucket, sign)
    weight = (mass / mass.sum()).astype(np.float32)
    if len(rows) <= fine:
        return alone, partition(points, weight, coarse)
    inner = partition(points, weight, fine)
    centre, held = centres(points, weight, inner, fine)
    return inner, partition(centre, held, coarse)[inner]
