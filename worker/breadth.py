import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

BROAD = 0.6
"""Tags of at least this breadth are shown apart. docs/explanation/labels.md explains the score and the limit."""


def breadth(
    matrix: csr_array[np.float64, tuple[int, int]], document_clusters: NDArray[np.int32]
) -> NDArray[np.float32]:
    """How close the documents of each tag are to documents drawn at random: 1 the same mixture, 0 one cluster only.

    With JS the Jensen–Shannon divergence of the distribution of documents over the document clusters from that of all
    documents, breadth = 1 − JS(the tag's documents) / JS(documents of the tag's main cluster alone).
    """
    documents, k = len(document_clusters), int(document_clusters.max()) + 1
    member = csr_array((np.ones(documents), document_clusters, np.arange(documents + 1)), shape=(documents, k))
    profiles = (matrix.T @ member).toarray()
    background = np.bincount(document_clusters, minlength=k).astype(np.float64)
    narrowest = jensen_shannon(np.eye(k), background)[profiles.argmax(axis=1)]
    ratio = np.divide(jensen_shannon(profiles, background), narrowest, out=np.ones(len(narrowest)), where=narrowest > 0)
    wide: NDArray[np.float32] = (1.0 - ratio).clip(0.0, 1.0).astype(np.float32)
    return wide


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
