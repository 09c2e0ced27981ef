"""Densities of blocks of M and M*, documents and tags in the order of their dendrograms: what pictures show."""

from typing import Final

import numpy as np

from cocluster.equations.arrays import Floats, Ints, Sparse
from cocluster.estimator.model import CoClustering
from tagmodel import Dendrogram

SWEEPS: Final = 6
"""Rounds in which the two leaf orders are adapted to each other."""


def block_densities(matrix: Sparse, model: CoClustering, most: int) -> tuple[Floats, Floats]:
    """The densities of at most `most` × `most` blocks of M and of M*, in the order of the two dendrograms.

    The model sums M* over groups of documents and tags, so M* itself need not be in memory.
    """
    rows, columns = orders(matrix, model.row_dendrogram_, model.column_dendrogram_, model.row_leaves_)
    row_block, column_block = block_labels(rows, most), block_labels(columns, most)
    areas = np.outer(np.bincount(row_block), np.bincount(column_block))
    before = block_sums(matrix, row_block, column_block) / areas
    return before, model.aggregated(row_block, column_block) / areas


def orders(matrix: Sparse, row_tree: Dendrogram, column_tree: Dendrogram, row_leaves: Ints) -> tuple[Ints, Ints]:
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


def block_labels(places: Ints, most: int) -> Ints:
    """The block of each item: at most `most` blocks of about one size."""
    return places * min(most, len(places)) // len(places)


def block_sums(matrix: Sparse, row_block: Ints, column_block: Ints) -> Floats:
    """M added up over blocks of documents × blocks of tags."""
    ones = matrix.tocoo()
    width = int(column_block.max()) + 1
    cells = row_block[ones.row] * width + column_block[ones.col]
    sums = np.bincount(cells, weights=ones.data, minlength=(int(row_block.max()) + 1) * width)
    return sums.astype(np.float64).reshape(-1, width)
