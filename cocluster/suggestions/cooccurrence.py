"""Counts how often tags occur together."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.equations.arrays import Floats, Sparse
from cocluster.equations.incidence import row_counts
from cocluster.equations.similarity import scale_matrix

Floats32: TypeAlias = NDArray[np.float32]
Sparse32: TypeAlias = "csr_array[np.float32, tuple[int, int]]"


def cooccurrence_shares(M: Sparse) -> Sparse32:
    """A_ij: the share of the documents of i that have j, a document of r tags counting 1/r.  suggestions.md (3)"""
    F = cooccurrence(M, 1.0)
    shares = F.data / np.repeat(F.diagonal(), np.diff(F.indptr))
    A: Sparse32 = csr_array((shares, F.indices, F.indptr), shape=F.shape)
    A.setdiag(0.0)
    return A


def cooccurrence(M: Sparse, power: float = 0.5) -> Sparse32:
    """G = Mᵀ D(r^-½) M: how often two tags occur together, a document of r tags counting 1/√r.  suggestions.md (1)

    Unweighted, a document has r(r−1) pairs, so the few long ones would dominate; with 1/r (power 1), as in S^Y,
    short ones do.
    """
    weight: Floats = row_counts(M).astype(np.float64) ** (-0.5 * power)
    weighted = scale_matrix(M, weight, np.ones(M.shape[1])).astype(np.float32)
    G: Sparse32 = csr_array(weighted.T @ weighted)
    G.sort_indices()
    return G
