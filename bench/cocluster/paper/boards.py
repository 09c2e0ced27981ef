"""The checkerboards of the trials: how they are drawn, clustered and judged against their true clusters."""

from dataclasses import asdict, dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bench.cocluster.critical_size.boards import counted_leaves
from bench.cocluster.paper.scoring import v_by_k
from bench.cocluster.paper.workspace import Scale, Workspace
from cocluster import checkerboard
from cocluster.engine.weights import Cost
from cocluster.equations.arrays import Floats, Ints, Sparse
from cocluster.equations.criterion import criterion_curves
from cocluster.equations.critical_size import CriticalSize
from cocluster.equations.history import History
from cocluster.pipeline import agglomerated, smoothed
from tagmodel import CriterionCurve, Dendrogram

Variant = Literal["composite", "simple", "independent"]
VARIANTS: tuple[Variant, ...] = ("composite", "simple", "independent")
SETTINGS: dict[Variant, tuple[Cost, bool]] = {
    "composite": ("composite", True),
    "simple": ("divergence", True),
    "independent": ("composite", False),
}
CRITICAL_SIZES: tuple[CriticalSize, ...] = (1, 2, 3, 5, 8, "auto")
TELEPORT = 1e-6
FIRST_SEED = 7000  # seeds that bench/critical_size, which chose "auto", has not seen


@dataclass(frozen=True)
class Board:
    """One n × n checkerboard with k × k tiles."""

    n: int
    k: int
    alpha: float
    seed: int

    def __str__(self) -> str:
        return f"n={self.n} k={self.k:03d} alpha={self.alpha} seed={self.seed}"

    def draw(self) -> tuple[Sparse, Ints, Ints]:
        """The matrix, and the true cluster of each row and column."""
        return checkerboard(self.n, self.n, self.k, alpha=self.alpha, seed=self.seed)


@dataclass(frozen=True)
class SideTrial:
    """How well one side of a board was clustered.

    `k` counts the true clusters that are not empty. `best` is the highest V-measure with at most 2k clusters,
    `exact` the one with k. `found` counts the clusters where H* × I is largest, by critical size. With critical
    size "auto", `chosen` is the V-measure there, and `by_entropy` counts the clusters where H* alone is largest.
    """

    k: int
    best: float
    best_k: int
    exact: float
    found: dict[str, int]
    chosen: float
    by_entropy: int

    def miss(self, critical_size: CriticalSize = "auto") -> int:
        """|k̂ − k|"""
        return abs(self.found[str(critical_size)] - self.k)

    def miss_by_entropy(self) -> int:
        """|k̂ − k| when H* alone decides."""
        return abs(self.by_entropy - self.k)


def told_apart(board: Board) -> list[int]:
    """How many clusters of the rows, and of the columns, differ in their profile.

    Clusters whose only filled tile lies in the same part of the other side have the same normalised profile
    whatever the rates of their tiles: nothing in eq. 7 can tell them apart, though the truth counts each.
    """
    X, rows, columns = board.draw()
    row, column = (np.unique(truth, return_inverse=True)[1] for truth in (rows, columns))
    tiles = np.zeros((row.max() + 1, column.max() + 1))
    entries = X.tocoo()
    np.add.at(tiles, (row[entries.row], column[entries.col]), entries.data)
    return [_different(tiles > 0), _different(tiles.T > 0)]


def _different(filled: NDArray[np.bool_]) -> int:
    single = filled.sum(axis=1) == 1
    return int(np.sum(~single)) + len(np.unique(filled[single].argmax(axis=1)))


def boards(scale: Scale, k: int, alpha: float = 0.2) -> list[Board]:
    """The trials with k clusters."""
    return [Board(scale.n, k, alpha, FIRST_SEED + trial) for trial in range(scale.trials)]


def sides(workspace: Workspace, k: int, variant: Variant = "composite", alpha: float = 0.2) -> list[SideTrial]:
    """Rows and columns of every trial with k clusters."""
    trials = []
    for board in boards(workspace.scale, k, alpha):
        record = workspace.measured("boards", f"{board} {variant}", partial(trial, board, variant))
        trials += [SideTrial(**side) for side in record]
    return trials


def trial(board: Board, variant: Variant) -> list[dict[str, object]]:
    """Cluster one board and judge its rows and its columns."""
    X, row_truth, column_truth = board.draw()
    history = clustered(X, variant)
    joint, counted = SETTINGS[variant][1], counted_leaves(X)
    curves = {str(size): criterion_curves(history, size, *counted, joint=joint) for size in CRITICAL_SIZES}
    return [
        asdict(judged(own.tree, truth, {size: both[side] for size, both in curves.items()}))
        for side, (own, truth) in enumerate(((history.rows, row_truth), (history.columns, column_truth)))
    ]


def clustered(X: Sparse, variant: Variant = "composite") -> History:
    """Every merge of both sides."""
    return agglomerated(smooth(X), *SETTINGS[variant], progress=_silent)


def smooth(X: Sparse) -> Floats:
    """M* with teleport.  math.md (1)–(4)"""
    return smoothed(X, TELEPORT, _silent).matrix


def judged(tree: Dendrogram, truth: Ints, curves: dict[str, CriterionCurve]) -> SideTrial:
    """A tree against the true clusters, at every cut of interest."""
    v = v_by_k(tree, truth)
    k = len(np.unique(truth))
    found = {size: curve.best_k for size, curve in curves.items()}
    automatic = curves["auto"]
    return SideTrial(
        k=k,
        best=round(float(v[: 2 * k].max()), 4),
        best_k=int(v[: 2 * k].argmax()) + 1,
        exact=round(float(v[k - 1]), 4),
        found=found,
        chosen=round(float(v[found["auto"] - 1]), 4),
        by_entropy=int(automatic.k[np.argmax(automatic.entropy)]),
    )


def _silent(stage: str, done: int, total: int) -> None:
    """Report to nobody."""
