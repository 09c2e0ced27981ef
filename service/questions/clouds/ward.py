"""Ward's linkage, by the compiled part of fastcluster: unlike the package itself, it does not load scipy."""

from functools import lru_cache
from typing import Any, Final

import numpy as np
from _fastcluster import linkage_wrap
from numpy.typing import NDArray

WARD: Final = 4
"""Ward's linkage in fastcluster 1.3."""

MOST_CACHED: Final = 500
"""The pairs of so many tags take 2 MB: clouds have no more. Facets may have 2,000 values."""


def ward(cosines: NDArray[np.float64]) -> list[tuple[int, int]]:
    """The merges of Ward's linkage, cheapest first; the i-th merge makes node n + i."""
    n = len(cosines)
    if n < 2:
        return []
    distances = cosines[_pairs(n) if n <= MOST_CACHED else np.triu_indices(n, 1)]
    np.subtract(1.0, distances, out=distances)
    np.maximum(distances, 0.0, out=distances)
    np.sqrt(distances, out=distances)  # up to √2, which orders no merge differently
    merges = np.empty((n - 1, 4))
    linkage_wrap(n, distances, merges, WARD)
    pairs: list[tuple[int, int]] = merges[:, :2].astype(np.intp).tolist()
    return pairs


@lru_cache(maxsize=128)
def _pairs(n: int) -> tuple[NDArray[Any], ...]:
    """The places of the pairs of n in a square matrix, row by row."""
    return np.triu_indices(n, 1)
