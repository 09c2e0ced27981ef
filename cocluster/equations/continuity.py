"""Continuity between runs: a run inherits the clusters of the run before it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from cocluster.equations.arrays import Floats, Ints, Sparse

NEW = -1  # the label of an item that the run before did not have
TIE = 1e-11  # clusters closer to each other than this (relative) are equally near: rounding does not choose


@dataclass(frozen=True)
class Previous:
    """What a run inherits: the clusters its documents and tags had in the run before, at a few levels.

    `rows[i]` and `columns[i]` are the labels of every document and tag of the *new* matrix at level i (any
    numbers ≥ 0); −1 marks an item that the run before did not have.
    """

    rows: Sequence[ArrayLike]
    columns: Sequence[ArrayLike]


@dataclass(frozen=True)
class PreviousLabels:
    """The checked labels of a Previous, items × levels for each side, and η, how much of them to inherit."""

    rows: Ints
    columns: Ints
    inertia: float


def validate_labels(previous: Previous, shape: tuple[int, int], inertia: float) -> PreviousLabels:
    """The labels of every item at every level.

    Raises:
        ValueError: the labels do not fit the matrix, or `inertia` does not lie in [0, 1).
    """
    if not 0 <= inertia < 1:
        raise ValueError(f"inertia must lie in [0, 1), not {inertia}")
    if len(previous.rows) != len(previous.columns) or not len(previous.rows):
        raise ValueError(
            "previous needs as many levels of rows as of columns, and at least one; "
            f"got {len(previous.rows)} and {len(previous.columns)}"
        )
    rows = [checked_labels(labels, shape[0], f"previous.rows[{level}]") for level, labels in enumerate(previous.rows)]
    columns = [
        checked_labels(labels, shape[1], f"previous.columns[{level}]") for level, labels in enumerate(previous.columns)
    ]
    return PreviousLabels(np.column_stack(rows), np.column_stack(columns), inertia)


def inherit(N: Floats, previous: PreviousLabels, row_sizes: Floats, column_sizes: Floats) -> Floats:
    """(1−η) N + η·Q, Q the mean over the levels of the block averages of N.  math.md (12)

    Row sums, column sums and the total stay. η = 0 gives the M* of the paper. The sizes count the items that each
    row and column stands for.
    """
    levels = previous.rows.shape[1]
    mixed = (1.0 - previous.inertia) * N
    for level in range(levels):
        rows = join_nearest(N * column_sizes, previous.rows[:, level], row_sizes)
        columns = join_nearest((N * row_sizes[:, None]).T, previous.columns[:, level], column_sizes)
        mixed += previous.inertia / levels * block_average(N, rows, columns, row_sizes, column_sizes)
    return mixed


def block_average(N: Floats, rows: Ints, columns: Ints, row_sizes: Floats, column_sizes: Floats) -> Floats:
    """q(x,y) = N_ab · r_x/R_a · c_y/C_b, a and b the clusters of x and y.  math.md (12)"""
    row_sums, column_sums = N @ column_sizes, row_sizes @ N
    members_a, members_b = _members(rows, row_sizes), _members(columns, column_sizes)
    block = np.asarray((members_b @ np.asarray(members_a @ N).T).T)
    block /= np.outer(block.sum(axis=1), block.sum(axis=0))
    average: Floats = block[rows[:, None], columns[None, :]] * row_sums[:, None] * column_sums[None, :]
    return average


def join_nearest(N: Floats, labels: Ints, row_sizes: Floats) -> Ints:
    """Labels 0…k−1, where a new row joins the cluster a with the least KL(row ‖ a), of ties the first.  math.md (12)

    If a whole side is new, each of its items stays by itself.
    """
    new = labels == NEW
    if new.all():
        return np.arange(len(labels))
    joined = labels.copy()
    joined[~new] = np.unique(labels[~new], return_inverse=True)[1]
    if new.any():
        clusters = np.asarray(_members(joined[~new], row_sizes[~new]) @ N[~new])
        share = clusters / clusters.sum(axis=1, keepdims=True)
        # KL(row ‖ a) = Σ row log row − Σ row log a, and the first sum is the same for every a.
        score = N[new] @ np.log2(share).T
        joined[new] = np.argmax(score >= score.max(axis=1, keepdims=True) * (1.0 + TIE), axis=1)
    return joined


def checked_labels(labels: ArrayLike, items: int, name: str) -> Ints:
    """`labels` as integers; a ValueError that names them when they do not fit the side."""
    array = np.asarray(labels)
    if array.shape != (items,):
        raise ValueError(f"{name} must hold one label for each of {items} items, not shape {array.shape}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold whole numbers, not {array.dtype}")
    wrong = np.flatnonzero(array < NEW)
    if len(wrong):
        raise ValueError(f"{name}[{wrong[0]}] is {array[wrong[0]]}; labels are ≥ 0, or −1 for a new item")
    return array.astype(np.int64)


def _members(labels: Ints, sizes: Floats) -> Sparse:
    """One row per cluster, with the size of each item that belongs to it."""
    items = len(labels)
    return csr_array((sizes, (labels, np.arange(items))), shape=(int(labels.max()) + 1, items))
