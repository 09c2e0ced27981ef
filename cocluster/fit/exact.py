"""The exact fit: agglomerates the different documents and tags with their sizes, then adds the duplicates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cocluster.engine import Merges, agglomerate
from cocluster.engine.method import Method
from cocluster.equations.arrays import Floats, Ints
from cocluster.equations.continuity import PreviousLabels, inherit
from cocluster.equations.duplicates import Distinct, first_items
from cocluster.equations.history import COLUMNS, ROWS, History, history_of
from cocluster.equations.smoothing import smoothed_rows
from cocluster.equations.transition import Progress, Transitions
from cocluster.fit.plan import Plan
from cocluster.fit.result import DenseMatrix, FitResult


def fit_exactly(
    transitions: Transitions, plan: Plan, method: Method, previous: PreviousLabels | None, progress: Progress
) -> FitResult:
    """Every merge of all documents and tags.  math.md (3)–(9), (12)

    Raises:
        ValueError: the teleport is so small that entries of M* are still 0.
    """
    distinct = transitions.distinct
    N = smoothed_rows(transitions, method.teleport, progress)
    if previous is not None:
        N = inherit(N, previous, distinct.row_sizes, distinct.column_sizes)
    documents = np.arange(len(distinct.row_of))
    leaves = documents if len(documents) <= plan.leaves else distinct.row_of
    history = exact_history(N, distinct, leaves, method, progress)
    return FitResult(history, leaves, DenseMatrix(N), plan)


def exact_history(N: Floats, distinct: Distinct, leaves: Ints, method: Method, progress: Progress) -> History:
    """Every merge of all documents and tags, from M* of the different ones.  math.md (6)–(9)

    The leaves of the tree are all documents, or the different ones if there are too many.

    Identical documents have KL^J = 0 and merge before anything else (8), so only the different ones are
    compared, each with the mass and the size of its duplicates: the same merges, without n×m.
    """
    w, v = distinct.row_sizes.astype(np.int64), distinct.column_sizes.astype(np.int64)
    merges = agglomerate(
        add_repeatedly(add_repeatedly(N, w).T, v).T,
        cost=method.cost,
        joint=method.joint,
        row_sizes=w,
        column_sizes=v,
        progress=lambda done, total: progress("agglomeration", done, total),
    )
    leaf_of = distinct.row_of[first_items(leaves)]  # what each leaf is among the different documents
    tags = np.ones(len(distinct.column_of), dtype=np.int64)
    return history_of(expand_merges(merges, leaf_of, distinct.column_of), np.bincount(leaves), tags, joint=method.joint)


def add_repeatedly(N: Floats, times: Ints) -> Floats:
    """Each row added up so many times: the same bits as merging its duplicates one by one.

    A product rounds differently, and where all divergences are almost 0 that decides between ties.
    """
    total = N.copy()
    for done in range(1, int(times.max())):
        more = np.flatnonzero(times > done)
        total[more] += N[more]
    return total


def expand_merges(merges: Merges, row_of: Ints, column_of: Ints) -> Merges:
    """The merges of all items, from those of the different ones: free merges first, lowest ids first.  math.md (8)

    The engine starts with rows, then columns, that are equal up to a factor; identical items join those groups.
    """
    no_cost = (merges.divergence == 0) & (merges.cost == 0) & (merges.loss == 0)
    rows = _count_leading(no_cost & (merges.side == ROWS))
    columns = _count_leading((no_cost & (merges.side == COLUMNS))[rows:])
    leading = rows + columns
    places = (row_of, column_of)
    first = [first_items(place) for place in places]
    free = [
        _zero_merges(place, first[side], merges.a[part], merges.b[part])
        for side, (place, part) in enumerate(zip(places, (slice(0, rows), slice(rows, leading)), strict=True))
    ]
    later = merges.side[leading:]
    side = np.concatenate([np.full(len(free[ROWS][0]), ROWS), np.full(len(free[COLUMNS][0]), COLUMNS), later])
    zeros = np.zeros(len(side) - len(later))
    a, b = (
        np.concatenate([free[ROWS][who], free[COLUMNS][who], _members(names[leading:], later, first)]).astype(np.int32)
        for who, names in enumerate((merges.a, merges.b))
    )
    figures = (np.concatenate([zeros, figure[leading:]]) for figure in (merges.cost, merges.divergence, merges.loss))
    return Merges(side.astype(np.int8), a, b, *figures)


def _count_leading(true: NDArray[np.bool_]) -> int:
    """How many values at the beginning are true."""
    return len(true) if true.all() else int(np.argmin(true))


def _members(names: NDArray[np.int32], side: NDArray[np.int8], first: list[Ints]) -> Ints:
    """The first item of each named cluster, on its side."""
    items: Ints = np.empty(len(names), dtype=np.int64)
    for which in (ROWS, COLUMNS):
        own = side == which
        items[own] = first[which][names[own]]
    return items


def _zero_merges(place: Ints, first: Ints, a: NDArray[np.int32], b: NDArray[np.int32]) -> tuple[Ints, Ints]:
    """(stays, joins) of all items that are equal to a lower one, by the lowest, then by the item."""
    leader = np.arange(len(first))
    leader[b] = a
    lowest = first[leader[place]]
    joins = np.flatnonzero(lowest != np.arange(len(place)))
    order = np.argsort(lowest[joins], kind="stable")
    return lowest[joins][order], joins[order]
