import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

BROAD = 0.4
"""Tags of at least this breadth are shown apart. docs/labels.md explains the score and the limit."""


def breadth(
    matrix: csr_array[np.float64, tuple[int, int]], document_clusters: NDArray[np.int32]
) -> NDArray[np.float32]:
    """How close the documents of each tag are to documents drawn at random: 1 the same mixture, 0 nothing in common.

    Breadth = 1 − Jensen–Shannon divergence (bits) between the distribution of the tag's documents over the document
    clusters and that of all documents. A tag in every document has 1; one that keeps to a topic is near 0.
    """
    documents = len(document_clusters)
    member = csr_array(
        (np.ones(documents), document_clusters, np.arange(documents + 1)),
        shape=(documents, int(document_clusters.max()) + 1),
    )
    profiles = (matrix.T @ member).toarray()
    background = np.bincount(document_clusters).astype(np.float64)
    return (1.0 - jensen_shannon(profiles, background)).astype(np.float32)


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
