"""Similarities of documents and of tags, as sparse factors; the square matrices are never built."""

import numpy as np
from scipy.sparse import csr_array

from cocluster.equations.arrays import Floats, Sparse


def similarity_factor(M: Sparse, row_sizes: Floats, column_sizes: Floats) -> Sparse:
    """A with S = A Aᵀ, where S_ij = Σₖ vₖ M_ik M_jk/cₖ / √(Σₖ vₖ M_ik/cₖ · Σₖ vₖ M_jk/cₖ).  math.md (1)

    cₖ = Σᵢ wᵢ M_ik counts the documents of tag k; w (`row_sizes`) and v (`column_sizes`) count the
    documents and tags that each row and column stands for. S^X is the factor of M, S^Y that of Mᵀ with the
    sizes exchanged. S itself would be n×n and is never built.
    """
    weight: Floats = column_sizes / np.asarray(M.T @ row_sizes)
    norm: Floats = np.asarray(M @ weight)
    return scale_matrix(M, 1.0 / np.sqrt(norm), np.sqrt(weight))


def scale_matrix(M: Sparse, rows: Floats, columns: Floats) -> Sparse:
    """D(rows) M D(columns), M sparse."""
    data = M.data * np.repeat(rows, np.diff(M.indptr)) * columns[M.indices]
    return csr_array((data, M.indices, M.indptr), shape=M.shape)
