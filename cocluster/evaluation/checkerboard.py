"""A matrix with known clusters, for tests and measurements."""

import numpy as np
from scipy.sparse import csr_array

from cocluster.equations.arrays import Floats, Ints, Sparse


def checkerboard(
    n: int = 1000,
    m: int = 1000,
    k: int | tuple[int, int] = 15,
    *,
    alpha: float = 0.2,
    beta: float = 0.2,
    seed: int = 0,
) -> tuple[Sparse, Ints, Ints]:
    """A 0/1 matrix with known clusters: X, and the true cluster of each row and of each column.

    Rows fall into k_X and columns into k_Y equal parts (`k` alone means both). Each tile is filled with
    probability `alpha`, at a rate uniform in [0, beta]. Rows and columns left empty are dropped.

    Args:
        n: The number of rows.
        m: The number of columns.
        k: The number of clusters, of both sides or of each.
        alpha: The share of tiles that are filled.
        beta: The highest rate at which one is.
        seed: The same seed makes the same matrix.

    Returns:
        The sparse matrix, the clusters of its rows, and those of its columns.

    >>> X, rows, columns = checkerboard(n=20, m=12, k=3, alpha=0.9, beta=1.0)
    >>> X.shape
    (20, 12)
    >>> columns
    array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
    """
    k_rows, k_columns = (k, k) if isinstance(k, int) else k
    if not (1 <= k_rows <= n and 1 <= k_columns <= m):
        raise ValueError(f"k={k} clusters do not fit {n} rows × {m} columns")
    random = np.random.default_rng(seed)
    rows = np.arange(n) * k_rows // n
    columns = np.arange(m) * k_columns // m
    rate = tile_rates(k_rows, k_columns, alpha, beta, random)
    X = random.random((n, m)) < rate[rows[:, None], columns[None, :]]
    used_rows, used_columns = X.any(axis=1), X.any(axis=0)
    M: Sparse = csr_array(X[np.ix_(used_rows, used_columns)].astype(np.float64))
    return M, rows[used_rows], columns[used_columns]


def tile_rates(k_rows: int, k_columns: int, alpha: float, beta: float, random: np.random.Generator) -> Floats:
    """How likely an entry of each tile is 1: with probability `alpha` uniform in [0, beta], otherwise 0."""
    filled = random.random((k_rows, k_columns)) < alpha
    rates: Floats = np.where(filled, random.random((k_rows, k_columns)) * beta, 0.0)
    return rates
