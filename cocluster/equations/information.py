"""Mutual information between the clusters of both sides, and what merges lose of it."""

from typing import Final

import numpy as np

from cocluster.equations.arrays import Floats

WHOLE: Final = 12_000_000
"""Masses of which copies are made at once; of more, a stripe of rows at a time, which rounds differently."""

STRIPE: Final = 32
"""Rows of a stripe."""


def information(N: Floats) -> float:
    """I = Σ p_xy log₂(p_xy / (p_x p_y)) of the masses N, in bits.  math.md (9)"""
    if N.size > WHOLE:
        return _information_of_many(N)
    P = N / np.sum(N)
    expected = np.outer(P.sum(axis=1), P.sum(axis=0))
    positive = P > 0
    return max(0.0, float(np.sum(P[positive] * np.log2(P[positive] / expected[positive]))))


def _information_of_many(N: Floats) -> float:
    """I = Σ p_xy log₂ p_xy − Σ p_x log₂ p_x − Σ p_y log₂ p_y, without a copy of the masses."""
    total = float(np.sum(N))
    joint = sum(_sum_of_logs(N[start : start + STRIPE] / total) for start in range(0, len(N), STRIPE))
    return max(0.0, joint - _sum_of_logs(N.sum(axis=1) / total) - _sum_of_logs(N.sum(axis=0) / total))


def _sum_of_logs(p: Floats) -> float:
    """Σ p log₂ p, with 0·log 0 = 0."""
    positive = p[p > 0]
    return float(np.sum(positive * np.log2(positive)))


def information_loss(a: Floats, b: Floats, total: float) -> float:
    """What I loses when the rows of masses a and b become one: their Jensen–Shannon divergence.  math.md (9)

    Weighted by their share of the `total` mass; never negative.
    """
    A, B = np.sum(a), np.sum(b)
    mean = (a + b) / (A + B)
    return float((_mass_kl(a, A, mean) + _mass_kl(b, B, mean)) / total)


def information_left(losses: Floats) -> Floats:
    """I before the first of all merges and after each; the last leaves one cluster a side, thus 0.

    Summed from the end, so the last values are exact and none exceeds the one before it.  math.md (9)
    """
    return np.concatenate([np.cumsum(losses[::-1])[::-1], [0.0]])


def _mass_kl(a: Floats, mass: float, mean: Floats) -> float:
    positive = a > 0
    return float(np.sum(a[positive] * np.log2(a[positive] / (mass * mean[positive]))))
