"""How much clusters of tags say about documents: predicted bits and NPMI, each beside that of random clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from cocluster.equations.arrays import Floats, Ints, Sparse
from cocluster.equations.incidence import column_counts, row_counts

MOST: Final = 20_000
"""Documents to measure on, at most: a random sample of a larger corpus."""

HELD_OUT: Final = 0.2
"""The share of them that is held out."""

DRAWS: Final = 10
"""Random partitions to average over."""

PSEUDO_COUNTS: Final = 20.0
"""Every cluster counts as many more neighbours, drawn by the plain shares of the tags."""

PLAIN: Final = 0.05
"""The weight of the tag's plain share in a prediction."""

COMMONEST: Final = 10
"""Tags of a cluster that its NPMI compares."""

BLOCK: Final = 20_000
"""Hidden tags predicted at a time."""


@dataclass(frozen=True)
class Coherence:
    """How much clusters of tags say about documents. The random ones have the same sizes; means of several draws.

    Attributes:
        bits: how much better the clusters of a document's other tags predict a hidden tag than its plain share does.
        npmi: how often tags of one cluster meet: −1 never, 0 as often as independent tags, 1 always.
    """

    bits: float
    random_bits: float
    npmi: float
    random_npmi: float


def coherence(matrix: Sparse, labels: ArrayLike, seed: int = 0) -> Coherence:
    """Measure a partition of the tags on all documents, or on a sample of them if there are many.

    Bits are measured on a fifth of them, and counted on the others. They are 0 if no document of the fifth has two tags
    that the others have. A partition made from the same documents looks a little better than it is.

    Args:
        matrix: Documents × tags, 0 and 1.
        labels: The cluster of each tag.
        seed: Draws the sample and the random groups that it is compared with.

    Returns:
        The bits of the clusters beside those of random groups, and their NPMI.

    >>> from cocluster import checkerboard
    >>> X, _, columns = checkerboard(n=200, m=12, k=3, alpha=0.9, beta=1.0)
    >>> isinstance(coherence(X, columns), Coherence)
    True
    """
    given = np.asarray(labels)
    if given.shape != (matrix.shape[1],):
        raise ValueError(f"the matrix has {matrix.shape[1]} tags, but the labels have shape {given.shape}")
    clusters = np.unique(given, return_inverse=True)[1].astype(np.int64)
    random = np.random.default_rng(seed)
    rows = random.permutation(matrix.shape[0])[:MOST]
    train, held_out, tags = _split(matrix, rows)
    sample = csr_array(matrix[np.sort(rows)])
    partitions = [clusters, *(random.permutation(clusters) for _ in range(DRAWS))]
    bits = [predicted_bits(train, held_out, partition[tags]) for partition in partitions]
    npmi = [weighted_npmi(sample, partition) for partition in partitions]
    return Coherence(bits[0], float(np.mean(bits[1:])), npmi[0], float(np.mean(npmi[1:])))


def predicted_bits(train: Sparse, held_out: Sparse, labels: Ints) -> float:
    """The mean of log₂ P(t | clusters of the other tags) / P(t) over the tags t of held-out documents.

    P(t | others) = 0.95 · (mean over the other tags j of P(t | cluster of j)) + 0.05 · P(t)
    P(t | c) = (n_tc + 20 P(t)) / (n_c + 20)

    P(t) is t's share of all tags of training documents, n_tc how often t stands beside another tag, of cluster c, in a
    training document, and n_c = Σ_t n_tc. Every tag must occur in a training document, and every held-out document must
    have two tags.
    """
    if not held_out.shape[0]:
        return 0.0
    counts = column_counts(train)
    plain = counts / counts.sum()
    membership: Sparse = csr_array((np.ones(len(labels)), labels, np.arange(len(labels) + 1)))
    beside = _beside(train, membership, counts)
    weight = 1.0 / (_row_sums(csr_array(beside.T)) + PSEUDO_COUNTS)
    weighted: Sparse = csr_array((held_out @ membership).multiply(weight[None, :]))
    weights = _row_sums(weighted)
    beside_own = _row_sums(beside.multiply(membership))
    lengths = row_counts(held_out)
    total = 0.0
    hidden_in, hidden = held_out.nonzero()
    for start in range(0, len(hidden), BLOCK):
        row, tag = hidden_in[start : start + BLOCK], hidden[start : start + BLOCK]
        own = weight[labels[tag]]
        # Sums over all tags of the document, then without the hidden tag itself.
        counted = _row_sums(beside[tag].multiply(weighted[row])) - own * beside_own[tag]
        pseudo = PSEUDO_COUNTS * plain[tag] * (weights[row] - own)
        predicted = (counted + pseudo) / (lengths[row] - 1)
        total += float(np.log2((1.0 - PLAIN) * predicted / plain[tag] + PLAIN).sum())
    return total / len(hidden)


def weighted_npmi(matrix: Sparse, labels: Ints) -> float:
    """NPMI of each cluster's ten commonest tags, the mean over their pairs; the mean over clusters, weighted by size.

    NPMI = log(p_ij / p_i p_j) / −log p_ij, −1 for tags that never meet, 1 for tags that every document has. Tags
    without a document are passed over. A cluster without a pair counts 0.
    """
    documents = matrix.shape[0]
    counts = column_counts(matrix)
    columns = matrix.tocsc()
    order = np.lexsort((-counts, labels))
    total = 0.0
    for members in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        tags = members[:COMMONEST]
        tags = tags[counts[tags] > 0]
        if len(tags) > 1:
            chosen = columns[:, tags]
            first, second = np.triu_indices(len(tags), 1)
            together = (chosen.T @ chosen).toarray()[first, second] / documents
            apart = counts[tags][first] * counts[tags][second] / documents**2
            total += len(members) * float(_npmi(together, apart).mean())
    return total / len(labels)


def _npmi(together: Floats, apart: Floats) -> Floats:
    values = np.where(together > 0, 1.0, -1.0)
    some = (together > 0) & (together < 1)
    values[some] = np.log(together[some] / apart[some]) / -np.log(together[some])
    return values


def _split(matrix: Sparse, rows: Ints) -> tuple[Sparse, Sparse, Ints]:
    """Training documents, held-out documents with at least two tags, and the tags that the training documents have."""
    size = round(HELD_OUT * len(rows))
    train = matrix[np.sort(rows[size:])]
    tags = np.flatnonzero(column_counts(train))
    held_out = csr_array(matrix[np.sort(rows[:size])][:, tags])
    return csr_array(train[:, tags]), csr_array(held_out[np.flatnonzero(row_counts(held_out) > 1)]), tags


def _row_sums(matrix: Sparse) -> Floats:
    return np.asarray(matrix @ np.ones(matrix.shape[1]))


def _beside(train: Sparse, membership: Sparse, counts: Ints) -> Sparse:
    """n_tc, tags × clusters: how often a tag stands beside another tag of a cluster in one document."""
    itself = csr_array(membership.multiply(counts[:, None]))
    return csr_array(train.T @ (train @ membership) - itself)
