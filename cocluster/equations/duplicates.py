"""Finds identical documents and identical tags, so that each is computed once."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from cocluster.equations.arrays import Floats, Ints, Sparse


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """The different rows of a matrix: `first` holds the first row of each kind, `of` the kind of every row."""

    first: Ints
    of: Ints


@dataclass(frozen=True)
class Distinct:
    """The different documents and tags of M, with how often each occurs.

    Everything up to M* is computed once for each of them. That is less work, and it makes the rows of
    identical documents equal to the last bit, which products by blocks (BLAS) do not guarantee.
    """

    matrix: Sparse
    row_of: Ints
    column_of: Ints
    row_sizes: Floats
    column_sizes: Floats


def deduplicate(
    M: Sparse,
    previous_rows: Ints | None = None,
    previous_columns: Ints | None = None,
    *,
    rows: DistinctRows | None = None,
) -> Distinct:
    """The first of every group of identical documents and of identical tags.

    With previous labels (items × levels), items that differ in a label are different. `rows` are the different rows of
    M, if the caller has them already.
    """
    rows = rows or distinct_rows(M)
    if previous_rows is not None:
        rows = refine_by_labels(rows, previous_rows)
    documents = M[rows.first]
    # Tags that agree on the different documents agree on all of them.
    columns = distinct_rows(csr_array(documents.T))
    if previous_columns is not None:
        columns = refine_by_labels(columns, previous_columns)
    matrix: Sparse = csr_array(documents[:, columns.first])
    matrix.sort_indices()
    return Distinct(
        matrix,
        rows.of,
        columns.of,
        np.bincount(rows.of).astype(np.float64),
        np.bincount(columns.of).astype(np.float64),
    )


def write_out(distinct: Distinct, N: Floats) -> Floats:
    """N of the different documents and tags, expanded to all documents and tags."""
    return np.take(np.take(N, distinct.column_of, axis=1), distinct.row_of, axis=0)


def first_items(group: Ints) -> Ints:
    """The first item of each group; `group` is that of each item, numbered in the order of their first items."""
    return np.unique(group, return_index=True)[1]


def distinct_rows(M: Sparse) -> DistinctRows:
    """The different rows of M, in order of appearance."""
    M.sort_indices()
    seen: dict[bytes, int] = {}
    first: list[int] = []
    place: Ints = np.empty(M.shape[0], dtype=np.int64)
    for row in range(M.shape[0]):
        key = M.indices[M.indptr[row] : M.indptr[row + 1]].tobytes()
        if key not in seen:
            seen[key] = len(first)
            first.append(row)
        place[row] = seen[key]
    return DistinctRows(np.array(first, dtype=np.int64), place)


def refine_by_labels(rows: DistinctRows, labels: Ints) -> DistinctRows:
    """The different rows, where rows with different labels (rows × levels) are different too."""
    both = np.column_stack([rows.of, labels])
    _, first, group = np.unique(both, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return DistinctRows(first[order].astype(np.int64), rank[group.ravel()])
