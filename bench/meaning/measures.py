"""The measures: of tags shown together in groups, and of a partition on documents held out."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.stats import rankdata

Labels = NDArray[np.int64]
Sparse = csr_array[np.float64, tuple[int, int]]

PSEUDO_COUNTS: Final = 20.0
PLAIN_SHARE: Final = 0.05
COHERENT_TAGS: Final = 10
"""NPMI is that of so many of the commonest tags of a cluster."""

RESAMPLES: Final = 2000


def gain(cosines: NDArray[np.float64], labels: Labels) -> float:
    """Mean over tags: mean cosine to the others of its group − mean cosine to all others shown.

    A tag alone in its group counts 0. A random grouping has 0.
    """
    n = len(labels)
    if n < 2:
        return 0.0
    others = cosines - np.diag(np.diag(cosines))
    together = labels[:, None] == labels[None, :]
    in_group = together.sum(axis=1) - 1
    to_group = np.divide((others * together).sum(axis=1), in_group, out=np.zeros(n), where=in_group > 0)
    to_all = others.sum(axis=1) / (n - 1)
    return float(np.where(in_group > 0, to_group - to_all, 0.0).mean())


def auc(cosines: NDArray[np.float64], labels: Labels) -> float | None:
    """How often a pair in one group has a higher cosine than a pair in two; None without pairs of both kinds."""
    first, second = np.triu_indices(len(labels), 1)
    together = labels[first] == labels[second]
    inside = int(together.sum())
    outside = len(together) - inside
    if not inside or not outside:
        return None
    ranks = rankdata(cosines[first, second])
    return float((ranks[together].sum() - inside * (inside + 1) / 2) / (inside * outside))


def bits(training: Sparse, held_out: Sparse, labels: Labels) -> float:
    """log₂ P(hidden tag | clusters of the document's other tags) / P(tag): mean over documents held out.

    P(tag | cluster) is counted on the training documents, with 20 pseudo-counts of the tag's share. The other tags of
    a document count the same. 5 % of the plain share is mixed in.
    """
    k, m = int(labels.max()) + 1, len(labels)
    member = csr_array((np.ones(m), (labels, np.arange(m))), shape=(k, m))
    pairs = (training.T @ training).toarray()
    np.fill_diagonal(pairs, 0.0)
    counts: NDArray[np.float64] = np.asarray(training.sum(axis=0)).ravel()
    share = counts / counts.sum()
    counted = np.asarray(member @ pairs)
    given = (counted + PSEUDO_COUNTS * share) / (counted.sum(axis=1, keepdims=True) + PSEUDO_COUNTS)
    found = []
    for start, end in zip(held_out.indptr[:-1], held_out.indptr[1:], strict=True):
        tags = held_out.indices[start:end]
        if len(tags) < 2:
            continue
        by_other = given[labels[tags]][:, tags]
        np.fill_diagonal(by_other, 0.0)
        likely = (1 - PLAIN_SHARE) * by_other.sum(axis=0) / (len(tags) - 1) + PLAIN_SHARE * share[tags]
        found.append(np.log2(likely / share[tags]).mean())
    return float(np.mean(found))


def shuffled(labels: Labels, seed: int) -> Labels:
    """A random partition with the same sizes."""
    return np.random.default_rng(seed).permutation(labels)


def npmi(held_out: Sparse, groups: Sequence[Sequence[int]]) -> float:
    """Mean NPMI of the pairs of each group's tags (their first ten) on documents held out, weighted by group size.

    NPMI = log(p(a, b)/p(a)p(b)) / −log p(a, b); −1 for a pair that never meets. Pairs with a tag that no held-out
    document has say nothing and are left out, like groups without a pair.
    """
    documents = held_out.shape[0]
    columns = held_out.tocsc()
    total, weight = 0.0, 0
    for group in groups:
        tags = list(group[:COHERENT_TAGS])
        part = columns[:, tags]
        together = (part.T @ part).toarray() / documents
        single = np.diag(together)
        first, second = np.triu_indices(len(tags), 1)
        met = (single[first] > 0) & (single[second] > 0)
        if not met.any():
            continue
        joint, expected = together[first, second][met], (single[first] * single[second])[met]
        safe = np.clip(joint, 1e-300, 1 - 1e-12)
        values = np.where(joint > 0, np.log(safe / expected) / -np.log(safe), -1.0)
        total += float(values.mean()) * len(group)
        weight += len(group)
    return total / weight if weight else 0.0


def interval(values: NDArray[np.float64], seed: int = 0) -> tuple[float, float]:
    """The 95 % bootstrap interval of a mean."""
    drawn = np.random.default_rng(seed).integers(0, len(values), (RESAMPLES, len(values)))
    low, high = np.percentile(values[drawn].mean(axis=1), (2.5, 97.5))
    return float(low), float(high)


def ratio_interval(values: NDArray[np.float64], base: NDArray[np.float64], seed: int = 0) -> tuple[float, float]:
    """The 95 % bootstrap interval of a ratio of means over the same questions."""
    drawn = np.random.default_rng(seed).integers(0, len(values), (RESAMPLES, len(values)))
    low, high = np.percentile(values[drawn].mean(axis=1) / base[drawn].mean(axis=1), (2.5, 97.5))
    return float(low), float(high)
