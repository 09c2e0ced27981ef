"""Places rare tags: finds the cluster whose company is most like that of the tags beside them."""

from typing import Final

import numpy as np
from scipy.sparse import csr_array

from cocluster.equations.arrays import Floats, Ints, Sparse
from cocluster.equations.incidence import column_counts

STRIPE: Final = 512
"""Tags whose company is computed at a time, so that the counts of all pairs are never in memory at once."""

OWN: Final = 0.4
"""α: how much the cluster of a tag counts beside the company that it keeps."""

UNPLACED: Final = -1


def company_scores(M: Sparse, labels: Ints, k: int) -> Floats:
    """S = P ĉᵀ + α Z, tags × k clusters: how much each tag and its company point to each cluster.  tail.md (1)

    Z has a 1 for the cluster of each tag. P has a row for each tag: log₂(n C_ij/(c_i c_j)) where that is positive,
    scaled to length 1. ĉ_k is the sum of the rows of cluster k, scaled to length 1.
    """
    counts = column_counts(M).astype(np.float64)
    m = len(counts)
    transposed = csr_array(M.T)
    centres = np.zeros((k, m))
    for start in range(0, m, STRIPE):
        rows = _company(transposed, M, counts, start)
        np.add.at(centres, labels[start : start + STRIPE], rows.toarray())
    centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
    scores = np.empty((m, k))
    for start in range(0, m, STRIPE):
        scores[start : start + STRIPE] = np.asarray(_company(transposed, M, counts, start) @ centres.T)
    scores[np.arange(m), labels] += OWN
    return scores


def place(beside: Sparse, counts: Ints, scores: Floats) -> Floats:
    """Σ_h B_th/√c_h S_h for each rare tag t, rare tags × clusters; zeros without company.  tail.md (1)

    `beside` counts the documents that a rare tag shares with each tag of the tree; `counts` are those of the tree.
    """
    weighted = csr_array(beside.multiply(1.0 / np.sqrt(counts)[None, :]))
    placed: Floats = np.asarray(weighted @ scores)
    return placed


def nearest_clusters(placed: Floats) -> Ints:
    """The cluster with the largest score of each row; UNPLACED where nothing speaks for any."""
    best = placed.argmax(axis=1)
    known: Ints = np.where(placed.max(axis=1, initial=0.0) > 0, best, UNPLACED)
    return known


def steady_clusters(placed: Floats, before: Ints, kept: float) -> Ints:
    """The same, but the cluster that a row had `before` stays if its score is at least 1 − `kept` of the largest."""
    rows = np.arange(len(placed))
    former = np.where(before == UNPLACED, 0.0, placed[rows, before])
    stays = (former > 0) & (former >= (1.0 - kept) * placed.max(axis=1, initial=0.0))
    chosen: Ints = np.where(stays, before, nearest_clusters(placed))
    return chosen


def _company(transposed: Sparse, M: Sparse, counts: Floats, start: int) -> Sparse:
    """The rows of P from one tag on."""
    together = csr_array(transposed[start : start + STRIPE] @ M)
    rows = np.repeat(np.arange(together.shape[0]), np.diff(together.indptr))
    lift = M.shape[0] * together.data / (counts[start + rows] * counts[together.indices])
    together.data = np.log2(np.maximum(lift, 1.0))
    together.data[start + rows == together.indices] = 0.0
    norms = np.sqrt(np.bincount(rows, together.data**2, minlength=together.shape[0]))
    together.data /= np.maximum(norms, 1e-12)[rows]
    return together
