"""Every merge of both sides, and the dendrogram of each side."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cocluster.engine import Merges
from cocluster.equations.arrays import Floats, Ints
from cocluster.equations.information import information_left
from tagmodel import Dendrogram

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


@dataclass(frozen=True, eq=False)
class SideHistory:
    """The dendrogram of one side, and the information left after each of its merges; `start` before the first."""

    tree: Dendrogram
    information: Floats
    start: float


@dataclass(frozen=True, eq=False)
class History:
    """All merges of both sides in the order they were made, with the information left after each."""

    merges: Merges
    information: Floats
    rows: SideHistory
    columns: SideHistory


@dataclass(frozen=True, eq=False)
class PrunedHistory:
    """A history without some leaves, and how many of its clusters each cut k = 1…n of the full one has, by side."""

    history: History
    row_clusters: Ints
    column_clusters: Ints


def history_of(merges: Merges, row_sizes: Ints, column_sizes: Ints, *, joint: bool = True) -> History:
    """The dendrograms of both sides, with the information left after each merge.  math.md (9), (11)

    The sizes count the items of each leaf. Heights are the information lost so far on one side: the cost D*
    may fall from one merge to the next, the information lost cannot.

    For joint=False the sides do not share their information: each dendrogram counts its own, against the
    unclustered other side, and a merge records that of the side it belongs to.
    """
    sides = (merges.side == ROWS, merges.side == COLUMNS)
    if joint:
        left = information_left(merges.loss)
        after, starts = left[1:], (left[0], left[0])
    else:
        own = tuple(information_left(merges.loss[side]) for side in sides)
        after, starts = np.empty(len(merges.loss)), (own[ROWS][0], own[COLUMNS][0])
        for side, left in zip(sides, own, strict=True):
            after[side] = left[1:]
    rows, columns = (
        _side_history(merges, side, sizes, after, float(start))
        for side, sizes, start in zip(sides, (row_sizes, column_sizes), starts, strict=True)
    )
    return History(merges, after, rows, columns)


def history_table(history: History, row_entropy: Floats, column_entropy: Floats) -> NDArray[np.void]:
    """The history as a structured array; `row_entropy` and `column_entropy` are for k = 1…n clusters.

    `a` and `b` are nodes of the dendrogram of their side; a has the smaller smallest member.
    """
    table = np.zeros(len(history.merges.side), dtype=STEP)
    for name in ("side", "cost", "divergence"):
        table[name] = getattr(history.merges, name)
    table["information"] = history.information
    for side, tree, name, entropy in (
        (ROWS, history.rows.tree, "row_entropy", row_entropy),
        (COLUMNS, history.columns.tree, "column_entropy", column_entropy),
    ):
        own = history.merges.side == side
        by_member = np.argsort(tree.smallest[tree.pairs], axis=1)
        table["a"][own], table["b"][own] = np.take_along_axis(tree.pairs, by_member, axis=1).T
        table[name] = entropy[tree.leaves - 1 - np.cumsum(own)]
    return table


def prune(history: History, row_sizes: Ints, column_sizes: Ints, *, joint: bool = True) -> PrunedHistory:
    """The history with other leaf sizes, without the leaves of size 0.

    A merge stays, with what it loses, if both its clusters still have a leaf.
    """
    merges, sizes = history.merges, (row_sizes, column_sizes)
    # The name of the cluster that a leaf leads, among the leaves that stay; -1 if it has none.
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
    left = history_of(Merges(merges.side[stays], a, b, *figures), *(own[own > 0] for own in sizes), joint=joint)
    return PrunedHistory(left, rows, columns)


def _side_history(merges: Merges, own: NDArray[np.bool_], sizes: Ints, left: Floats, start: float) -> SideHistory:
    a, b = merges.a[own].astype(np.int64), merges.b[own].astype(np.int64)
    tree = Dendrogram.from_merges(a, b, np.cumsum(merges.loss[own]), sizes.astype(np.int64))
    return SideHistory(tree, left[own], start)
