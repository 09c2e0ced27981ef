"""The estimator: a 0/1 matrix in, clusters of both sides out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from cocluster.engine.method import Method
from cocluster.engine.weights import Cost
from cocluster.equations.arrays import Floats, Ints, Sparse
from cocluster.equations.continuity import Previous, PreviousLabels, validate_labels
from cocluster.equations.criterion import criterion_curves
from cocluster.equations.critical_size import CriticalSize
from cocluster.equations.duplicates import deduplicate, first_items, write_out
from cocluster.equations.feature_names import Names
from cocluster.equations.history import history_table
from cocluster.equations.incidence import Binarize, Incidence, Matrix, checked_incidence, incidence
from cocluster.equations.transition import Progress, Scaling, Transitions, transitions
from cocluster.estimator.new_documents import NewDocuments
from cocluster.estimator.parameters import ClusterNumbers, check_parameters, cluster_numbers
from cocluster.estimator.progress_line import ProgressLine
from cocluster.estimator.state import FittedState
from cocluster.estimator.tag_lists import tag_matrix
from cocluster.evaluation.cluster_scores import ClusterScores, cluster_scores
from cocluster.fit.components import connected_components, counted_items
from cocluster.fit.exact import fit_exactly
from cocluster.fit.factored import factored_matrix
from cocluster.fit.plan import Plan, choose_plan
from cocluster.fit.result import DenseMatrix, FitResult
from cocluster.micro.fit import fit_by_micro_clusters
from cocluster.micro.tags import summed_columns
from cocluster.tags.refinement import Refinement, cut_into_groups, refine, rows_to_compare
from cocluster.tasks import LocalTasks, Tasks
from tagmodel import CriterionCurve, Dendrogram


class CoClustering(NewDocuments):
    """Clusters the documents and the tags of a matrix together, each side compared over the other.

    >>> weather, money = ["rain", "snow", "wind"], ["coin", "bank", "card"]
    >>> model = CoClustering.from_tags([weather, weather[:2], weather[1:], money, money[:2], money[1:]])
    >>> model.row_labels(2)
    array([0, 0, 0, 1, 1, 1])
    >>> for cluster in model.tag_clusters(2):
    ...     print(cluster.size, cluster.name)
    3 bank, card, coin
    3 snow, rain, wind
    >>> CoClustering(cost="divergence").fit([[1, 1, 0], [1, 1, 0], [0, 0, 1]]).column_labels(2)
    array([0, 0, 1])

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
        binarize: "positive" takes every number above 0 (counts, tf-idf) for 1: only presence counts. "error" refuses
            what is neither 0 nor 1.
        n_clusters: None for the best number of both sides, k for k of each, or a pair for documents and tags:
            (None, 30) cuts the tags alone into 30.
        verbose: whether to show how far a fit is. None: in terminals and notebooks, after a second.

    Parameters are stored as given and checked by `fit`, which sets these attributes: how it was done (`plan_`), the
    labels at the cut (`row_labels_`, `column_labels_`, `n_row_clusters_`, `n_column_clusters_`; at any other:
    `row_labels(k)`, `column_labels(k)`), the dendrograms (`row_dendrogram_`, `column_dendrogram_`; their `linkage` is
    scipy's), the leaf of each document in the first of them (`row_leaves_`: its own, or that of its micro-cluster),
    every merge (`history_`), the criterion by k (`row_curve_`, `column_curve_`; of the items that count, as are the
    entropies in the history), T^Y (`column_transition_`), both scalings, the information at the start in bits
    (`information_`), the number of tags (`n_features_in_`), their names if the input has any (`feature_names_in_`), and
    the place of each document in the input (`row_positions_`).
    """

    plan_: Plan
    row_leaves_: Ints
    row_positions_: Ints
    n_row_clusters_: int
    n_column_clusters_: int
    n_features_in_: int
    feature_names_in_: Names
    row_dendrogram_: Dendrogram
    column_dendrogram_: Dendrogram
    history_: NDArray[np.void]
    row_curve_: CriterionCurve
    column_curve_: CriterionCurve
    row_scaling_: Scaling
    column_scaling_: Scaling
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
        binarize: Binarize = "positive",
        n_clusters: ClusterNumbers = None,
        verbose: bool | None = None,
    ) -> None:
        self.teleport = teleport
        self.critical_size = critical_size
        self.cost = cost
        self.joint = joint
        self.keep_smoothed = keep_smoothed
        self.max_exact = max_exact
        self.micro_clusters = micro_clusters
        self.max_memory = max_memory
        self.tasks = tasks
        self.binarize = binarize
        self.n_clusters = n_clusters
        self.verbose = verbose

    @classmethod
    def from_tags(cls, lists: Iterable[Iterable[str]], *, min_count: int = 1, **parameters: Any) -> Self:
        """An estimator that is fitted to documents, each given as a list of its tags.

        Args:
            lists: the tags of each document. Tags are compared as they are; a repeated one counts once.
            min_count: tags in fewer documents are left out, then documents without a tag. `row_positions_` has the
                places in `lists` of the documents that are left.
            parameters: those of the class.

        Raises:
            ValueError: a document is no list of strings (named), nothing is left, or a parameter is out of range.
        """
        matrix, names = tag_matrix(lists)
        if not names:
            raise ValueError(f"no tags in {matrix.shape[0]} documents: nothing is left to cluster")
        filtered = incidence(matrix, min_count)
        return cls(**parameters).fit(replace(filtered, names=tuple(names[column] for column in filtered.columns)))

    def fit(
        self,
        X: Matrix | Incidence,
        y: Any = None,  # noqa: ARG002 — scikit-learn passes it
        *,
        names: Any = None,
        progress: Progress | None = None,
        previous: Previous | None = None,
        inertia: float = 0.3,
    ) -> Self:
        """Cluster X: documents × tags, an Incidence, a DataFrame, a scipy.sparse or any array of numbers ≥ 0.

        Args:
            X: the matrix. A document without a tag belongs to no cluster; every tag needs a document.
            y: ignored; it is here because scikit-learn's pipelines pass it.
            names: of the tags, one a column, or a fitted vectorizer such as CountVectorizer; tables have their own.
            progress: called along the way with (stage, done, total) instead of what `verbose` shows; an exception from
                it stops the run.
            previous: clusters to inherit from an earlier run (eq. 12); without it the run follows the paper.
            inertia: η, how much of them to inherit.

        Raises:
            ValueError: X holds other values, or an empty column (named), or needs too much memory; or a parameter is
                out of range.
        """
        check_parameters(
            teleport=self.teleport,
            critical_size=self.critical_size,
            cost=self.cost,
            max_exact=self.max_exact,
            micro_clusters=self.micro_clusters,
            max_memory=self.max_memory,
            binarize=self.binarize,
            n_clusters=self.n_clusters,
        )
        matrix = checked_incidence(X, self.binarize, names)
        if progress is not None:
            return self._fit_matrix(matrix, progress, previous, inertia)
        with ProgressLine.of(self.verbose) as line:
            return self._fit_matrix(matrix, line, previous, inertia)

    def _fit_matrix(self, matrix: Incidence, report: Progress, previous: Previous | None, inertia: float) -> Self:
        M = matrix.matrix
        labels = None if previous is None else validate_labels(previous, M.shape, inertia)
        if labels is None or inertia == 0:
            labels, distinct = None, deduplicate(M, rows=matrix.distinct_rows)
        else:
            distinct = deduplicate(M, labels.rows, labels.columns, rows=matrix.distinct_rows)
            first_rows, first_columns = first_items(distinct.row_of), first_items(distinct.column_of)
            labels = PreviousLabels(labels.rows[first_rows], labels.columns[first_columns], inertia)
        plan = choose_plan(distinct, self.max_exact, self.micro_clusters, self.max_memory)
        method = Method(self.teleport, self.cost, self.joint)
        steps = transitions(distinct, report)
        if plan.name == "exact":
            result = fit_exactly(steps, plan, method, labels, report)
        else:
            result = fit_by_micro_clusters(steps, plan, method, labels, self.tasks or LocalTasks(), progress=report)
        state = FittedState(steps, result, matrix.rows, matrix.names, None, matrix.documents, matrix.binarized)
        self._set_results(state, report)
        return self

    def fit_predict(self, X: Matrix | Incidence, y: Any = None, **options: Any) -> Ints:
        """Fit, and the cluster of each document; `options` are those of `fit`."""
        return self.fit(X, y, **options).labels_

    def row_labels(self, k: int) -> Ints:
        """The cluster of each document in a cut into k: 0…k−1, ordered by their smallest member."""
        result = self._require_fit().result
        return result.history.rows.tree.cut(k)[result.row_leaves]

    def column_labels(self, k: int) -> Ints:
        """The cluster of each tag in a cut into k: 0…k−1, ordered by their smallest member."""
        return self._require_fit().result.history.columns.tree.cut(k)

    def refined_columns(self, k: int, kept: ArrayLike = ()) -> Refinement:
        """K clusters of tags, no longer those of the tree: each tag where it is explained best.  math.md (16)

        The tree is cut so deep that k of its branches have several tags. Then tags move, and branches of one tag join
        the nearest other, but not those of the tags in `kept`. So there are hardly more or fewer than k clusters.

        >>> model = CoClustering.from_tags([["rain", "snow"], ["rain", "snow", "wind"], ["coin", "bank"]])
        >>> model.refined_columns(2).labels, model.refined_columns(2).moved.any()
        (array([0, 0, 1, 1, 1]), np.False_)
        """
        result, distinct = self._require_fit().result, self._require_fit().transitions.distinct
        rows, columns = result.history.rows.tree, result.history.columns.tree
        masses = self._masses(self.row_labels(rows_to_compare(len(distinct.column_of), rows.leaves)))
        branches = cut_into_groups(columns.cut, k, columns.leaves)
        return refine(masses[:, distinct.column_of], branches, np.asarray(kept, dtype=np.int64))

    def aggregated(self, rows: ArrayLike, columns: ArrayLike) -> Floats:
        """M* summed over any clusters of documents and of tags (labels 0…k−1 of each)."""
        distinct = self._require_fit().transitions.distinct
        return summed_columns(self._masses(rows)[:, distinct.column_of], np.asarray(columns))

    def concepts(self, columns: ArrayLike) -> Ints:
        """The cluster of tags (labels 0…k−1) with the largest share of each document in M*.  math.md (15)"""
        state = self._require_fit()
        distinct, labels = state.transitions.distinct, np.asarray(columns)
        shape = (distinct.matrix.shape[1], int(labels.max()) + 1)
        E: Sparse = csr_array((np.ones(len(labels)), (distinct.column_of, labels)), shape=shape)
        return state.result.smoothed.largest_groups(E)[distinct.row_of]

    def cluster_scores(self, rows: ArrayLike) -> ClusterScores:
        """The scores of any clusters of documents (labels 0…k−1), to classify documents with.  math.md (14)"""
        state = self._require_fit()
        plain = state.result.plain or factored_matrix(state.transitions, self.teleport)
        return cluster_scores(state.transitions, plain, self._masses(rows))

    def _masses(self, rows: ArrayLike) -> Floats:
        """The masses of clusters of documents over the different tags."""
        state = self._require_fit()
        labels, distinct = np.asarray(rows), state.transitions.distinct
        shape = (int(labels.max()) + 1, distinct.matrix.shape[0])
        members: Sparse = csr_array((np.ones(len(labels)), (labels, distinct.row_of)), shape=shape)
        return state.result.smoothed.sum_rows(members)

    def fitted_state(self) -> FittedState:
        """What the fit found, from which `from_state` makes the same model again."""
        return replace(self._require_fit(), related=self._related)

    @classmethod
    def from_state(cls, state: FittedState, **parameters: Any) -> Self:
        """The model with these parameters that `fitted_state` was called on."""
        model = cls(**parameters)
        model._set_results(state, _no_progress)
        return model

    def _set_results(self, state: FittedState, report: Progress) -> None:
        steps, result = state.transitions, state.result
        history = result.history
        report("cut", 0, 1)
        rows, columns = criterion_curves(history, self.critical_size, *self._counted(steps, result), joint=self.joint)
        report("cut", 1, 1)
        numbers = self._cluster_numbers(rows, columns, history.rows.tree.leaves, history.columns.tree.leaves)
        self._fit = state
        self._related = state.related
        self._computed = {}
        self.plan_ = result.plan
        self.row_leaves_ = result.row_leaves
        self.row_curve_, self.column_curve_ = rows, columns
        self.n_row_clusters_, self.n_column_clusters_ = numbers
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
        self.row_positions_ = state.row_positions
        self.n_features_in_ = len(self.column_labels_)
        vars(self).pop("feature_names_in_", None)  # of an earlier fit
        if state.names is not None:
            self.feature_names_in_ = np.array(state.names, dtype=object)

    def _cluster_numbers(self, rows: CriterionCurve, columns: CriterionCurve, *leaves: int) -> tuple[int, int]:
        """The clusters of documents and of tags that are wanted, or the best numbers."""
        wanted = cluster_numbers(self.n_clusters)
        for side, number, most in zip(("documents", "tags"), wanted, leaves, strict=True):
            if number is not None and number > most:
                raise ValueError(f"n_clusters={self.n_clusters}: the tree of the {side} has only {most} leaves")
        return wanted[0] or rows.best_k, wanted[1] or columns.best_k

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


def _no_progress(stage: str, done: int, total: int) -> None:
    """Ignore the progress."""
