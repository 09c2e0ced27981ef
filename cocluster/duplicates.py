"""Identical documents and identical tags, each computed once."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from cocluster.arrays import Floats, Ints, Sparse


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """The different rows of a matrix: `first` is the first of each, in order; `of` is the place of every row there."""

    first: Ints
    of: Ints


@dataclass(frozen=True)
class Distinct:
    """The different documents and tags of M, with how often each occurs.

    Everything up to M* is computed once for each of them. That is less work, and it makes the rows of
    identical documents equal to the last bit, which products by blocks (BLAS) do not promise.
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

    Where previous labels are given (items × levels), items that differ in them are different. `rows` are the different
    rows of M, where they are known.
    """
    rows = rows or distinct_rows(M)
    if previous_rows is not None:
        rows = refined(rows, previous_rows)
    kept = M[rows.first]
    # Tags that agree on the different documents agree on all of them.
    columns = distinct_rows(csr_array(kept.T))
    if previous_columns is not None:
        columns = refined(columns, previous_columns)
    matrix: Sparse = csr_array(kept[:, columns.first])
    matrix.sort_indices()
    return Distinct(
        matrix,
        rows.of,
        columns.of,
        np.bincount(rows.of).astype(np.float64),
        np.bincount(columns.of).astype(np.float64),
    )


def write_out(distinct: Distinct, N: Floats) -> Floats:
    """N given for the different documents and tags, written out for all of them."""
    return np.take(np.take(N, distinct.column_of, axis=1), distinct.row_of, axis=0)


def first_items(group: Ints) -> Ints:
    """The first item of each group, given the group of each item; groups are in the order of their first items."""
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


def refined(rows: DistinctRows, labels: Ints) -> DistinctRows:
    """The same where rows also differ if their labels (rows × levels) do."""
    both = np.column_stack([rows.of, labels])
    _, first, group = np.unique(both, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return DistinctRows(first[order].astype(np.int64), rank[group.ravel()])
