from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from cocluster.arrays import Floats, Ints, Sparse

NEW = -1  # the label of an item that the run before did not have


@dataclass(frozen=True)
class Previous:
    """What a run inherits: the clusters its documents and tags had in the run before, at a few levels.

    `rows[i]` and `columns[i]` are the labels of every document and tag of the *new* matrix at level i (any
    numbers ≥ 0); −1 marks an item that the run before did not have.
    """

    rows: Sequence[ArrayLike]
    columns: Sequence[ArrayLike]


def inherit(N: Floats, previous: Previous, inertia: float) -> Floats:
    """(1−η) N + η·Q, Q the mean over the levels of the block averages of N.  math.md (12)

    Row sums, column sums and the total stay. η = 0 is the paper.

    Raises:
        ValueError: the labels do not fit N, or `inertia` does not lie in [0, 1).
    """
    if not 0 <= inertia < 1:
        raise ValueError(f"inertia must lie in [0, 1), not {inertia}")
    if len(previous.rows) != len(previous.columns) or not len(previous.rows):
        raise ValueError(
            "previous needs as many levels of rows as of columns, and at least one; "
            f"got {len(previous.rows)} and {len(previous.columns)}"
        )
    share = inertia / len(previous.rows)
    mixed = (1.0 - inertia) * N
    for level, labels in enumerate(zip(previous.rows, previous.columns, strict=True)):
        rows = checked_labels(labels[0], N.shape[0], f"previous.rows[{level}]")
        columns = checked_labels(labels[1], N.shape[1], f"previous.columns[{level}]")
        mixed += share * block_average(N, join_nearest(N, rows), join_nearest(N.T, columns))
    return mixed


def block_average(N: Floats, rows: Ints, columns: Ints) -> Floats:
    """q(x,y) = N_ab · r_x/R_a · c_y/C_b, a and b the clusters of x and y.  math.md (12)"""
    row_sums, column_sums = N.sum(axis=1), N.sum(axis=0)
    members_a, members_b = _members(rows), _members(columns)
    block = np.asarray((members_b @ np.asarray(members_a @ N).T).T)
    block /= np.outer(block.sum(axis=1), block.sum(axis=0))
    average: Floats = block[rows[:, None], columns[None, :]] * row_sums[:, None] * column_sums[None, :]
    return average


def join_nearest(N: Floats, labels: Ints) -> Ints:
    """Labels 0…k−1, where a new row joins the cluster a with the least KL(row ‖ a).  math.md (12)

    A side that is new altogether has nothing to join, and each of its items stays by itself.
    """
    new = labels == NEW
    if new.all():
        return np.arange(len(labels))
    joined = labels.copy()
    joined[~new] = np.unique(labels[~new], return_inverse=True)[1]
    if new.any():
        clusters = np.asarray(_members(joined[~new]) @ N[~new])
        share = clusters / clusters.sum(axis=1, keepdims=True)
        # KL(row ‖ a) = Σ row log row − Σ row log a, and the first sum is the same for every a.
        joined[new] = np.argmax(N[new] @ np.log2(share).T, axis=1)
    return joined


def checked_labels(labels: ArrayLike, items: int, name: str) -> Ints:
    """`labels` as integers; a ValueError that names them when they do not fit the side."""
    found = np.asarray(labels)
    if found.shape != (items,):
        raise ValueError(f"{name} must hold one label for each of {items} items, not shape {found.shape}")
    if found.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold whole numbers, not {found.dtype}")
    wrong = np.flatnonzero(found < NEW)
    if len(wrong):
        raise ValueError(f"{name}[{wrong[0]}] is {found[wrong[0]]}; labels are ≥ 0, or −1 for a new item")
    return found.astype(np.int64)


def _members(labels: Ints) -> Sparse:
    """One row per cluster, 1 where an item belongs to it."""
    items = len(labels)
    ones = (np.ones(items), (labels, np.arange(items)))
    return csr_array(ones, shape=(int(labels.max()) + 1, items))
