"""Two small pictures of the matrix, before and after smoothing, ordered by the trees: one sees what smoothing does."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster import CoClustering
from snapshot import Picture

SIDE: Final = 256
"""Blocks in each direction, at most."""

SWEEPS: Final = 6
FULL: Final = 0.995
"""The shade is darkest from this quantile of the blocks that are not empty on."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Incidence = csr_array[np.float64, tuple[int, int]]


def pictures(matrix: Incidence, model: CoClustering) -> Picture:
    """The densities of blocks of M and of M*, rows and columns in the order of the two trees.

    The model adds M* up over any groups of documents and of tags, so M* need not be there whole.
    """
    rows, columns = orders(matrix, model.row_linkage_, model.column_linkage_, model.row_leaves_)
    row_block, column_block = blocks(rows), blocks(columns)
    areas = np.outer(np.bincount(row_block), np.bincount(column_block))
    return Picture(
        before=shades(_added(matrix, row_block, column_block) / areas),
        after=shades(model.aggregated(row_block, column_block) / areas),
    )


def orders(matrix: Incidence, row_linkage: Floats, column_linkage: Floats, row_leaves: Ints) -> tuple[Ints, Ints]:
    """The place of each document and of each tag: leaf orders of the trees that bring the ones near the diagonal.

    Each merge may put either branch first. In turn for both sides, the one goes first whose items have, on average,
    their ones further to the front on the other side. Documents that share a leaf are ordered likewise.
    """
    row_sizes: Floats = np.asarray(matrix.sum(axis=1))
    column_sizes: Floats = np.asarray(matrix.sum(axis=0))
    leaf_sizes: Floats = np.bincount(row_leaves, weights=row_sizes).astype(np.float64)
    columns = np.arange(matrix.shape[1])
    rows = np.arange(matrix.shape[0])
    for _ in range(SWEEPS):
        sums = np.asarray(matrix @ columns)
        leaf_sums: Floats = np.bincount(row_leaves, weights=sums).astype(np.float64)
        leaves = leaf_places(row_linkage, leaf_sums, leaf_sizes)
        rows[np.lexsort((sums / row_sizes, leaves[row_leaves]))] = np.arange(len(rows))
        columns = leaf_places(column_linkage, np.asarray(matrix.T @ rows), column_sizes)
    return rows, columns


def leaf_places(linkage: Floats, sums: Floats, masses: Floats) -> Ints:
    """The place of each leaf if, at every merge, the branch with the smaller mean (sum / mass) comes first."""
    n = len(linkage) + 1
    pairs = linkage[:, :2].astype(np.int64).tolist()
    total = [*sums.tolist(), *[0.0] * (n - 1)]
    mass = [*masses.tolist(), *[0.0] * (n - 1)]
    size = [1] * n + [0] * (n - 1)
    for node, (a, b) in enumerate(pairs, start=n):
        total[node], mass[node], size[node] = total[a] + total[b], mass[a] + mass[b], size[a] + size[b]
    start = [0] * (2 * n - 1)
    for node in range(2 * n - 2, n - 1, -1):
        a, b = pairs[node - n]
        if total[b] * mass[a] < total[a] * mass[b]:
            a, b = b, a
        start[a], start[b] = start[node], start[node] + size[a]
    return np.array(start[:n], dtype=np.int64)


def blocks(places: Ints) -> Ints:
    """The block of each item: as many of about one size as fit the picture."""
    return places * min(SIDE, len(places)) // len(places)


def shades(densities: Floats) -> NDArray[np.uint8]:
    """Densities as shades of 0…255, by their square roots, since few blocks are dense and many are not quite empty."""
    some = densities[densities > 0]
    full = np.quantile(some, FULL) if len(some) else 1.0
    return (255 * np.sqrt(np.clip(densities / full, 0, 1))).round().astype(np.uint8)


def _added(matrix: Incidence, row_block: Ints, column_block: Ints) -> Floats:
    ones = matrix.tocoo()
    width = int(column_block.max()) + 1
    cells = row_block[ones.row] * width + column_block[ones.col]
    found = np.bincount(cells, weights=ones.data, minlength=(int(row_block.max()) + 1) * width)
    return found.astype(np.float64).reshape(-1, width)
