from dataclasses import dataclass

import numpy as np

from cocluster.arrays import Floats, Ints
from cocluster.critical_size import CriticalSize, entropy_by_k
from cocluster.history import History, Tree, pruned


@dataclass(frozen=True)
class Curve:
    """The criterion of eq. 10 for k = 1…n clusters of one side, n its leaves, each at the moment k is reached.

    Where items do not count (`criterion_curves`), entropy and information are those of the others.
    """

    k: Ints
    entropy: Floats
    information: Floats
    criterion: Floats


def criterion_curves(
    past: History, critical_size: CriticalSize, row_sizes: Ints, column_sizes: Ints, *, joint: bool = True
) -> tuple[Curve, Curve]:
    """The criterion of both sides.  math.md (10)

    Args:
        past: every merge.
        critical_size: r; a number counts everything.
        row_sizes: how many documents of each leaf "auto" counts.
        column_sizes: how many tags of each leaf it counts.
        joint: whether the sides share their information.
    """
    whole = past.rows.sizes, past.columns.sizes
    everything = all(np.array_equal(own, of) for own, of in zip((row_sizes, column_sizes), whole, strict=True))
    if critical_size == "auto" and not everything:
        left = pruned(past, row_sizes, column_sizes, joint=joint)
        rows, columns = (criterion_curve(tree, critical_size) for tree in (left.past.rows, left.past.columns))
        if rows.criterion.max() > 0 and columns.criterion.max() > 0:  # otherwise there is nothing to tell apart
            return _spread(rows, left.row_clusters), _spread(columns, left.column_clusters)
    return criterion_curve(past.rows, critical_size), criterion_curve(past.columns, critical_size)


def criterion_curve(tree: Tree, critical_size: CriticalSize) -> Curve:
    """H*_rel(C; r) × I for every number of clusters.  math.md (10)

    While the other side merges, k stays and I falls, so of each k only the first moment can be the best.
    """
    entropy = entropy_by_k(tree, critical_size)
    information = np.concatenate([[tree.start], tree.information])[::-1]
    return Curve(np.arange(1, tree.leaves + 1), entropy, information, entropy * information)


def best_cut(curve: Curve) -> int:
    """k* = argmax H*_rel × I; the fewest clusters when several are best.  math.md (10)"""
    return int(curve.k[np.argmax(curve.criterion)])


def labels_at(tree: Tree, k: int) -> Ints:
    """The cluster of each leaf when k are left: 0…k−1, ordered by their smallest member.

    Raises:
        ValueError: k is not between 1 and the number of leaves.
    """
    if not (isinstance(k, int | np.integer) and 1 <= k <= tree.leaves):
        raise ValueError(f"k must be a whole number between 1 and {tree.leaves}, not {k!r}")
    done = tree.leaves - k
    root = np.arange(tree.leaves)
    root[tree.b[:done]] = tree.a[:done]
    # Each name points to a smaller one; jump until every leaf points to the name that is left.
    while not np.array_equal(above := root[root], root):
        root = above
    return np.unique(root, return_inverse=True)[1].astype(np.int64)


def _spread(curve: Curve, clusters: Ints) -> Curve:
    """The curve of a pruned tree over the numbers of clusters of the whole tree."""
    at = clusters - 1
    return Curve(np.arange(1, len(clusters) + 1), curve.entropy[at], curve.information[at], curve.criterion[at])
