from __future__ import annotations

from typing import Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from cocluster.arrays import Floats, Ints, Sparse
from cocluster.continuity import Marks, Previous, checked
from cocluster.critical_size import CriticalSize
from cocluster.cut import Curve, best_cut, criterion_curves, labels_at
from cocluster.duplicates import first_of, fold, unfold
from cocluster.exact import fit_exactly
from cocluster.history import steps
from cocluster.incidence import Matrix, binary, require_no_empty
from cocluster.linkage import linkage
from cocluster.micro.fitting import fit_by_micro_clusters
from cocluster.micro.gathering import factored
from cocluster.micro.tags import summed_columns
from cocluster.micro.tasks import Local, Tasks
from cocluster.parts import connected_parts, counting_items
from cocluster.pipeline import (
    Cost,
    Method,
    Progress,
    Transitions,
    transitions,
    unfolded_scaling,
    unfolded_transition,
)
from cocluster.result import Result, Written
from cocluster.scoring import Scores, scores_of
from cocluster.transition import Scaling
from cocluster.ways import Way, chosen_way


class CoClustering:
    """Clusters the documents and the tags of a 0/1 matrix together, each side seen through the other.

    Args:
        teleport: λ of eq. 4, strictly between 0 and 1.
        critical_size: r of eq. 10: where the trees are cut, clusters of at most r items do not count.
            "auto" averages over a range of sizes that follows from the number of items, and looks past parts of
            the corpus that nothing connects with the others and that are too small to count.
        cost: "composite" is KL^J × W (eq. 8), "divergence" is KL^J alone.
        joint: False clusters each side against the unclustered other side.
        keep_smoothed: keep M* as `smoothed_` (n×m floats); only on the exact way.
        max_exact: different documents, or tags, up to which every pair is compared. Larger corpora are clustered
            by micro-clusters (eq. 13), and so are those that would not fit in `max_memory`.
        micro_clusters: how many of them there are; tags are pre-merged into four times as many, if need be.
        max_memory: bytes that a fit may take; one that would take more either way is refused before it starts.
        tasks: where blocks of documents are worked on; threads of this machine by default. Decides nothing else.

    After `fit`: the way it went (`way_`), the labels at the automatic cut (`row_labels_`, `column_labels_`,
    `n_row_clusters_`, `n_column_clusters_`), at any other (`row_labels(k)`, `column_labels(k)`), the trees as scipy
    linkages (`row_linkage_`, `column_linkage_`), the leaf of each document in the first of them (`row_leaves_`: its
    own, or that of its micro-cluster), every merge (`history_`), the criterion by k (`row_curve_`, `column_curve_`; of
    the items that count, as are the entropies in the history), T^Y (`column_transition_`), both scalings, and the
    information at the start in bits (`information_`).
    """

    way_: Way
    row_labels_: Ints
    column_labels_: Ints
    row_leaves_: Ints
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
        max_exact: int = 10_000,
        micro_clusters: int = 1000,
        max_memory: int | None = None,
        tasks: Tasks | None = None,
    ) -> None:
        if not 0 < teleport < 1:
            raise ValueError(f"teleport must lie strictly between 0 and 1, not {teleport}")
        if critical_size != "auto" and not (isinstance(critical_size, int | np.integer) and critical_size >= 0):
            raise ValueError(f'critical_size must be "auto" or a whole number ≥ 0, not {critical_size!r}')
        if cost not in get_args(Cost):
            raise ValueError(f"cost must be one of {', '.join(get_args(Cost))}, not {cost!r}")
        if max_exact < 0:
            raise ValueError(f"max_exact must be at least 0, not {max_exact}")
        if micro_clusters < 2:
            raise ValueError(f"micro_clusters must be at least 2, not {micro_clusters}")
        self.teleport = teleport
        self.critical_size = critical_size
        self.cost = cost
        self.joint = joint
        self.keep_smoothed = keep_smoothed
        self.max_exact = max_exact
        self.micro_clusters = micro_clusters
        self.max_memory = max_memory
        self.tasks = tasks or Local()
        self._found: tuple[Transitions, Result] | None = None

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
        marks = None if previous is None else checked(previous, M.shape, inertia)
        if marks is not None and inertia == 0:
            marks = None
        folded = fold(M) if marks is None else fold(M, marks.rows, marks.columns)
        way = chosen_way(folded, self.max_exact, self.micro_clusters, self.max_memory)
        if marks is not None:
            marks = Marks(marks.rows[first_of(folded.row_of)], marks.columns[first_of(folded.column_of)], inertia)
        method = Method(self.teleport, self.cost, self.joint)
        made = transitions(folded, report)
        if way.name == "exact":
            found = fit_exactly(made, way, method, marks, report)
        else:
            found = fit_by_micro_clusters(made, way, method, marks, self.tasks, progress=report)
        self._keep(made, found, report)
        return self

    def row_labels(self, k: int) -> Ints:
        """The cluster of each document when k are left: 0…k−1, ordered by their smallest member."""
        _, found = self._fitted()
        return labels_at(found.past.rows, k)[found.row_leaves]

    def column_labels(self, k: int) -> Ints:
        """The cluster of each tag when k are left: 0…k−1, ordered by their smallest member."""
        return labels_at(self._fitted()[1].past.columns, k)

    def aggregated(self, rows: ArrayLike, columns: ArrayLike) -> Floats:
        """M* added up over any clusters of documents and of tags, given as labels 0…k−1 of each."""
        made, _ = self._fitted()
        return summed_columns(self._masses(rows)[:, made.folded.column_of], np.asarray(columns))

    def scores(self, rows: ArrayLike) -> Scores:
        """What tells a document's nearest cluster, of any clusters of documents (labels 0…k−1).  math.md (14)"""
        made, found = self._fitted()
        return scores_of(made, found.plain or factored(made, self.teleport), self._masses(rows))

    def _masses(self, rows: ArrayLike) -> Floats:
        """The masses of clusters of documents over the different tags."""
        made, found = self._fitted()
        labels = np.asarray(rows)
        shape = (int(labels.max()) + 1, made.folded.matrix.shape[0])
        members: Sparse = csr_array((np.ones(len(labels)), (labels, made.folded.row_of)), shape=shape)
        return found.whole.summed(members)

    def _keep(self, made: Transitions, found: Result, report: Progress) -> None:
        past = found.past
        report("cut", 0, 1)
        rows, columns = criterion_curves(past, self.critical_size, *self._counted(made, found), joint=self.joint)
        report("cut", 1, 1)
        self._found = made, found
        self.way_ = found.way
        self.row_leaves_ = found.row_leaves
        self.row_curve_, self.column_curve_ = rows, columns
        self.n_row_clusters_, self.n_column_clusters_ = best_cut(rows), best_cut(columns)
        self.row_labels_ = self.row_labels(self.n_row_clusters_)
        self.column_labels_ = self.column_labels(self.n_column_clusters_)
        self.row_linkage_, self.column_linkage_ = linkage(past.rows), linkage(past.columns)
        self.history_ = steps(past, rows.entropy, columns.entropy)
        self.row_scaling_, self.column_scaling_ = unfolded_scaling(made)
        self.column_transition_ = unfolded_transition(made)
        self.information_ = max(past.rows.start, past.columns.start)
        self.smoothed_ = None
        if self.keep_smoothed and isinstance(found.whole, Written):
            self.smoothed_ = unfold(made.folded, found.whole.N)

    def _counted(self, made: Transitions, found: Result) -> tuple[Ints, Ints]:
        """How many documents, and how many tags, of each leaf of the trees count where they are cut."""
        rows, columns = found.past.rows, found.past.columns
        if self.critical_size != "auto":
            return rows.sizes, columns.sizes
        documents, tags = connected_parts(made.folded.matrix)
        counting, counting_tags = counting_items(documents[made.folded.row_of], tags[made.folded.column_of])
        of_leaves = np.bincount(found.row_leaves, weights=counting, minlength=rows.leaves)
        return of_leaves.astype(np.int64), counting_tags.astype(np.int64)

    def _fitted(self) -> tuple[Transitions, Result]:
        if self._found is None:
            raise ValueError("nothing is clustered yet: call fit(X) first")
        return self._found


def _silent(stage: str, done: int, total: int) -> None:
    """Report to nobody."""
