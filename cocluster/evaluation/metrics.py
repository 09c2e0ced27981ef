"""How well two labellings of the same items agree."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array

from cocluster.equations.arrays import Floats
from cocluster.equations.entropy import partition_entropy
from cocluster.equations.information import information


def homogeneity(truth: ArrayLike, labels: ArrayLike) -> float:
    """1 − H(truth | labels)/H(truth): 1 when every cluster holds members of one class only.

    Args:
        truth: The class of each item.
        labels: The cluster of each item.

    Returns:
        A number from 0 to 1.

    >>> homogeneity(["fruit", "fruit", "metal", "metal"], [0, 0, 1, 1])
    1.0
    """
    counts = contingency(truth, labels)
    return _explained_share(information(counts), counts.sum(axis=1))


def completeness(truth: ArrayLike, labels: ArrayLike) -> float:
    """1 − H(labels | truth)/H(labels): 1 when every class lies in one cluster.

    Args:
        truth: The class of each item.
        labels: The cluster of each item.

    Returns:
        A number from 0 to 1.

    >>> completeness(["fruit", "fruit", "metal"], [0, 0, 0])
    1.0
    """
    return homogeneity(labels, truth)


def v_measure(truth: ArrayLike, labels: ArrayLike, beta: float = 1.0) -> float:
    """V_β = (1+β) h c / (β h + c), h the homogeneity and c the completeness; β > 1 favours completeness.

    Args:
        truth: The class of each item.
        labels: The cluster of each item.
        beta: The weight of the completeness beside the homogeneity.

    Returns:
        A number from 0 to 1.

    >>> v_measure(["fruit", "fruit", "metal", "metal"], [1, 1, 0, 0])
    1.0
    >>> round(v_measure(["fruit", "fruit", "metal", "metal"], [0, 0, 0, 1]), 3)
    0.344
    """
    if beta < 0:
        raise ValueError(f"beta must not be negative, got {beta}")
    h, c = homogeneity(truth, labels), completeness(truth, labels)
    return 0.0 if h * c == 0 else (1 + beta) * h * c / (beta * h + c)


def contingency(truth: ArrayLike, labels: ArrayLike) -> Floats:
    """How many items each class (row) and cluster (column) share."""
    first, second = np.asarray(truth), np.asarray(labels)
    if first.ndim != 1 or first.shape != second.shape or not len(first):
        raise ValueError(f"two labellings of the same items are needed, got shapes {first.shape} and {second.shape}")
    classes, row = np.unique(first, return_inverse=True)
    clusters, column = np.unique(second, return_inverse=True)
    counts = coo_array((np.ones(len(row)), (row, column)), shape=(len(classes), len(clusters)))
    return np.asarray(counts.toarray())


def _explained_share(shared: float, sizes: Floats) -> float:
    entropy = partition_entropy(sizes.astype(np.int64))
    # One class only: nothing to explain, and any labelling is homogeneous.
    return 1.0 if entropy == 0 else min(1.0, shared / entropy)
