"""Names of groups of tags: up to three of their own, the commonest that fit best."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.fuzz import ratio

LABEL_TAGS: Final = 3
ALIKE: Final = 80.0
"""Of 100: how many letters near-duplicates share."""


def ranked(scores: NDArray[np.float64], fit: NDArray[np.float64]) -> list[int]:
    """The places of tags, those first that represent their group best: score × mean cosine with the others."""
    places: list[int] = np.argsort(-(np.maximum(fit, 0.0) * scores), kind="stable").tolist()
    return places


def name(ranked: Sequence[int], keys: Sequence[str]) -> list[int]:
    """The first three, without near-duplicates of those already chosen."""
    chosen: list[int] = []
    for place in ranked:
        if not any(alike(keys[place], keys[other]) for other in chosen):
            chosen.append(place)
            if len(chosen) == LABEL_TAGS:
                break
    return chosen


def alike(one: str, other: str) -> bool:
    """Near-duplicates: one begins with the other, or they share most of their letters in order."""
    return one.startswith(other) or other.startswith(one) or ratio(one, other) >= ALIKE
