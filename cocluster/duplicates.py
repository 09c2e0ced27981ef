from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from cocluster.arrays import Floats, Ints, Sparse


@dataclass(frozen=True)
class Folded:
    """The different documents and tags of M, with how often each occurs.

    Everything up to M* is computed once for each of them. That is less work, and it makes the rows of
    identical documents equal to the last bit, which products by blocks (BLAS) do not promise.
    """

    matrix: Sparse
    row_of: Ints
    column_of: Ints
    row_sizes: Floats
    column_sizes: Floats


def fold(M: Sparse, row_marks: Ints | None = None, column_marks: Ints | None = None) -> Folded:
    """Keep the first of every group of identical documents and of identical tags.

    Where marks are given (items × levels, the clusters they had before), items that differ in them are different.
    """
    first_rows, row_of = distinct_rows(M, row_marks)
    rows = M[first_rows]
    # Tags that agree on the different documents agree on all of them.
    first_columns, column_of = distinct_rows(csr_array(rows.T), column_marks)
    matrix: Sparse = csr_array(rows[:, first_columns])
    matrix.sort_indices()
    return Folded(
        matrix,
        row_of,
        column_of,
        np.bincount(row_of).astype(np.float64),
        np.bincount(column_of).astype(np.float64),
    )


def unfold(folded: Folded, N: Floats) -> Floats:
    """N given for the different documents and tags, written out for all of them."""
    return np.take(np.take(N, folded.column_of, axis=1), folded.row_of, axis=0)


def first_of(place: Ints) -> Ints:
    """The first item of each group, given the group of each item; groups are in the order of their first items."""
    return np.unique(place, return_index=True)[1]


def distinct_rows(M: Sparse, marks: Ints | None = None) -> tuple[Ints, Ints]:
    """First index of each different row, in order of appearance, and the place of every row among them."""
    M.sort_indices()
    also = np.empty((M.shape[0], 0), dtype=np.int64) if marks is None else np.ascontiguousarray(marks)
    seen: dict[bytes, int] = {}
    first: list[int] = []
    place: Ints = np.empty(M.shape[0], dtype=np.int64)
    for row in range(M.shape[0]):
        key = M.indices[M.indptr[row] : M.indptr[row + 1]].tobytes() + also[row].tobytes()
        if key not in seen:
            seen[key] = len(first)
            first.append(row)
        place[row] = seen[key]
    return np.array(first, dtype=np.int64), place
