from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cocluster.arrays import Floats, Ints
from cocluster.engine import Merges
from cocluster.information import information_left

ROWS, COLUMNS = 0, 1

STEP = np.dtype(
    [
        ("side", np.int8),
        ("a", np.int32),
        ("b", np.int32),
        ("cost", np.float64),
        ("divergence", np.float64),
        ("information", np.float64),
        ("row_entropy", np.float64),
        ("column_entropy", np.float64),
    ]
)


@dataclass(frozen=True)
class Tree:
    """The merges of one side, in order; after merge t there are leaves − 1 − t clusters.

    A leaf is an item, or a micro-cluster that stands for several: `sizes` says how many. A cluster is named by
    its smallest member (`a` < `b`; the union is called a), and has a node id as in scipy: leaves are 0…n−1, merge
    t makes node n+t. `a_size` and `b_size` count items. `information` is what is left after each merge, `start`
    what there was before the first.
    """

    sizes: Ints
    a: Ints
    b: Ints
    a_node: Ints
    b_node: Ints
    a_size: Ints
    b_size: Ints
    loss: Floats
    information: Floats
    start: float

    @property
    def leaves(self) -> int:
        """How many leaves the tree has."""
        return len(self.sizes)

    @property
    def items(self) -> int:
        """How many items the leaves stand for."""
        return int(self.sizes.sum())


@dataclass(frozen=True)
class History:
    """All merges of both sides in the order they were made, and the tree of each side."""

    merges: Merges
    information: Floats
    rows: Tree
    columns: Tree


@dataclass(frozen=True)
class Pruned:
    """A history without some leaves, and how many of its clusters k = 1…n of the whole one hold, on each side."""

    past: History
    row_clusters: Ints
    column_clusters: Ints


def history(merges: Merges, row_sizes: Ints, column_sizes: Ints, *, joint: bool = True) -> History:
    """The trees of both sides, with the information left after each merge.  math.md (9)

    The sizes say how many items each leaf stands for.

    For joint=False the sides do not share their information: each tree counts its own, against the
    unclustered other side, and a merge records that of the side it belongs to.
    """
    sides = (merges.side == ROWS, merges.side == COLUMNS)
    if joint:
        whole = information_left(merges.loss)
        after, starts = whole[1:], (whole[0], whole[0])
    else:
        own = tuple(information_left(merges.loss[side]) for side in sides)
        after, starts = np.empty(len(merges.loss)), (own[ROWS][0], own[COLUMNS][0])
        for side, left in zip(sides, own, strict=True):
            after[side] = left[1:]
    rows, columns = (
        _tree(merges, side, sizes, after, float(start))
        for side, sizes, start in zip(sides, (row_sizes, column_sizes), starts, strict=True)
    )
    return History(merges, after, rows, columns)


def steps(past: History, row_entropy: Floats, column_entropy: Floats) -> NDArray[np.void]:
    """The history as a structured array; the entropies of each side are given for k = 1…n clusters."""
    table = np.zeros(len(past.merges.side), dtype=STEP)
    for name in ("side", "cost", "divergence"):
        table[name] = getattr(past.merges, name)
    table["information"] = past.information
    for side, tree, name, entropy in (
        (ROWS, past.rows, "row_entropy", row_entropy),
        (COLUMNS, past.columns, "column_entropy", column_entropy),
    ):
        own = past.merges.side == side
        table["a"][own], table["b"][own] = tree.a_node, tree.b_node
        table[name] = entropy[tree.leaves - 1 - np.cumsum(own)]
    return table


def pruned(past: History, row_sizes: Ints, column_sizes: Ints, *, joint: bool = True) -> Pruned:
    """The history of leaves of other sizes, without those of size 0.

    A merge stays, and what it loses counts, if both its clusters keep a leaf.
    """
    merges, sizes = past.merges, (row_sizes, column_sizes)
    # The name of the cluster that a leaf leads, among the leaves that stay; -1 if it keeps none.
    names = [np.where(own > 0, np.cumsum(own > 0) - 1, -1).tolist() for own in sizes]
    pairs: list[tuple[int, int]] = []
    stays = np.zeros(len(merges.side), dtype=np.bool_)
    for t, (side, a, b) in enumerate(zip(merges.side.tolist(), merges.a.tolist(), merges.b.tolist(), strict=True)):
        low, high = sorted((names[side][a], names[side][b]))
        if low >= 0:
            pairs.append((low, high))
            stays[t] = True
        names[side][a] = low if low >= 0 else high
    a, b = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    figures = (figure[stays] for figure in (merges.cost, merges.divergence, merges.loss))
    rows, columns = (
        np.count_nonzero(own) - np.concatenate([[0], np.cumsum(stays[merges.side == side])])[::-1]
        for side, own in enumerate(sizes)
    )
    left = history(Merges(merges.side[stays], a, b, *figures), *(own[own > 0] for own in sizes), joint=joint)
    return Pruned(left, rows, columns)


def _tree(merges: Merges, own: NDArray[np.bool_], leaves: Ints, left: Floats, start: float) -> Tree:
    a, b = merges.a[own].astype(np.int64), merges.b[own].astype(np.int64)
    node, size = np.arange(len(leaves)), leaves.astype(np.int64)
    nodes, sizes = np.empty((2, len(a)), dtype=np.int64), np.empty((2, len(a)), dtype=np.int64)
    for t, (first, second) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        nodes[:, t] = node[first], node[second]
        sizes[:, t] = size[first], size[second]
        node[first] = len(leaves) + t
        size[first] += size[second]
    return Tree(
        leaves.astype(np.int64), a, b, nodes[0], nodes[1], sizes[0], sizes[1], merges.loss[own], left[own], start
    )
