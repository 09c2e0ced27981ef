"""The criterion that decides where to cut: restricted entropy × information, for every number of clusters."""

import numpy as np

from cocluster.equations.arrays import Ints
from cocluster.equations.critical_size import CriticalSize, entropy_by_k
from cocluster.equations.history import History, SideHistory, prune
from tagmodel import CriterionCurve


def criterion_curves(
    history: History, critical_size: CriticalSize, row_sizes: Ints, column_sizes: Ints, *, joint: bool = True
) -> tuple[CriterionCurve, CriterionCurve]:
    """The criterion of both sides.  math.md (10)

    Args:
        history: every merge.
        critical_size: r; with a number, every item counts.
        row_sizes: how many documents of each leaf "auto" counts.
        column_sizes: how many tags of each leaf it counts.
        joint: whether the sides share their information.
    """
    item_counts = history.rows.tree.sizes, history.columns.tree.sizes
    all_count = all(np.array_equal(*sizes) for sizes in zip((row_sizes, column_sizes), item_counts, strict=True))
    if critical_size == "auto" and not all_count:
        pruned = prune(history, row_sizes, column_sizes, joint=joint)
        rows, columns = (criterion_curve(side, critical_size) for side in (pruned.history.rows, pruned.history.columns))
        if rows.criterion.max() > 0 and columns.criterion.max() > 0:  # otherwise nothing can be separated
            return _expand_curve(rows, pruned.row_clusters), _expand_curve(columns, pruned.column_clusters)
    return criterion_curve(history.rows, critical_size), criterion_curve(history.columns, critical_size)


def criterion_curve(side: SideHistory, critical_size: CriticalSize) -> CriterionCurve:
    """H*_rel(C; r) × I for every number of clusters.  math.md (10)

    While the other side merges, k stays and I falls, so of each k only the first moment can be the best.
    """
    entropy = entropy_by_k(side.tree, critical_size)
    information = np.concatenate([[side.start], side.information])[::-1]
    return CriterionCurve(np.arange(1, side.tree.leaves + 1), entropy, information, entropy * information)


def _expand_curve(curve: CriterionCurve, clusters: Ints) -> CriterionCurve:
    """The curve of a pruned dendrogram, for every number of clusters of the full one."""
    at = clusters - 1
    return CriterionCurve(
        np.arange(1, len(clusters) + 1), curve.entropy[at], curve.information[at], curve.criterion[at]
    )
