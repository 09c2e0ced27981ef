"""Kullback–Leibler divergences."""

import numpy as np

from cocluster.equations.arrays import Floats


def symmetric_divergence(a: Floats, b: Floats) -> float:
    """KL^J = ½ KL(a‖b) + ½ KL(b‖a) of two rows of masses, each normalised to 1.  math.md (7)

    Written ½ Σ (a−b)(log₂ a − log₂ b): no term is negative, so nothing cancels.
    """
    a, b = a / np.sum(a), b / np.sum(b)
    return float(0.5 * np.sum((a - b) * (np.log2(a) - np.log2(b))))
