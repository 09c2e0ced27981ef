"""The matrix M of documents × tags: checks and filters it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csr_array, issparse

from cocluster.equations.arrays import Ints, Sparse
from cocluster.equations.duplicates import DistinctRows, distinct_rows
from cocluster.equations.feature_names import feature_names

Matrix: TypeAlias = ArrayLike | Any  # Any: a scipy.sparse array or matrix, which have no common type


@dataclass(frozen=True, eq=False)
class Incidence:
    """M ∈ {0,1}^{n×m}, documents × tags, with the places its rows and columns had in the input.

    No row and no column is empty. `names` are those of the columns, if the input has any.
    """

    matrix: Sparse
    rows: Ints
    columns: Ints
    names: tuple[str, ...] | None = None

    @cached_property
    def distinct_rows(self) -> DistinctRows:
        """The different documents, computed once."""
        return distinct_rows(self.matrix)


def incidence(X: Matrix, min_count: int = 5) -> Incidence:
    """M without the tags in fewer than `min_count` documents, then without the documents that have no tag left.

    Once is enough: a document without a tag counts for no tag, so dropping it makes no tag rarer.

    Args:
        X: Documents × tags, 0 and 1, dense or sparse.
        min_count: The fewest documents that a tag must have.

    Returns:
        What is left, and which rows and columns it is.

    >>> incidence([[1, 1, 0], [1, 0, 0], [0, 0, 1]], min_count=2).matrix.toarray()
    array([[1.],
           [1.]])

    Raises:
        ValueError: X holds something else than 0 and 1, or nothing is left of it.
    """
    if min_count < 1:
        raise ValueError(f"min_count must be at least 1, not {min_count}")
    M = binary(X)
    columns = np.flatnonzero(column_counts(M) >= min_count)
    if not len(columns):
        raise ValueError(f"no tag occurs in min_count={min_count} documents: nothing is left to cluster")
    M = M[:, columns]
    rows = np.flatnonzero(row_counts(M) > 0)
    names = feature_names(X)
    return Incidence(M[rows], rows, columns, None if names is None else tuple(names[columns]))


def checked_incidence(X: "Matrix | Incidence") -> Incidence:
    """X as an Incidence, unfiltered; no row or column may be empty.

    Raises:
        ValueError: X holds something else than 0 and 1, or an empty row or column (named).
    """
    if isinstance(X, Incidence):
        return X
    M = binary(X)
    require_no_empty(M)
    names = feature_names(X)
    return Incidence(M, np.arange(M.shape[0]), np.arange(M.shape[1]), None if names is None else tuple(names))


def binary(X: Matrix) -> Sparse:
    """X as a sparse matrix of zeros and ones, in canonical form; empty rows and columns are allowed.

    Raises:
        ValueError: X is not two-dimensional, is empty, or holds another value (its place is named).
    """
    entries = _coordinates(X)
    if 0 in entries.shape:
        n, m = entries.shape
        # The second half is what scikit-learn says of such a matrix, word for word.
        also = "" if m else f"; 0 feature(s) (shape=({n}, {m})) while a minimum of 1 is required."
        raise ValueError(f"the matrix is empty: {n} documents × {m} tags{also}")
    wrong = np.flatnonzero(entries.data != 1.0)
    if len(wrong):
        first = wrong[np.lexsort((entries.col[wrong], entries.row[wrong]))[0]]
        raise ValueError(
            f"row {entries.row[first]}, column {entries.col[first]} holds {_value(entries.data[first])}; "
            "only 0 and 1 are allowed"
        )
    M: Sparse = csr_array(entries.astype(np.float64))
    M.sort_indices()
    return M


def _value(number: Any) -> str:
    return "NaN" if np.isnan(number) else str(number)


def require_no_empty(M: Sparse) -> None:
    """Raise a ValueError that names the first document without a tag or the first tag without a document."""
    for side, counts in (("row", row_counts(M)), ("column", column_counts(M))):
        empty = np.flatnonzero(counts == 0)
        if len(empty):
            more = f" (and {len(empty) - 1} more)" if len(empty) > 1 else ""
            raise ValueError(f"{side} {empty[0]} is empty{more}; incidence(X, min_count) drops empty ones")


def row_counts(M: Sparse) -> Ints:
    """Tags of each document."""
    return np.asarray(np.diff(M.indptr), dtype=np.int64)


def column_counts(M: Sparse) -> Ints:
    """Documents of each tag."""
    return np.asarray(np.bincount(M.indices, minlength=M.shape[1]), dtype=np.int64)


def _coordinates(X: Matrix) -> "coo_array[Any, tuple[int, int]]":
    """X's entries other than zero, repeated coordinates added up; NaN counts as an entry."""
    values: Any = X if issparse(X) else _dense(X)
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported: the matrix must hold zeros and ones")
    if values.ndim != 2:
        raise ValueError(f"the matrix must have 2 dimensions (documents × tags), not {values.ndim}")
    if values.dtype.kind not in "biuf":
        raise ValueError(f"the matrix must hold numbers, not {values.dtype}")
    entries = coo_array(values, copy=True)
    if entries.dtype.kind == "b":
        # Booleans would add up to True, and a repeated entry would pass for a single one.
        entries = entries.astype(np.int64)
    entries.sum_duplicates()
    entries.eliminate_zeros()
    return entries


def _dense(X: Matrix) -> Any:
    """X as an array, or as a sparse matrix if it is a DataFrame of sparse columns; objects as the numbers they are."""
    if hasattr(X, "columns") and hasattr(X, "sparse"):
        return X.sparse.to_coo()
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise ValueError("the matrix is ragged: its rows have different lengths") from error
    if array.dtype.kind != "O":
        return array
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"the matrix must hold numbers: {error}") from error
