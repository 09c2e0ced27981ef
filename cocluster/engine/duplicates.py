"""Rows that are equal up to a factor: KL^J = 0, so they merge first, without looking at all pairs."""

from __future__ import annotations

import numpy as np

from cocluster.engine.features.shares import NOTHING
from cocluster.engine.kernel import Floats, Longs

WINDOW = 4e-12  # KL^J ≤ NOTHING keeps Σ w (q_a − q_b) within √(2 ln 2 · NOTHING)·max|w|; the rest is rounding


def same_bytes(N: Floats) -> Longs:
    """For each row the first row with the same bytes. Only rows with equal checksums are compared."""
    checksums = N.view(np.uint64).sum(axis=1)
    _, of, times = np.unique(checksums, return_inverse=True, return_counts=True)
    leader = np.arange(len(N))
    first: dict[bytes, int] = {}
    for x in np.flatnonzero(times[of] > 1).tolist():
        leader[x] = first.setdefault(N[x].tobytes(), x)
    return leader


def proportional(a: Floats, b: Floats) -> bool:
    """Whether KL^J of two rows is 0 within rounding."""
    p, q = a / a.sum(), b / b.sum()
    return bool(0.5 * np.sum((p - q) * np.log2(p / q)) <= NOTHING)


def same_profile(N: Floats, rows: Longs) -> Longs:
    """For each of these rows the lowest that is proportional to it, among its neighbours along a random direction."""
    along = (N @ np.random.default_rng(0).random(N.shape[1]) / N.sum(axis=1))[rows]
    heads = np.arange(len(rows))
    near: list[int] = []  # rows of different profiles within WINDOW
    for i in np.argsort(along, kind="stable"):
        near = [h for h in near if along[i] - along[h] <= WINDOW]
        heads[i] = next((h for h in near if proportional(N[rows[h]], N[rows[i]])), i)
        if heads[i] == i:
            near.append(int(i))
    lowest = np.full(len(rows), len(N))
    np.minimum.at(lowest, heads, rows)
    return lowest[heads]


def equal_rows(N: Floats) -> Longs:
    """For each row the lowest row that is proportional to it within rounding."""
    leader = same_bytes(N)
    rows = np.unique(leader)
    lowest = same_profile(N, rows)
    return lowest[np.searchsorted(rows, leader)]
