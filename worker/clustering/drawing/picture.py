"""Draws the matrix before and after smoothing as two small pictures, ordered by the dendrograms."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster import CoClustering
from cocluster.estimator.blocks import block_densities
from snapshot import Picture

SIDE: Final = 256
"""Blocks in each direction, at most."""

FULL: Final = 0.995
"""Blocks from this quantile of the non-empty blocks on get the darkest shade."""

Floats = NDArray[np.float64]
Matrix = csr_array[np.float64, tuple[int, int]]


def pictures(matrix: Matrix, model: CoClustering) -> Picture:
    """The densities of blocks of M and of M*, rows and columns in the order of the two trees."""
    before, after = block_densities(matrix, model, SIDE)
    return Picture(before=shades(before), after=shades(after))


def shades(densities: Floats) -> NDArray[np.uint8]:
    """Densities as shades of 0…255, by their square roots, since few blocks are dense and many are nearly empty."""
    positive = densities[densities > 0]
    full = np.quantile(positive, FULL) if len(positive) else 1.0
    return (255 * np.sqrt(np.clip(densities / full, 0, 1))).round().astype(np.uint8)
