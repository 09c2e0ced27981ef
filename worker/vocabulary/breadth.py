"""Breadth of tags: how evenly the documents of a tag spread over the document clusters."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.spatial.distance import jensenshannon

BROAD = 0.6
"""Pages show tags of at least this breadth apart. docs/explanation/labels.md explains the score and the limit."""


def breadth(
    matrix: csr_array[np.float64, tuple[int, int]], document_clusters: NDArray[np.int32]
) -> NDArray[np.float32]:
    """How close the documents of each tag are to documents drawn at random: 1 the same mixture, 0 one cluster only.

    With JS the Jensen–Shannon divergence of the distribution of documents over the document clusters from that of all
    documents, breadth = 1 − JS(the tag's documents) / JS(documents of the tag's main cluster alone). A tag without
    documents has breadth 0.
    """
    documents, k = len(document_clusters), int(document_clusters.max()) + 1
    membership = csr_array((np.ones(documents), document_clusters, np.arange(documents + 1)), shape=(documents, k))
    profiles = (matrix.T @ membership).toarray()
    background = np.bincount(document_clusters, minlength=k).astype(np.float64)
    narrowest = _divergences(np.eye(k), background)[profiles.argmax(axis=1)]
    ratio = np.divide(_divergences(profiles, background), narrowest, out=np.ones(len(narrowest)), where=narrowest > 0)
    ratio[~profiles.any(axis=1)] = 1.0
    scores: NDArray[np.float32] = (1.0 - ratio).clip(0.0, 1.0).astype(np.float32)
    return scores


def _divergences(rows: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Jensen–Shannon divergence in bits between each row and `other`.

    scipy takes the root of a sum that rounding can leave just below 0. The resulting NaN means 0.
    """
    with np.errstate(invalid="ignore"):
        distances = np.asarray(jensenshannon(rows, other[np.newaxis], base=2, axis=1))
    return np.nan_to_num(distances) ** 2
