"""Entropy of a partition, and the weight that it gives to a merge."""

import numpy as np

from cocluster.engine.weights import Cost
from cocluster.equations.arrays import Floats, Ints


def partition_entropy(sizes: Ints) -> float:
    """H(C) = −Σ p log₂ p with p_i = |c_i|/n: item counts, not masses.  math.md (5)"""
    return float(np.sum(entropy_terms(sizes, int(np.sum(sizes)), critical_size=0)))


def restricted_entropy(sizes: Ints, critical_size: int) -> float:
    """H*_rel(C; r): only clusters of more than r items count, still divided by log₂ k; H_rel if r = 0.  math.md (5)"""
    k = len(sizes)
    if k < 2:
        return 0.0
    return float(np.sum(entropy_terms(sizes, int(np.sum(sizes)), critical_size)) / np.log2(k))


def entropy_terms(sizes: Ints, items: int, critical_size: int) -> Floats:
    """−p log₂ p of each cluster, 0 for those of at most `critical_size` items.  math.md (5)"""
    p = np.asarray(sizes) / items
    terms: Floats = np.where(np.asarray(sizes) > critical_size, -p * np.log2(p), 0.0)
    return terms


def merge_weight(p_i: float, p_j: float, k: int) -> float:
    """W = (p_i+p_j) log₂(p_i+p_j)/log₂(k−1) − (p_i log₂ p_i + p_j log₂ p_j)/log₂ k.  math.md (6)

    k ≥ 2 is the number of clusters before the merge. A negative W counts as 0; at k = 2, where
    log₂(k−1) = 0, log₂ k stands in both places.
    """
    p = p_i + p_j
    after = np.log2(k - 1) if k > 2 else np.log2(k)
    weight = p * np.log2(p) / after - (p_i * np.log2(p_i) + p_j * np.log2(p_j)) / np.log2(k)
    return max(0.0, float(weight))


def weight_in(cost: Cost, p_i: float, p_j: float, k: int) -> float:
    """The weight of a merge in a cost: W of (6), or 1 where KL^J stands alone.  math.md (8)"""
    return 1.0 if cost == "divergence" else merge_weight(p_i, p_j, k)
