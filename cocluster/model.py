from typing import Self, get_args

import numpy as np
from numpy.typing import NDArray

from cocluster.arrays import Floats, Ints, Sparse
from cocluster.continuity import Previous, inherit
from cocluster.critical_size import CriticalSize
from cocluster.cut import Curve, best_cut, criterion_curve, labels_at
from cocluster.history import History, steps
from cocluster.incidence import Matrix, binary, require_no_empty
from cocluster.linkage import linkage
from cocluster.memory import require_memory
from cocluster.pipeline import Cost, Progress, agglomerated, smoothed
from cocluster.transition import Scaling


class CoClustering:
    """Clusters the documents and the tags of a 0/1 matrix together, each side seen through the other.

    Args:
        teleport: λ of eq. 4, strictly between 0 and 1.
        critical_size: r of eq. 10: where the trees are cut, clusters of at most r items do not count.
            "auto" averages over a range of sizes that follows from the number of items.
        cost: "composite" is KL^J × W (eq. 8), "divergence" is KL^J alone.
        joint: False clusters each side against the unclustered other side.
        keep_smoothed: keep M* as `smoothed_` (n×m floats).
        max_memory: bytes that a fit may take; one that would take more is refused before it starts.

    After `fit`: the labels at the automatic cut (`row_labels_`, `column_labels_`, `n_row_clusters_`,
    `n_column_clusters_`), at any other (`row_labels(k)`, `column_labels(k)`), the trees as scipy linkages
    (`row_linkage_`, `column_linkage_`), every merge (`history_`), the criterion by k (`row_curve_`,
    `column_curve_`), T^Y (`column_transition_`), both scalings, and the
    information at the start in bits (`information_`).
    """

    row_labels_: Ints
    column_labels_: Ints
    n_row_clusters_: int
    n_column_clusters_: int
    row_linkage_: Floats
    column_linkage_: Floats
    history_: NDArray[np.void]
    row_curve_: Curve
    column_curve_: Curve
    row_scaling_: Scaling
    column_scaling_: Scaling
    column_transition_: Sparse
    information_: float
    smoothed_: Floats | None

    def __init__(
        self,
        *,
        teleport: float = 1e-6,
        critical_size: CriticalSize = "auto",
        cost: Cost = "composite",
        joint: bool = True,
        keep_smoothed: bool = False,
        max_memory: int | None = None,
    ) -> None:
        if not 0 < teleport < 1:
            raise ValueError(f"teleport must lie strictly between 0 and 1, not {teleport}")
        if critical_size != "auto" and not (isinstance(critical_size, int | np.integer) and critical_size >= 0):
            raise ValueError(f'critical_size must be "auto" or a whole number ≥ 0, not {critical_size!r}')
        if cost not in get_args(Cost):
            raise ValueError(f"cost must be one of {', '.join(get_args(Cost))}, not {cost!r}")
        self.teleport = teleport
        self.critical_size = critical_size
        self.cost = cost
        self.joint = joint
        self.keep_smoothed = keep_smoothed
        self.max_memory = max_memory
        self._history: History | None = None

    def fit(
        self,
        X: Matrix,
        progress: Progress | None = None,
        *,
        previous: Previous | None = None,
        inertia: float = 0.3,
    ) -> Self:
        """Cluster X: documents × tags, a scipy.sparse or any array of zeros and ones.

        Args:
            X: the matrix; every row and every column holds a 1.
            progress: called along the way with (stage, done, total); what it raises stops the run.
            previous: clusters to inherit from an earlier run (eq. 12); without it the run is the paper's.
            inertia: η, how much of them to inherit.

        Raises:
            ValueError: X holds other values, or an empty row or column (named), or needs too much memory.
        """
        report = progress or _silent
        M = binary(X)
        require_no_empty(M)
        require_memory(M.shape[0], M.shape[1], self.max_memory)

        smooth = smoothed(M, self.teleport, report)
        N = smooth.matrix if previous is None else inherit(smooth.matrix, previous, inertia)
        past = agglomerated(N, self.cost, self.joint, report)
        report("cut", 0, 1)
        rows = criterion_curve(past.rows, self.critical_size)
        columns = criterion_curve(past.columns, self.critical_size)
        report("cut", 1, 1)

        self._history = past
        self.row_curve_, self.column_curve_ = rows, columns
        self.n_row_clusters_, self.n_column_clusters_ = best_cut(rows), best_cut(columns)
        self.row_labels_ = self.row_labels(self.n_row_clusters_)
        self.column_labels_ = self.column_labels(self.n_column_clusters_)
        self.row_linkage_, self.column_linkage_ = linkage(past.rows), linkage(past.columns)
        self.history_ = steps(past, rows.entropy, columns.entropy)
        self.row_scaling_, self.column_scaling_ = smooth.row_scaling, smooth.column_scaling
        self.column_transition_ = smooth.column_transition
        self.information_ = max(past.rows.start, past.columns.start)
        self.smoothed_ = N if self.keep_smoothed else None
        return self

    def row_labels(self, k: int) -> Ints:
        """The cluster of each document when k are left: 0…k−1, ordered by their smallest member."""
        return labels_at(self._fitted().rows, k)

    def column_labels(self, k: int) -> Ints:
        """The cluster of each tag when k are left: 0…k−1, ordered by their smallest member."""
        return labels_at(self._fitted().columns, k)

    def _fitted(self) -> History:
        if self._history is None:
            raise ValueError("nothing is clustered yet: call fit(X) first")
        return self._history


def _silent(stage: str, done: int, total: int) -> None:
    """Report to nobody."""
