"""The transitions T^X and T^Y: similarities scaled to be bi-stochastic."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array

from cocluster.equations.arrays import Floats, Sparse
from cocluster.equations.duplicates import Distinct
from cocluster.equations.similarity import scale_matrix, similarity_factor

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with (stage, done, total)."""


@dataclass(frozen=True)
class Scaling:
    """The symmetric scaling d of S, and how well T = D(d) S D(d) sums to 1 (`error`: the worst row)."""

    d: Floats
    error: float
    iterations: int
    converged: bool


@dataclass(frozen=True)
class Transitions:
    """The different documents and tags, A and the scaling of the documents, T^Y and the scaling of the tags."""

    distinct: Distinct
    A: Sparse
    rows: Scaling
    T: Sparse
    columns: Scaling

    @property
    def scaled_factor(self) -> Sparse:
        """D(d)A: documents × tags, so that T^X = (DA)(DA)ᵀ."""
        return scale_matrix(self.A, self.rows.d, np.ones(self.A.shape[1]))

    @property
    def all_rows(self) -> Scaling:
        """The scaling of all documents."""
        return replace(self.rows, d=self.rows.d[self.distinct.row_of])

    @property
    def all_columns(self) -> Scaling:
        """The scaling of all tags."""
        return replace(self.columns, d=self.columns.d[self.distinct.column_of])

    @property
    def all_transition(self) -> Sparse:
        """T^Y of all tags."""
        column_of = self.distinct.column_of
        if len(column_of) == self.T.shape[0]:
            return self.T
        return csr_array(self.T[column_of][:, column_of])


def transitions(distinct: Distinct, progress: Progress) -> Transitions:
    """Similarity and transition of both sides.  math.md (1), (2)"""
    w, v = distinct.row_sizes, distinct.column_sizes
    progress("transition", 0, 2)
    A = similarity_factor(distinct.matrix, w, v)
    rows = symmetric_scaling(A, w)
    progress("transition", 1, 2)
    B = similarity_factor(csr_array(distinct.matrix.T), v, w)
    columns = symmetric_scaling(B, v)
    T = transition(B, columns)
    progress("transition", 2, 2)
    return Transitions(distinct, A, rows, T, columns)


def symmetric_scaling(A: Sparse, sizes: Floats, *, tolerance: float = 1e-13, max_iterations: int = 200) -> Scaling:
    """Sinkhorn–Knopp: the d > 0 that makes T = D(d) A Aᵀ D(d) bi-stochastic.  math.md (2)

    T is positive semi-definite with eigenvalues in [0, 1], so near the solution a step multiplies the
    error of log d by ½(1 − T): it halves each time at least, whatever the corpus.
    """
    d = np.ones(A.shape[0])
    error = scaling_error(A, d, sizes)
    iterations = 0
    while error > tolerance and iterations < max_iterations:
        d = scaling_step(A, d, sizes)
        error = scaling_error(A, d, sizes)
        iterations += 1
    return Scaling(d, error, iterations, error <= tolerance)


def scaling_step(A: Sparse, d: Floats, sizes: Floats) -> Floats:
    """One step, d ← d / √(d ∘ S d), each row of S standing for `sizes` equal ones.  math.md (2)"""
    return d / np.sqrt(d * apply_similarity(A, sizes * d))


def scaling_error(A: Sparse, d: Floats, sizes: Floats) -> float:
    """The largest distance of a row sum of T = D(d) S D(d) from 1.  math.md (2)"""
    return float(np.max(np.abs(d * apply_similarity(A, sizes * d) - 1.0)))


def apply_similarity(A: Sparse, x: Floats) -> Floats:
    """S x = A (Aᵀ x), without S.  math.md (1)"""
    return np.asarray(A @ (A.T @ x))


def transition(A: Sparse, scaling: Scaling) -> Sparse:
    """T = D(d) S D(d), sparse; only for the side whose square fits in memory (the tags).  math.md (2)"""
    scaled = scale_matrix(A, scaling.d, np.ones(A.shape[1]))
    T: Sparse = csr_array(scaled @ scaled.T)
    T.sort_indices()
    return T
