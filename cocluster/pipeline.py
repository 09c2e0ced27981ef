"""The steps of a fit as functions of their own: M -> M* -> every merge."""

from dataclasses import dataclass

import numpy as np

from cocluster.engine import agglomerate
from cocluster.engine.weights import Cost
from cocluster.equations.arrays import Floats, Sparse
from cocluster.equations.duplicates import deduplicate, write_out
from cocluster.equations.history import History, history_of
from cocluster.equations.smoothing import smoothed_rows
from cocluster.equations.transition import Progress, Scaling, transitions


@dataclass(frozen=True, eq=False)
class Smoothed:
    """M* after teleport, and the transitions that produced it."""

    matrix: Floats
    row_scaling: Scaling
    column_scaling: Scaling
    column_transition: Sparse


def smoothed(M: Sparse, rate: float, progress: Progress) -> Smoothed:
    """M -> M*: similarity, transition, smoothing, teleport.  math.md (1)–(4)

    Raises:
        ValueError: `rate` is so small that entries of M* are still 0.
    """
    steps = transitions(deduplicate(M), progress)
    N = smoothed_rows(steps, rate, progress)
    return Smoothed(write_out(steps.distinct, N), steps.all_rows, steps.all_columns, steps.all_transition)


def agglomerated(N: Floats, cost: Cost, joint: bool, progress: Progress) -> History:
    """M* -> every merge of both sides, down to one cluster each.  math.md (6)–(9)"""
    merges = agglomerate(N, cost=cost, joint=joint, progress=lambda done, total: progress("agglomeration", done, total))
    items = (np.ones(size, dtype=np.int64) for size in N.shape)
    return history_of(merges, *items, joint=joint)
