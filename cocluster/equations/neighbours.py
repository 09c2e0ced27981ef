"""Bounds how many neighbours each tag has in a sparse matrix; what is left out is spread by its sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.equations.arrays import Floats, Sparse

Kept = TypeVar("Kept", bound="csr_array[Any, tuple[int, int]]")


@dataclass(frozen=True, eq=False)
class Bounded:
    """kept + rows · columnsᵀ: the large entries of a matrix, and the rest as if its rows and columns were independent.

    Row sums, and column sums under the weights, are those of the whole matrix.  math.md (17)
    """

    kept: Sparse
    rows: Floats
    columns: Floats


def bounded(matrix: Sparse, most: int, row_weights: Floats, column_weights: Floats) -> Bounded:
    """The `most` largest entries of each row, and the rest as a product of its sums.  math.md (17)

    Args:
        matrix: entries ≥ 0.
        most: entries of a row that stay as they are; of equal ones, the first.
        row_weights: what each row counts in the column sums.
        column_weights: what each column counts in the row sums.
    """
    return spread(matrix, largest(matrix, most), row_weights, column_weights)


def bounded_symmetric(matrix: Sparse, most: int, weights: Floats) -> Bounded:
    """The same of a symmetric matrix: an entry stays if it is among the largest of its row or of its column."""
    kept = largest(matrix, most)
    both: Sparse = csr_array(kept.maximum(csr_array(kept.T)))
    both.sort_indices()
    return spread(matrix, both, weights, weights)


def spread(matrix: Sparse, kept: Sparse, row_weights: Floats, column_weights: Floats) -> Bounded:
    """What stays, and the sums of what goes, scaled so that their product has the same total."""
    rows = np.maximum(np.asarray(matrix @ column_weights) - np.asarray(kept @ column_weights), 0.0)
    columns = np.maximum(np.asarray(matrix.T @ row_weights) - np.asarray(kept.T @ row_weights), 0.0)
    total = float(row_weights @ rows)
    return Bounded(kept, rows, columns / total if total > 0 else np.zeros_like(columns))


def largest(matrix: Kept, most: int) -> Kept:
    """The `most` largest entries of each row; of equal ones, the first."""
    starts = matrix.indptr
    chosen: NDArray[np.bool_] = np.ones(matrix.nnz, dtype=np.bool_)
    for row in np.flatnonzero(np.diff(starts) > most).tolist():
        own = slice(starts[row], starts[row + 1])
        values = matrix.data[own]
        least = np.partition(values, len(values) - most)[len(values) - most]
        above = values > least
        above[np.flatnonzero(values == least)[: most - np.count_nonzero(above)]] = True
        chosen[own] = above
    before = np.concatenate([[0], np.cumsum(chosen)])
    kept: Any = csr_array((matrix.data[chosen], matrix.indices[chosen], before[starts]), shape=matrix.shape)
    return kept  # type: ignore[no-any-return]
