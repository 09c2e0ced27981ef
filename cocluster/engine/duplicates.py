"""Rows that are equal up to a factor: KL^J = 0, so they merge first, without looking at all pairs."""

from __future__ import annotations

import numpy as np

from cocluster.engine.kernel import Floats, Longs, kernel
from cocluster.engine.shares import NOTHING

WINDOW = 4e-12  # KL^J ≤ NOTHING keeps Σ w (q_a − q_b) within √(2 ln 2 · NOTHING)·max|w|; the rest is rounding


@kernel
def projections(N: Floats, direction: Floats) -> Floats:
    """Σ_f w_f N_xf / Σ_f N_xf of each row; equal rows give equal bits."""
    out = np.empty(N.shape[0])
    for x in range(N.shape[0]):
        total = along = 0.0
        for f in range(N.shape[1]):
            total += N[x, f]
            along += N[x, f] * direction[f]
        out[x] = along / total
    return out


@kernel
def same(N: Floats, a: int, b: int) -> bool:
    """Whether KL^J of two rows is 0 within rounding: bitwise equal, or proportional."""
    features = N.shape[1]
    equal = True
    for f in range(features):
        if N[a, f] != N[b, f]:
            equal = False
            break
    if equal:
        return True
    mass_a = mass_b = 0.0
    for f in range(features):
        mass_a += N[a, f]
        mass_b += N[b, f]
    total = 0.0
    for f in range(features):
        p, q = N[a, f] / mass_a, N[b, f] / mass_b
        total += 0.5 * (p - q) * np.log2(p / q)
        if total > NOTHING:
            return False
    return True


@kernel
def leaders(N: Floats, along: Floats, order: Longs) -> Longs:
    """For each row the lowest row that is the same; `order` sorts `along`."""
    n = N.shape[0]
    leader = np.arange(n)
    heads = np.empty(n, np.int64)  # one row of each kind seen so far, by place along the direction
    first = count = 0
    for row in order:
        while first < count and along[row] - along[heads[first]] > WINDOW:
            first += 1
        found = -1
        for h in range(first, count):
            if same(N, heads[h], row):
                found = heads[h]
                break
        if found < 0:
            heads[count] = row
            count += 1
        else:
            leader[row] = found
    lowest = np.arange(n)
    for row in range(n):
        lowest[leader[row]] = min(lowest[leader[row]], row)
    for row in range(n):
        leader[row] = lowest[leader[row]]
    return leader


def equal_rows(N: Floats) -> Longs:
    """For each row the lowest row that is proportional to it within rounding."""
    along = projections(N, np.random.default_rng(0).random(N.shape[1]))
    return leaders(N, along, np.argsort(along, kind="stable"))
