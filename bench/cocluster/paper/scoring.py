"""The V-measure of every cut of a tree at once."""

import numpy as np

from cocluster.equations.arrays import Floats, Ints
from tagmodel import Dendrogram


def v_by_k(tree: Dendrogram, truth: Ints) -> Floats:
    """The V-measure of every cut of a tree, for k = 1…n clusters.

    V = 2 I/(H(truth) + H(clusters)), I = H(truth) + H(clusters) − H(both). A merge changes two rows of the
    table of counts, so all n cuts cost about as much as a few calls of `v_measure`.
    """
    n = tree.items
    x = np.arange(n + 1)
    x_log_x = x * np.log2(np.maximum(x, 1))
    classes = np.unique(truth, return_inverse=True)[1]
    counts = np.zeros((n, classes.max() + 1), dtype=np.int64)
    counts[np.arange(n), classes] = 1

    gain_clusters, gain_both = np.zeros(n), np.zeros(n)
    # A cluster is named by its smallest leaf.
    for merge, (a, b) in enumerate(np.sort(tree.smallest[tree.pairs], axis=1).tolist(), start=1):
        union = counts[a] + counts[b]
        gain_both[merge] = np.sum(x_log_x[union] - x_log_x[counts[a]] - x_log_x[counts[b]])
        gain_clusters[merge] = x_log_x[union.sum()] - x_log_x[counts[a].sum()] - x_log_x[counts[b].sum()]
        counts[a] = union

    of_truth = np.log2(n) - x_log_x[np.bincount(classes)].sum() / n
    of_clusters = np.log2(n) - np.cumsum(gain_clusters) / n
    of_both = np.log2(n) - np.cumsum(gain_both) / n
    apart = of_truth + of_clusters
    # One class in one cluster: nothing to tell apart, and nothing told wrongly.
    v = np.divide(2 * (apart - of_both), apart, out=np.ones(n), where=apart > 1e-12)
    return np.asarray(v[::-1])
