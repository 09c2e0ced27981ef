"""The matrix M of documents × tags: checks and filters it."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csr_array, issparse

from cocluster.equations.arrays import Ints, Sparse
from cocluster.equations.duplicates import DistinctRows, distinct_rows
from cocluster.equations.feature_names import feature_names, given_names

Matrix: TypeAlias = ArrayLike | Any  # Any: a scipy.sparse array or matrix, which have no common type
Binarize: TypeAlias = Literal["positive", "error"]
"""What becomes of counts and other numbers above 0: they count as 1, or are refused. Negative ones always are."""


@dataclass(frozen=True, eq=False)
class Incidence:
    """M ∈ {0,1}^{n×m}, documents × tags, with the places its rows and columns had in the input.

    No row and no column is empty. `names` are those of the columns, if the input has any.

    >>> incidence([[1, 1, 0], [0, 0, 0], [1, 0, 0]], min_count=2).rows
    array([0, 2])
    """

    matrix: Sparse
    rows: Ints
    columns: Ints
    names: tuple[str, ...] | None = None
    documents: int | None = None
    """Rows of the input, if known; those without a tag are not in the matrix."""

    binarized: int = 0
    """Entries of the input above 0 that were not 1."""

    @cached_property
    def distinct_rows(self) -> DistinctRows:
        """The different documents, computed once."""
        return distinct_rows(self.matrix)


def incidence(X: Matrix, min_count: int = 5, *, binarize: Binarize = "positive") -> Incidence:
    """M without the tags in fewer than `min_count` documents, then without the documents that have no tag left.

    Once is enough: a document without a tag counts for no tag, so dropping it makes no tag rarer.

    Args:
        X: Documents × tags, 0 and 1, or counts, dense or sparse.
        min_count: The fewest documents that a tag must have.
        binarize: "positive" takes every number above 0 for 1, "error" refuses those that are not 1.

    Returns:
        What is left, and which rows and columns it is.

    >>> incidence([[1, 1, 0], [1, 0, 0], [0, 0, 1]], min_count=2).matrix.toarray()
    array([[1.],
           [1.]])

    Raises:
        ValueError: X holds something else, or nothing is left of it.
    """
    if min_count < 1:
        raise ValueError(f"min_count must be at least 1, not {min_count}")
    M, binarized = binarized_matrix(X, binarize)
    columns = np.flatnonzero(column_counts(M) >= min_count)
    if not len(columns):
        raise ValueError(f"no tag occurs in min_count={min_count} documents: nothing is left to cluster")
    M = M[:, columns]
    rows = np.flatnonzero(row_counts(M) > 0)
    names = feature_names(X)
    kept = None if names is None else tuple(names[columns])
    return Incidence(M[rows], rows, columns, kept, len(row_counts(M)), binarized)


def checked_incidence(X: "Matrix | Incidence", binarize: Binarize, names: Any = None) -> Incidence:
    """X as an Incidence, without its documents that have no tag; no tag may be without documents.

    Args:
        X: documents × tags.
        binarize: as for `incidence`.
        names: of the tags, or a vectorizer that knows them; by default those of the columns of X.

    Raises:
        ValueError: X holds something else than allowed, a tag has no document (named), or names do not fit.
    """
    if isinstance(X, Incidence):
        return X if names is None else replace(X, names=tuple(given_names(names, X.matrix.shape[1])))
    M, binarized = binarized_matrix(X, binarize)
    require_documents(M)
    found = feature_names(X) if names is None else given_names(names, M.shape[1])
    rows = np.flatnonzero(row_counts(M) > 0)
    every = np.arange(M.shape[1])
    return Incidence(M[rows], rows, every, None if found is None else tuple(found), M.shape[0], binarized)


def binary(X: Matrix) -> Sparse:
    """X, which holds nothing but zeros and ones, as a sparse matrix in canonical form; ValueError as below."""
    return binarized_matrix(X, "error")[0]


def binarized_matrix(X: Matrix, binarize: Binarize) -> tuple[Sparse, int]:
    """X as a sparse matrix of zeros and ones, in canonical form, and how many entries were neither.

    Empty rows and columns are allowed.

    Raises:
        ValueError: X is not two-dimensional, is empty, or holds a value that is not allowed (its place is named).
    """
    entries = _coordinates(X)
    if 0 in entries.shape:
        n, m = entries.shape
        # The second half is what scikit-learn says of such a matrix, word for word.
        also = "" if m else f"; 0 feature(s) (shape=({n}, {m})) while a minimum of 1 is required."
        raise ValueError(f"the matrix is empty: {n} documents × {m} tags{also}")
    values = entries.data
    allowed = (values > 0) & np.isfinite(values) if binarize == "positive" else values == 1.0
    wrong = np.flatnonzero(~allowed)
    if len(wrong):
        first = wrong[np.lexsort((entries.col[wrong], entries.row[wrong]))[0]]
        raise ValueError(_refusal(values[first], int(entries.row[first]), int(entries.col[first]), binarize))
    binarized = int(np.count_nonzero(values != 1.0))
    M: Sparse = csr_array(entries.astype(np.float64))
    M.data[:] = 1.0
    M.sort_indices()
    return M, binarized


def _refusal(value: Any, row: int, column: int, binarize: Binarize) -> str:
    """Why a value is refused; scikit-learn's words for negative and missing ones are part of it."""
    place = f"row {row}, column {column} holds {_value(value)}"
    if not np.isfinite(value):
        return f"Input contains {'NaN' if np.isnan(value) else 'infinity'}: {place}"
    if value < 0:
        return f"Negative values in data: {place}"
    allowed = "only 0 and 1 are allowed"
    return f"{place}; {allowed}" + (' with binarize="error"' if binarize == "error" else "")


def _value(number: Any) -> str:
    return "NaN" if np.isnan(number) else str(number)


def require_documents(M: Sparse) -> None:
    """Raise a ValueError that names the first tag without a document."""
    empty = np.flatnonzero(column_counts(M) == 0)
    if len(empty):
        more = f" (and {len(empty) - 1} more)" if len(empty) > 1 else ""
        rows = f"in all rows (n_samples={M.shape[0]})"
        raise ValueError(f"column {empty[0]} is empty{more} {rows}; incidence(X, min_count=1) drops empty ones")


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
        # The last words are scikit-learn's.
        raise ValueError(
            f"the matrix must have 2 dimensions (documents × tags), not {values.ndim}. "
            "Reshape your data: X.reshape(1, -1) is one document"
        )
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
