"""The critical size r, fixed or automatic, and the entropies that it restricts."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from cocluster.equations.arrays import Floats, Ints
from cocluster.equations.entropy import entropy_terms
from tagmodel import Dendrogram

CriticalSize: TypeAlias = int | Literal["auto"]


@dataclass(frozen=True)
class SizeRange:
    """The critical sizes that "auto" averages over, for n items in k clusters.  math.md (10)

    They reach from centre/spread to centre·spread, with centre = max(min(least, n/8), share·n) items, and no
    less than from `low` to `high` times the mean size n/k. The average is multiplied by the share of the
    clusters that count, to the power of `penalty`. bench/critical_size chose these numbers.
    """

    least: float = 5.5
    share: float = 0.0072
    spread: float = 1.3
    low: float = 0.22
    high: float = 0.95
    penalty: float = 0.4


AUTOMATIC = SizeRange()


def entropy_by_k(tree: Dendrogram, critical_size: CriticalSize) -> Floats:
    """H*_rel(C; r) for k = 1…n clusters.  math.md (5)"""
    if critical_size == "auto":
        return averaged_entropy(tree)
    return fixed_entropy(tree, critical_size)


def noise_size(items: int, over: SizeRange = AUTOMATIC) -> float:
    """c, the centre of the sizes at which a cluster begins to count, whatever the others are.  math.md (10)"""
    return max(min(over.least, items / 8), over.share * items)


def fixed_entropy(tree: Dendrogram, critical_size: int) -> Floats:
    """H*_rel(C; r) for k = 1…n clusters and one critical size r.  math.md (5)"""

    def terms(sizes: Ints) -> Floats:
        return entropy_terms(sizes, tree.items, critical_size)

    a, b = tree.node_sizes[tree.pairs].T
    change = terms(a + b) - terms(a) - terms(b)
    start = np.sum(terms(tree.sizes))
    # The sum of terms is never negative; rounding could leave it just below 0.
    total = np.maximum(0.0, np.cumsum(np.concatenate([[start], change])))
    return _divide_by_log_k(total[::-1])


def averaged_entropy(tree: Dendrogram, over: SizeRange = AUTOMATIC) -> Floats:
    """H*_rel(C; r) for k = 1…n clusters, averaged over a range of critical sizes r.  math.md (10)

    One r alone makes the criterion jump whenever a cluster passes it. Averaged, a cluster counts by the
    share of the range that lies below its size: from 0 to 1, as its size goes through the range.
    """
    items = tree.items
    centre = noise_size(items, over)
    sizes = np.arange(1, items + 1)
    terms = entropy_terms(sizes, items, critical_size=0)
    absolute = share_below(sizes, centre / over.spread, centre * over.spread)
    first = int(np.searchsorted(absolute, 0.0, side="right"))  # smaller clusters never count
    counts = np.bincount(tree.sizes - 1, minlength=items)
    largest = int(tree.sizes.max())

    def weighted_entropy(k: int) -> float:
        present = first + np.flatnonzero(counts[first:largest])
        relative = share_below(sizes[present], over.low * items / k, over.high * items / k)
        clusters = counts[present] * np.minimum(absolute[present], relative)
        return float(np.sum(clusters * terms[present]) * (np.sum(clusters) / k) ** over.penalty)

    total = np.zeros(tree.leaves)
    total[-1] = weighted_entropy(tree.leaves)
    for merge, (a, b) in enumerate(tree.node_sizes[tree.pairs].tolist()):
        counts[a - 1] -= 1
        counts[b - 1] -= 1
        counts[a + b - 1] += 1
        largest = max(largest, a + b)
        total[-2 - merge] = weighted_entropy(tree.leaves - 1 - merge)
    return _divide_by_log_k(total)


def share_below(sizes: Ints, low: float, high: float) -> Floats:
    """The share of the critical sizes from `low` to `high`, log-uniform, that lie below each size."""
    share: Floats = np.clip(np.log(sizes / low) / math.log(high / low), 0.0, 1.0)
    return share


def _divide_by_log_k(total: Floats) -> Floats:
    """Entropies for k = 1…n clusters divided by log₂ k; a single cluster has none."""
    k = np.arange(1, len(total) + 1)
    relative: Floats = np.divide(total, np.log2(k), out=np.zeros(len(total)), where=k > 1)
    return relative
