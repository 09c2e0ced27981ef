"""The cuts that somebody would make who knew how the board was drawn: blocks of coin tosses."""

from collections.abc import Iterable

import numpy as np

from cocluster.equations.arrays import Floats, Ints
from cocluster.equations.history import History
from tagmodel import Dendrogram


def likeliest_cuts(X: Floats, history: History, first: Iterable[int], most: int) -> tuple[int, int]:
    """The cuts of both trees that make the board most likely, each in turn until both stay, from the first on."""
    row_tree, column_tree = history.rows.tree, history.columns.tree
    rows, columns = first
    for _ in range(4):
        before = rows, columns
        rows = likeliest_cut(X, row_tree, column_tree.cut(columns), most)
        columns = likeliest_cut(X.T, column_tree, row_tree.cut(rows), most)
        if (rows, columns) == before:
            break
    return rows, columns


def likeliest_cut(X: Floats, tree: Dendrogram, others: Ints, most: int) -> int:
    """The cut that makes the board most likely as what it is, blocks of coin tosses, given the other side's clusters.

    What the blocks and the memberships cost to tell counts against it (integrated completed likelihood).
    """
    member = np.eye(others.max() + 1)[others]
    counts, sizes = X @ member, member.sum(axis=0)
    tried = range(2, min(len(X) // 3, most))
    return max(tried, key=lambda k: completed_likelihood(counts, tree.cut(k), sizes))


def completed_likelihood(counts: Floats, labels: Ints, others: Floats) -> float:
    """Log P(board, memberships) with a Beta(1, 1) on each block, by Stirling: BIC's penalty block by block."""
    member = np.eye(labels.max() + 1)[labels]
    sizes = member.sum(axis=0)
    cells = np.outer(sizes, others)
    p = np.clip(member.T @ counts / cells, 1e-12, 1 - 1e-12)
    likelihood = np.sum(cells * (p * np.log(p) + (1 - p) * np.log1p(-p))) - 0.5 * np.sum(np.log(cells))
    return float(likelihood + np.sum(sizes * np.log(sizes / sizes.sum())))
