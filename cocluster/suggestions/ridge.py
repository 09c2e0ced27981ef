"""The ridge regressions of all tags on all others, in closed form."""

from typing import Final

import numpy as np

from cocluster.suggestions.cooccurrence import Floats32
from cocluster.suggestions.lapack import factorise, invert_factored


class SingularRegressionError(ValueError):
    """The penalty is too small for this corpus."""

    def __init__(self) -> None:
        super().__init__("the tags' regression is singular in float32: the penalty is too small for this corpus")


BLOCK: Final = 512
"""Rows mirrored at a time, so that nothing as large as the matrix is copied."""


def ridge(G: Floats32, penalty: float) -> Floats32:
    """B = I − P D(1/diag P), P = (G + λI)⁻¹: each tag regressed on all others.  suggestions.md (2)

    B_ij is the weight of tag i of a query for tag j; the diagonal is 0. λ is the `penalty`. The matrix is scaled to a
    diagonal of ones before it is factorised, so that float32 is precise enough.
    """
    diagonal = np.diag(G) + penalty
    d = (1.0 / np.sqrt(diagonal)).astype(np.float32)
    A = G * d[:, None]
    A *= d
    np.fill_diagonal(A, 1.0)
    # Symmetric, so its transpose is the column order that LAPACK overwrites without a copy.
    P = _inverse(A.T).T
    # P is the inverse of the scaled matrix: B_ij = −P_ij d_i d_j / (P_jj d_j²).
    P *= d[:, None]
    P *= (-1.0 / (np.diag(P).copy()))[None, :]
    np.fill_diagonal(P, 0.0)
    return P


def _inverse(A: Floats32) -> Floats32:
    """The inverse of a symmetric positive definite matrix, in its place."""
    if not (factorise(A) and invert_factored(A)):
        raise SingularRegressionError
    for start in range(0, len(A), BLOCK):
        corner = slice(start, start + BLOCK)
        A[corner, start + BLOCK :] = A[start + BLOCK :, corner].T
        lower = np.tril(A[corner, corner])
        A[corner, corner] = lower + np.tril(lower, -1).T
    return A
