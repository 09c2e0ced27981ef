"""The ridge regressions of all tags on all others, in closed form."""

from functools import cache
from typing import Final

import numpy as np
from scipy.linalg import lapack
from threadpoolctl import ThreadpoolController

from cocluster.suggestions.cooccurrence import Floats32


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
    """The inverse of a symmetric positive definite matrix, in its place.

    By one thread: several of BLAS wait for each other busily, which on a busy machine takes many times the work itself.
    """
    with _blas().limit(limits=1, user_api="blas"):
        A, wrong = lapack.spotrf(A, lower=1, clean=0, overwrite_a=1)
        if not wrong:
            A, wrong = lapack.spotri(A, lower=1, overwrite_c=1)
    if wrong:
        raise SingularRegressionError
    for start in range(0, len(A), BLOCK):
        corner = slice(start, start + BLOCK)
        A[corner, start + BLOCK :] = A[start + BLOCK :, corner].T
        lower = np.tril(A[corner, corner])
        A[corner, corner] = lower + np.tril(lower, -1).T
    return A


@cache
def _blas() -> ThreadpoolController:
    """The BLAS libraries of this process."""
    return ThreadpoolController()
