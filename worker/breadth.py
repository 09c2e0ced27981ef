import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

BROAD = 0.8
"""Tags of at least this breadth are shown apart. docs/labels.md explains the score and the limit."""


def breadth(
    matrix: csr_array[np.float64, tuple[int, int]], clusters: NDArray[np.int32], n_clusters: int
) -> NDArray[np.float32]:
    """How close the company of each tag is to that of a tag drawn at random: 1 the same, 0 nothing in common.

    The company of a tag is the distribution of the other tags of its documents over the clusters, each document
    weighing 1/r. Breadth = 1 − Jensen–Shannon divergence (bits) between it and the distribution of all tags.
    """
    member = np.zeros((matrix.shape[1], n_clusters))
    member[np.arange(matrix.shape[1]), clusters] = 1.0
    weights = 1.0 / np.asarray(matrix.sum(axis=1)).ravel()
    weighted = csr_array(matrix.multiply(weights[:, None]))
    company = matrix.T @ (weighted @ member)
    company[np.arange(len(clusters)), clusters] -= np.asarray(weighted.sum(axis=0)).ravel()
    background = company.sum(axis=0)
    result: NDArray[np.float32] = (1.0 - jensen_shannon(company, background)).astype(np.float32)
    return result


def jensen_shannon(rows: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Jensen–Shannon divergence in bits between each row and `other`, all normalised; 1 for a row without mass."""
    mass = rows.sum(axis=1, keepdims=True)
    a = np.divide(rows, mass, out=np.zeros_like(rows), where=mass > 0)
    b = other / other.sum() if other.sum() > 0 else other
    middle = (a + b) / 2
    divergence = (_relative_entropy(a, middle) + _relative_entropy(np.broadcast_to(b, a.shape), middle)) / 2
    return np.where(mass.ravel() > 0, divergence, 1.0).clip(0.0, 1.0)


def _relative_entropy(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """KL(p‖q) by row, with 0·log 0 = 0."""
    ratio = np.divide(p, q, out=np.ones(p.shape), where=p > 0)
    result: NDArray[np.float64] = (p * np.log2(ratio)).sum(axis=1)
    return result
