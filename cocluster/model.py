"""The estimator: a 0/1 matrix in, clusters of both sides out."""

from __future__ import annotations

from typing import Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from cocluster.arrays import Floats, Ints, Sparse
from cocluster.cluster_scores import ClusterScores, cluster_scores
from cocluster.components import connected_components, counted_items
from cocluster.continuity import Previous, PreviousLabels, validate_labels
from cocluster.criterion import criterion_curves
from cocluster.critical_size import CriticalSize
from cocluster.duplicates import deduplicate, first_items, write_out
from cocluster.exact import fit_exactly
from cocluster.factored import factored_matrix
from cocluster.fit_result import DenseMatrix, FitResult
from cocluster.history import history_table
from cocluster.incidence import Incidence, Matrix, checked_incidence
from cocluster.method import Cost, Method
from cocluster.micro.fitting import fit_by_micro_clusters
from cocluster.micro.tags import summed_columns
from cocluster.plan import Plan, choose_plan
from cocluster.tasks import LocalTasks, Tasks
from cocluster.transition import Progress, Scaling, Transitions, transitions
from tagmodel import CriterionCurve, Dendrogram


class CoClustering:
    """Clusters the documents and the tags of a 0/1 matrix together, each side compared over the other.

    Args:
        teleport: λ of eq. 4, strictly between 0 and 1.
        critical_size: r of eq. 10: where the trees are cut, clusters of at most r items do not count.
            "auto" averages over a range of sizes that follows from the number of items, and leaves out
            disconnected parts of the corpus that are too small to count.
        cost: "composite" is KL^J × W (eq. 8), "divergence" is KL^J alone.
        joint: False clusters each side against the unclustered other side.
        keep_smoothed: keep M* as `smoothed_` (n×m floats); only after an exact fit.
        max_exact: different documents, or tags, up to which every pair is compared. Larger corpora are clustered
            by micro-clusters (eq. 13), and so are those that would not fit in `max_memory`.
        micro_clusters: how many of them there are; tags are pre-merged into four times as many, if need be.
        max_memory: bytes that a fit may take; one that would take more either way fails before it starts.
        tasks: where blocks of documents are processed; threads of this machine by default. Never changes the result.

    After `fit`: how it was done (`plan_`), the labels at the automatic cut (`row_labels_`, `column_labels_`,
    `n_row_clusters_`, `n_column_clusters_`), at any other (`row_labels(k)`, `column_labels(k)`), the dendrograms
    (`row_dendrogram_`, `column_dendrogram_`; their `linkage` is scipy's), the leaf of each document in the first of
    them (`row_leaves_`: its own, or that of its micro-cluster), every merge (`history_`), the criterion by k
    (`row_curve_`, `column_curve_`; of the items that count, as are the entropies in the history), T^Y
    (`column_transition_`), both scalings, and the information at the start in bits (`information_`).
    """

    plan_: Plan
    row_labels_: Ints
    column_labels_: Ints
    row_leaves_: Ints
    n_row_clusters_: int
    n_column_clusters_: int
    row_dendrogram_: Dendrogram
    column_dendrogram_: Dendrogram
    history_: NDArray[np.void]
    row_curve_: CriterionCurve
    column_curve_: CriterionCurve
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
        self.tasks = tasks or LocalTasks()
        self._fit: tuple[Transitions, FitResult] | None = None

    def fit(
        self,
        X: Matrix | Incidence,
        progress: Progress | None = None,
        *,
        previous: Previous | None = None,
        inertia: float = 0.3,
    ) -> Self:
        """Cluster X: documents × tags, an Incidence, a scipy.sparse or any array of zeros and ones.

        Args:
            X: the matrix; every row and every column holds a 1.
            progress: called along the way with (stage, done, total); an exception from it stops the run.
            previous: clusters to inherit from an earlier run (eq. 12); without it the run follows the paper.
            inertia: η, how much of them to inherit.

        Raises:
            ValueError: X holds other values, or an empty row or column (named), or needs too much memory.
        """
        report = progress or _no_progress
        incidence = checked_incidence(X)
        M = incidence.matrix
        labels = None if previous is None else validate_labels(previous, M.shape, inertia)
        if labels is None or inertia == 0:
            labels, distinct = None, deduplicate(M, rows=incidence.distinct_rows)
        else:
            distinct = deduplicate(M, labels.rows, labels.columns, rows=incidence.distinct_rows)
            first_rows, first_columns = first_items(distinct.row_of), first_items(distinct.column_of)
            labels = PreviousLabels(labels.rows[first_rows], labels.columns[first_columns], inertia)
        plan = choose_plan(distinct, self.max_exact, self.micro_clusters, self.max_memory)
        method = Method(self.teleport, self.cost, self.joint)
        steps = transitions(distinct, report)
        if plan.name == "exact":
            result = fit_exactly(steps, plan, method, labels, report)
        else:
            result = fit_by_micro_clusters(steps, plan, method, labels, self.tasks, progress=report)
        self._set_attributes(steps, result, report)
        return self

    def row_labels(self, k: int) -> Ints:
        """The cluster of each document in a cut into k: 0…k−1, ordered by their smallest member."""
        _, result = self._require_fit()
        return result.history.rows.tree.cut(k)[result.row_leaves]

    def column_labels(self, k: int) -> Ints:
        """The cluster of each tag in a cut into k: 0…k−1, ordered by their smallest member."""
        return self._require_fit()[1].history.columns.tree.cut(k)

    def aggregated(self, rows: ArrayLike, columns: ArrayLike) -> Floats:
        """M* summed over any clusters of documents and of tags (labels 0…k−1 of each)."""
        steps, _ = self._require_fit()
        return summed_columns(self._masses(rows)[:, steps.distinct.column_of], np.asarray(columns))

    def concepts(self, columns: ArrayLike) -> Ints:
        """The cluster of tags (labels 0…k−1) with the largest share of each document in M*.  math.md (15)"""
        steps, result = self._require_fit()
        labels = np.asarray(columns)
        shape = (steps.distinct.matrix.shape[1], int(labels.max()) + 1)
        E: Sparse = csr_array((np.ones(len(labels)), (steps.distinct.column_of, labels)), shape=shape)
        return result.smoothed.largest_groups(E)[steps.distinct.row_of]

    def cluster_scores(self, rows: ArrayLike) -> ClusterScores:
        """The scores of any clusters of documents (labels 0…k−1), to classify documents with.  math.md (14)"""
        steps, result = self._require_fit()
        return cluster_scores(steps, result.plain or factored_matrix(steps, self.teleport), self._masses(rows))

    def _masses(self, rows: ArrayLike) -> Floats:
        """The masses of clusters of documents over the different tags."""
        steps, result = self._require_fit()
        labels = np.asarray(rows)
        shape = (int(labels.max()) + 1, steps.distinct.matrix.shape[0])
        members: Sparse = csr_array((np.ones(len(labels)), (labels, steps.distinct.row_of)), shape=shape)
        return result.smoothed.sum_rows(members)

    def _set_attributes(self, steps: Transitions, result: FitResult, report: Progress) -> None:
        history = result.history
        report("cut", 0, 1)
        rows, columns = criterion_curves(history, self.critical_size, *self._counted(steps, result), joint=self.joint)
        report("cut", 1, 1)
        self._fit = steps, result
        self.plan_ = result.plan
        self.row_leaves_ = result.row_leaves
        self.row_curve_, self.column_curve_ = rows, columns
        self.n_row_clusters_, self.n_column_clusters_ = rows.best_k, columns.best_k
        self.row_labels_ = self.row_labels(self.n_row_clusters_)
        self.column_labels_ = self.column_labels(self.n_column_clusters_)
        self.row_dendrogram_, self.column_dendrogram_ = history.rows.tree, history.columns.tree
        self.history_ = history_table(history, rows.entropy, columns.entropy)
        self.row_scaling_, self.column_scaling_ = steps.all_rows, steps.all_columns
        self.column_transition_ = steps.all_transition
        self.information_ = max(history.rows.start, history.columns.start)
        self.smoothed_ = None
        if self.keep_smoothed and isinstance(result.smoothed, DenseMatrix):
            self.smoothed_ = write_out(steps.distinct, result.smoothed.N)

    def _counted(self, steps: Transitions, result: FitResult) -> tuple[Ints, Ints]:
        """How many documents, and how many tags, of each leaf of the dendrograms count where they are cut."""
        rows, columns = result.history.rows.tree, result.history.columns.tree
        if self.critical_size != "auto":
            return rows.sizes, columns.sizes
        distinct = steps.distinct
        documents, tags = connected_components(distinct.matrix)
        counted, counted_tags = counted_items(documents[distinct.row_of], tags[distinct.column_of])
        of_leaves = np.bincount(result.row_leaves, weights=counted, minlength=rows.leaves)
        return of_leaves.astype(np.int64), counted_tags.astype(np.int64)

    def _require_fit(self) -> tuple[Transitions, FitResult]:
        if self._fit is None:
            raise ValueError("nothing is clustered yet: call fit(X) first")
        return self._fit


def _no_progress(stage: str, done: int, total: int) -> None:
    """Ignore the progress."""
