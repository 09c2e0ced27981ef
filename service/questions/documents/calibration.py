"""Chooses documents for a list so that its concepts are in the proportion of a history.  documents.md (3)"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

MIXED: Final = 0.01
"""So much of the wanted distribution is mixed into that of a list, so that a missing concept costs a finite number."""

Floats = NDArray[np.float64]


def interest_divergence(wanted: Floats, shares: Floats) -> Floats:
    """KL(p‖q̃) = Σ p log(p/q̃) of each row of shares q, with q̃ = (1 − m) q + m p.  documents.md (4)"""
    there = wanted > 0
    p = wanted[there]
    mixed = (1.0 - MIXED) * shares[..., there] + MIXED * p
    found: Floats = (p * np.log(p / mixed)).sum(axis=-1)
    return found


def calibrated(relevance: Floats, shares: Floats, wanted: Floats, *, diversity: float, limit: int) -> list[int]:
    """The rows of the first documents of a list, one after the other.  documents.md (3)

    Each is the one that most increases (1 − λ) Σ r − λ n KL(p‖q̃), where q is the mean of the shares of the n chosen
    ones and λ the square of `diversity`. 0 orders by relevance alone.
    """
    if diversity == 0.0 or not wanted.any():
        order: list[int] = np.lexsort((np.arange(len(relevance)), -relevance))[:limit].tolist()
        return order
    weight = diversity**2
    gain = max(1.0 - weight, 1e-3) * relevance
    chosen: list[int] = []
    total = np.zeros(shares.shape[1])
    for size in range(1, min(limit, len(relevance)) + 1):
        value = gain - weight * size * interest_divergence(wanted, (total + shares) / size)
        value[chosen] = -np.inf
        best = int(value.argmax())
        chosen.append(best)
        total = total + shares[best]
    return chosen
