from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from scipy.sparse import csr_array

from cocluster.arrays import Floats, Sparse
from cocluster.duplicates import fold, unfold
from cocluster.engine import agglomerate
from cocluster.history import History, history
from cocluster.similarity import similarity_factor
from cocluster.smoothing import smooth
from cocluster.transition import Scaling, symmetric_scaling, transition

Cost: TypeAlias = Literal["composite", "divergence"]
Progress: TypeAlias = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Smoothed:
    """M* after teleport, and the transitions it was made with."""

    matrix: Floats
    row_scaling: Scaling
    column_scaling: Scaling
    column_transition: Sparse


def smoothed(M: Sparse, rate: float, progress: Progress) -> Smoothed:
    """M -> M*: similarity, transition, smoothing, teleport.  math.md (1)–(4)

    Raises:
        ValueError: `rate` is so small that entries of M* are still 0.
    """
    folded = fold(M)
    w, v = folded.row_sizes, folded.column_sizes

    progress("transition", 0, 2)
    A = similarity_factor(folded.matrix, w, v)
    rows = symmetric_scaling(A, w)
    progress("transition", 1, 2)
    B = similarity_factor(csr_array(folded.matrix.T), v, w)
    columns = symmetric_scaling(B, v)
    T = transition(B, columns)
    progress("transition", 2, 2)

    progress("smoothing", 0, 1)
    N = smooth(folded, A, rows, T, rate)
    if not N.min() > 0:
        raise ValueError(
            f"teleport={rate} is too small: it vanishes in the rounding of {M.shape[0]}×{M.shape[1]}"
        )
    progress("smoothing", 1, 1)

    return Smoothed(
        unfold(folded, N),
        replace(rows, d=rows.d[folded.row_of]),
        replace(columns, d=columns.d[folded.column_of]),
        csr_array(T[folded.column_of][:, folded.column_of]),
    )


def agglomerated(N: Floats, cost: Cost, joint: bool, progress: Progress) -> History:
    """M* -> every merge of both sides, down to one cluster each.  math.md (6)–(9)"""
    merges = agglomerate(N, cost=cost, joint=joint, progress=lambda done, total: progress("agglomeration", done, total))
    return history(merges, *N.shape, joint=joint)
