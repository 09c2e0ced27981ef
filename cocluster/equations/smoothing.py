"""M* = T^X M T^Y, as the product of a sparse matrix and G."""

from typing import Final

import numpy as np
from scipy.sparse import csr_array

from cocluster.equations.arrays import Floats, Sparse
from cocluster.equations.similarity import scale_matrix
from cocluster.equations.transition import Progress, Transitions
from cocluster.tasks import LocalTasks

STRIPE: Final = 256
"""Rows of G computed at a time, so that no second m×m matrix is needed."""


def smoothed_rows(transitions: Transitions, rate: float, progress: Progress) -> Floats:
    """M* after teleport, for the different documents and tags.  math.md (3), (4)

    T^X would be n×n and is never built: M* = (D(d)A) · G. The teleport is linear in the rows, so it is applied to G,
    which is smaller than M*.

    Raises:
        ValueError: `rate` is so small that entries of M* are still 0.
    """
    progress("smoothing", 0, 1)
    distinct, DA = transitions.distinct, transitions.scaled_factor
    G = gathering_matrix(gathering_factor(transitions), transitions.T)
    row_sums, column_sums = G @ distinct.column_sizes, np.asarray(DA.T @ distinct.row_sizes) @ G
    teleport(G, rate, row_sums, column_sums / (column_sums @ distinct.column_sizes))
    N = np.asarray(DA @ G)
    require_positive(N, rate, (len(distinct.row_of), len(distinct.column_of)))
    progress("smoothing", 1, 1)
    return N


def gathering_factor(transitions: Transitions) -> Sparse:
    """C = Aᵀ D(w∘d) M D(v), m×m and sparse: G = C T^Y.  math.md (3)"""
    distinct = transitions.distinct
    weighted = scale_matrix(distinct.matrix, distinct.row_sizes * transitions.rows.d, distinct.column_sizes)
    C: Sparse = csr_array(transitions.A.T @ weighted)
    C.sort_indices()
    return C


def gathering_matrix(C: Sparse, T: Sparse) -> Floats:
    """G = C T^Y, m×m: what each tag gathers from the documents around it.  math.md (3)"""
    G = np.empty((C.shape[0], T.shape[0]))
    starts = range(0, len(G), STRIPE)
    for start, stripe in zip(starts, LocalTasks().each(rows_of_product, starts, (C, T)), strict=True):
        G[start : start + STRIPE] = stripe
    return G


def rows_of_product(start: int, factors: tuple[Sparse, Sparse]) -> Floats:
    """One task: a stripe of rows of C T, T being symmetric."""
    C, T = factors
    return np.asarray(T @ np.ascontiguousarray(C[start : start + STRIPE].toarray().T)).T


def teleport(N: Floats, rate: float, row_sums: Floats, column_shares: Floats) -> None:
    """N ← (1−λ) N + λ·r cᵀ/Σ, with r the row sums of N and c/Σ the column shares of the whole matrix.  math.md (4)

    Every row sum, column sum and the total stay; every entry becomes positive, so KL is finite and
    disconnected parts merge last instead of never.
    """
    for start in range(0, len(N), STRIPE):
        part = slice(start, start + STRIPE)
        N[part] *= 1.0 - rate
        N[part] += np.outer(rate * row_sums[part], column_shares)


def require_positive(N: Floats, rate: float, shape: tuple[int, int]) -> None:
    """Raise a ValueError when entries of M* are 0; `shape` counts all documents and tags."""
    if not N.min() > 0:
        raise ValueError(f"teleport={rate} is too small: it vanishes in the rounding of {shape[0]}×{shape[1]}")
