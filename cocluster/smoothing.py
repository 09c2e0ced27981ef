import numpy as np

from cocluster.arrays import Floats, Sparse
from cocluster.duplicates import Folded
from cocluster.similarity import scale
from cocluster.transition import Scaling


def smooth(folded: Folded, A: Sparse, scaling: Scaling, T: Sparse, rate: float) -> Floats:
    """M* = T^X M T^Y as the product (D(d)A) · G, for the different documents and tags.  math.md (3)

    A and `scaling` are those of the documents, T is T^Y. T^X would be n×n and is never built. The teleport
    is linear in the rows, so it is applied to G, which is smaller than M*.
    """
    DA = scale(A, scaling.d, np.ones(A.shape[1]))
    G = gathered(folded, A, scaling, T)
    column_sums = np.asarray(DA.T @ folded.row_sizes) @ G
    return np.asarray(DA @ teleport(G, rate, column_sums, folded.column_sizes))


def gathered(folded: Folded, A: Sparse, scaling: Scaling, T: Sparse) -> Floats:
    """G = (Aᵀ D(w∘d) M D(v)) T^Y, m×m: what each tag gathers from the documents around it.  math.md (3)"""
    weighted = scale(folded.matrix, folded.row_sizes * scaling.d, folded.column_sizes)
    return np.asarray((A.T @ weighted).tocsr() @ T.toarray())


def teleport(N: Floats, rate: float, column_sums: Floats, column_sizes: Floats) -> Floats:
    """(1−λ) N + λ·r cᵀ/Σ, with r the row sums of N and c the column sums of the whole matrix.  math.md (4)

    Every row sum, column sum and the total stay; every entry becomes positive, so KL is finite and
    disconnected parts merge last instead of never.
    """
    r = N @ column_sizes
    return (1.0 - rate) * N + np.outer(rate * r, column_sums / (column_sums @ column_sizes))
