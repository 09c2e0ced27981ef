"""What a merge changes: the joined rows on its own side, two features on the other side."""

from __future__ import annotations

import numpy as np

from cocluster.engine.features.shares import mix
from cocluster.engine.kernel import Bools, Floats, Ints, Singles, kernel


@kernel
def feature_column(
    u: Floats,
    v: Floats,
    column: int,
    half: float,
    q: Floats,
    l: Floats,
    a: int,
    mass: Floats,
    log_mass: Floats,
    other_mass: Floats,
    other_log_mass: Floats,
    alive: Bools,
) -> None:
    """The other side's shares of feature a, from row a: q_xa = q_ax·m_a/m_x. u = half × share, v = log₂ share."""
    for x in range(alive.size):
        if alive[x]:
            u[x, column] = half * (q[a, x] * mass[a] / other_mass[x])
            v[x, column] = l[a, x] + log_mass[a] - other_log_mass[x]


@kernel
def join_shares(
    a: int,
    b: int,
    q: Floats,
    l: Floats,
    mass: Floats,
    log_mass: Floats,
    u: Floats,
    v: Floats,
    other_mass: Floats,
    other_log_mass: Floats,
    other_alive: Bools,
    joint: bool,
) -> float:
    """Row b joins row a; returns the information lost.

    For the other side u, v become the change of its features (bounds.change): a and b go, their union comes.
    """
    if joint:
        feature_column(u, v, 0, -0.5, q, l, a, mass, log_mass, other_mass, other_log_mass, other_alive)
        feature_column(u, v, 1, -0.5, q, l, b, mass, log_mass, other_mass, other_log_mass, other_alive)
    lost = mix(q, l, mass, a, b)
    log_mass[a] = np.log2(mass[a])
    if joint:
        feature_column(u, v, 2, 0.5, q, l, a, mass, log_mass, other_mass, other_log_mass, other_alive)
        for x in range(other_alive.size):
            u[x, 3], v[x, 3] = 0.0, 0.0
    return lost


@kernel
def join_groups(sums: Floats, q: Singles, l: Singles, a: int, b: int, share_a: float) -> None:
    """Row a over groups becomes the mixture of rows a and b; q, l: clusters × groups."""
    for g in range(sums.shape[1]):
        mixed = share_a * sums[a, g] + (1.0 - share_a) * sums[b, g]
        sums[a, g] = mixed
        q[a, g] = mixed
        l[a, g] = np.log2(mixed) if mixed > 0.0 else 0.0


@kernel
def move_feature(
    a: int,
    b: int,
    b_moves: bool,
    shares: Floats,
    of: Ints,
    members: Ints,
    sums: Floats,
    alive: Bools,
    u: Floats,
    v: Floats,
) -> tuple[int, int]:
    """Features a and b become one; if their groups differ, the lighter one moves to the other's group.

    shares: −½ the shares of a (column 0) and b (column 1). u, v become the change of the groups (bounds.change): source
    and target go and come again. Returns (target, source), or (−1, −1) where nothing moved.
    """
    if of[a] == of[b]:
        members[of[a]] -= 1
        return -1, -1
    target, source, moving = of[b], of[a], 0
    if b_moves:
        target, source, moving = of[a], of[b], 1
    members[source] -= 1
    of[a] = target
    for x in range(alive.size):
        if not alive[x]:
            continue
        share = -2.0 * shares[x, moving]
        u[x, 0], v[x, 0] = -0.5 * sums[x, target], np.log2(sums[x, target])
        u[x, 1], v[x, 1] = -0.5 * sums[x, source], np.log2(sums[x, source])
        sums[x, target] += share
        u[x, 2], v[x, 2] = 0.5 * sums[x, target], np.log2(sums[x, target])
        if members[source] > 0:
            sums[x, source] = max(sums[x, source] - share, 1e-20)
            u[x, 3], v[x, 3] = 0.5 * sums[x, source], np.log2(sums[x, source])
        else:
            sums[x, source], u[x, 3], v[x, 3] = 0.0, 0.0, 0.0
    return target, source


@kernel
def copy_groups(sums: Floats, q: Singles, l: Singles, target: int, source: int) -> None:
    """Shares over two groups in float32, with their logarithms; q, l: clusters × groups."""
    for g in (target, source):
        for x in range(sums.shape[0]):
            q[x, g] = sums[x, g]
            l[x, g] = np.log2(sums[x, g]) if sums[x, g] > 0.0 else 0.0
