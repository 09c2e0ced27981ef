"""Kullback–Leibler divergences."""

import numpy as np

from cocluster.equations.arrays import Floats


def kl_divergence(p: Floats, q: Floats) -> float:
    """KL(p‖q) = Σ p log₂(p/q), in bits, with 0·log 0 = 0; infinite if p > 0 where q = 0.  math.md (7)"""
    positive = p > 0
    if np.any(q[positive] == 0):
        return float("inf")
    return float(np.sum(p[positive] * np.log2(p[positive] / q[positive])))


def symmetric_divergence(a: Floats, b: Floats) -> float:
    """KL^J = ½ KL(a‖b) + ½ KL(b‖a) of two rows of masses, each normalised to 1.  math.md (7)

    Written ½ Σ (a−b)(log₂ a − log₂ b): no term is negative, so nothing cancels.
    """
    a, b = a / np.sum(a), b / np.sum(b)
    return float(0.5 * np.sum((a - b) * (np.log2(a) - np.log2(b))))
