"""Draws the matrix before and after smoothing as two small pictures, ordered by the dendrograms."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster import CoClustering
from snapshot import Picture
from tagmodel import Dendrogram

SIDE: Final = 256
"""Blocks in each direction, at most."""

SWEEPS: Final = 6
FULL: Final = 0.995
"""Blocks from this quantile of the non-empty blocks on get the darkest shade."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Matrix = csr_array[np.float64, tuple[int, int]]


def pictures(matrix: Matrix, model: CoClustering) -> Picture:
    """The densities of blocks of M and of M*, rows and columns in the order of the two trees.

    The model sums M* over groups of documents and tags, so M* itself need not be in memory.
    """
    rows, columns = orders(matrix, model.row_dendrogram_, model.column_dendrogram_, model.row_leaves_)
    row_block, column_block = blocks(rows), blocks(columns)
    areas = np.outer(np.bincount(row_block), np.bincount(column_block))
    return Picture(
        before=shades(_block_sums(matrix, row_block, column_block) / areas),
        after=shades(model.aggregated(row_block, column_block) / areas),
    )


def orders(matrix: Matrix, row_tree: Dendrogram, column_tree: Dendrogram, row_leaves: Ints) -> tuple[Ints, Ints]:
    """The place of each document and of each tag: leaf orders of the dendrograms that bring the ones near the diagonal.

    Each merge may put either branch first. In turn for both sides, the branch goes first whose items have, on
    average, their ones further to the front on the other side. Documents that share a leaf are ordered likewise.
    """
    row_sizes: Floats = np.asarray(matrix.sum(axis=1))
    column_sizes: Floats = np.asarray(matrix.sum(axis=0))
    leaf_sizes: Floats = np.bincount(row_leaves, weights=row_sizes).astype(np.float64)
    columns = np.arange(matrix.shape[1])
    rows = np.arange(matrix.shape[0])
    for _ in range(SWEEPS):
        sums = np.asarray(matrix @ columns)
        leaf_sums: Floats = np.bincount(row_leaves, weights=sums).astype(np.float64)
        leaves = row_tree.places_by_mean(leaf_sums, leaf_sizes)
        rows[np.lexsort((sums / row_sizes, leaves[row_leaves]))] = np.arange(len(rows))
        columns = column_tree.places_by_mean(np.asarray(matrix.T @ rows), column_sizes)
    return rows, columns


def blocks(places: Ints) -> Ints:
    """The block of each item: as many of about one size as fit the picture."""
    return places * min(SIDE, len(places)) // len(places)


def shades(densities: Floats) -> NDArray[np.uint8]:
    """Densities as shades of 0…255, by their square roots, since few blocks are dense and many are nearly empty."""
    positive = densities[densities > 0]
    full = np.quantile(positive, FULL) if len(positive) else 1.0
    return (255 * np.sqrt(np.clip(densities / full, 0, 1))).round().astype(np.uint8)


def _block_sums(matrix: Matrix, row_block: Ints, column_block: Ints) -> Floats:
    ones = matrix.tocoo()
    width = int(column_block.max()) + 1
    cells = row_block[ones.row] * width + column_block[ones.col]
    sums = np.bincount(cells, weights=ones.data, minlength=(int(row_block.max()) + 1) * width)
    return sums.astype(np.float64).reshape(-1, width)
