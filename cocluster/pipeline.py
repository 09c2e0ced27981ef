from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from cocluster.arrays import Floats, Sparse
from cocluster.duplicates import Folded, fold, unfold
from cocluster.engine import agglomerate
from cocluster.history import History, history
from cocluster.similarity import similarity_factor
from cocluster.smoothing import smooth
from cocluster.transition import Scaling, symmetric_scaling, transition

Cost: TypeAlias = Literal["composite", "divergence"]
Progress: TypeAlias = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Method:
    """What is computed: λ of (4), and the cost and the sides of (8)."""

    teleport: float
    cost: Cost
    joint: bool


@dataclass(frozen=True)
class Transitions:
    """The different documents and tags, A and the scaling of the documents, T^Y and the scaling of the tags."""

    folded: Folded
    A: Sparse
    rows: Scaling
    T: Sparse
    columns: Scaling


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
    made = transitions(fold(M), progress)
    N = smoothed_rows(made, rate, progress)
    return Smoothed(
        unfold(made.folded, N), unfolded_scaling(made)[0], unfolded_scaling(made)[1], unfolded_transition(made)
    )


def transitions(folded: Folded, progress: Progress) -> Transitions:
    """Similarity and transition of both sides.  math.md (1), (2)"""
    w, v = folded.row_sizes, folded.column_sizes
    progress("transition", 0, 2)
    A = similarity_factor(folded.matrix, w, v)
    rows = symmetric_scaling(A, w)
    progress("transition", 1, 2)
    B = similarity_factor(csr_array(folded.matrix.T), v, w)
    columns = symmetric_scaling(B, v)
    T = transition(B, columns)
    progress("transition", 2, 2)
    return Transitions(folded, A, rows, T, columns)


def smoothed_rows(made: Transitions, rate: float, progress: Progress) -> Floats:
    """M* after teleport, for the different documents and tags.  math.md (3), (4)

    Raises:
        ValueError: `rate` is so small that entries of M* are still 0.
    """
    progress("smoothing", 0, 1)
    N = smooth(made.folded, made.A, made.rows, made.T, rate)
    require_positive(N, rate, made.folded)
    progress("smoothing", 1, 1)
    return N


def require_positive(N: Floats, rate: float, folded: Folded) -> None:
    """Raise a ValueError when entries of M* are 0."""
    if not N.min() > 0:
        shape = f"{len(folded.row_of)}×{len(folded.column_of)}"
        raise ValueError(f"teleport={rate} is too small: it vanishes in the rounding of {shape}")


def unfolded_scaling(made: Transitions) -> tuple[Scaling, Scaling]:
    """The scalings of all documents and of all tags."""
    folded = made.folded
    return (
        replace(made.rows, d=made.rows.d[folded.row_of]),
        replace(made.columns, d=made.columns.d[folded.column_of]),
    )


def unfolded_transition(made: Transitions) -> Sparse:
    """T^Y of all tags."""
    column_of = made.folded.column_of
    if len(column_of) == made.T.shape[0]:
        return made.T
    return csr_array(made.T[column_of][:, column_of])


def agglomerated(N: Floats, cost: Cost, joint: bool, progress: Progress) -> History:
    """M* -> every merge of both sides, down to one cluster each.  math.md (6)–(9)"""
    merges = agglomerate(N, cost=cost, joint=joint, progress=lambda done, total: progress("agglomeration", done, total))
    items = (np.ones(size, dtype=np.int64) for size in N.shape)
    return history(merges, *items, joint=joint)
