"""The fit by micro-clusters: products instead of matrices, and the same result wherever the blocks are worked on."""

import numpy as np
import pytest
from hypothesis import given
from scipy.cluster.hierarchy import is_valid_linkage

from cocluster import CoClustering, LocalTasks, Previous, checkerboard, incidence, v_measure
from cocluster.equations.continuity import PreviousLabels, inherit
from cocluster.equations.duplicates import deduplicate
from cocluster.equations.incidence import binary
from cocluster.equations.information import information
from cocluster.equations.smoothing import smoothed_rows
from cocluster.equations.transition import transitions
from cocluster.fit import factored as products
from cocluster.fit.factored import factored_matrix
from cocluster.micro import documents, fit
from cocluster.micro.documents import assign, blocks_of, masses_of, micro_clusters, renumber_by_first
from cocluster.micro.fit import estimated_loss
from cocluster.micro.inheritance import inherit_factored
from cocluster.micro.scores import score_table
from cocluster.micro.tags import merges_within_groups, micro_tags
from tests.cocluster.matrices import few_examples, incidences, sample
from tests.cocluster.micro.products import RATE, board, every_row, silent, transitions_of
from tests.cocluster.reference import kl_divergence


@few_examples
@given(incidences())
def test_the_product_is_the_smoothed_matrix_whether_g_is_written_out_or_not(M):
    steps = transitions_of(M)
    N = smoothed_rows(steps, RATE, silent)
    smoothed = factored_matrix(steps, RATE)
    np.testing.assert_allclose(every_row(smoothed), N, rtol=1e-9)
    np.testing.assert_allclose(smoothed.row_sums, N @ steps.distinct.column_sizes, rtol=1e-9)
    np.testing.assert_allclose(smoothed.column_sums, steps.distinct.row_sizes @ N, rtol=1e-9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, "DENSE_TAGS", 0)
        product = factored_matrix(steps, RATE).G
    np.testing.assert_allclose(product.aggregate(smoothed.rows), N, rtol=1e-9)


def test_a_document_scores_highest_where_its_divergence_is_least(form):
    steps = transitions_of(board())
    smoothed = factored_matrix(steps, RATE)
    N, v = every_row(smoothed), steps.distinct.column_sizes
    masses = masses_of(smoothed, np.arange(len(N)) % 7)
    scores = smoothed.rows @ score_table(smoothed, masses)
    rows = (N * v) / (N @ v)[:, None]
    clusters = (masses * v) / (masses @ v)[:, None]
    for x in range(0, len(N), 11):
        divergence = [kl_divergence(rows[x], cluster) for cluster in clusters]
        assert divergence[int(np.argmax(scores[x]))] == pytest.approx(min(divergence), abs=1e-5)


def test_the_loss_falls_from_round_to_round(form, monkeypatch):
    monkeypatch.setattr(documents, "BLOCK", 64)
    smoothed = factored_matrix(transitions_of(board()), RATE)
    groups = micro_clusters(smoothed, 40, LocalTasks(), silent)
    assert len(groups.fits) == documents.ROUNDS
    scale = abs(groups.fits[-1])
    assert all(later >= earlier - 1e-6 * scale for earlier, later in zip(groups.fits, groups.fits[1:], strict=False))
    assert groups.fits[-1] > groups.fits[0] + 1e-3 * scale


def test_micro_clusters_keep_the_documents_and_their_masses(form, monkeypatch):
    monkeypatch.setattr(documents, "BLOCK", 64)
    steps = transitions_of(board())
    smoothed = factored_matrix(steps, RATE)
    groups = micro_clusters(smoothed, 40, LocalTasks(), silent)
    assert groups.sizes.sum() == len(steps.distinct.row_of)
    assert len(groups.sizes) == groups.labels.max() + 1 == len(groups.masses) <= 40
    assert (np.diff([np.flatnonzero(groups.labels == a)[0] for a in range(len(groups.sizes))]) > 0).all()
    N = every_row(smoothed) * steps.distinct.row_sizes[:, None]
    for a in range(len(groups.sizes)):
        np.testing.assert_allclose(groups.masses[a], N[groups.labels == a].sum(axis=0), rtol=1e-9)


def test_groups_are_numbered_by_their_first_members_and_empty_ones_are_passed_over():
    labels, old = renumber_by_first(np.array([5, 2, 5, 7, 2, 0]))
    assert labels.tolist() == [0, 1, 0, 2, 1, 3]
    assert old.tolist() == [5, 2, 7, 0]


@few_examples
@given(incidences(least=2))
def test_with_as_many_micro_clusters_as_documents_the_merges_are_the_exact_ones(M):
    """Merge by merge, from the duplicates of documents on, which the micro-clusters have swallowed."""
    exact, micro = CoClustering().fit(M), CoClustering(max_exact=0, micro_clusters=100).fit(M)
    assert (exact.plan_.name, micro.plan_.name) == ("exact", "micro")
    assert micro.information_ == pytest.approx(exact.information_, abs=1e-9)
    if exact.information_ < 1e-3:
        return
    assert micro.plan_.information_kept == pytest.approx(1.0, abs=1e-9)
    k = np.unique(M, axis=0).shape[0], np.unique(M, axis=1).shape[1]
    np.testing.assert_allclose(
        micro.history_["cost"][micro.history_["cost"] > 1e-9],
        exact.history_["cost"][exact.history_["cost"] > 1e-9],
        rtol=1e-6,
    )
    np.testing.assert_array_equal(micro.row_labels(k[0]), exact.row_labels(k[0]))
    np.testing.assert_array_equal(micro.column_labels(k[1]), exact.column_labels(k[1]))


@pytest.mark.parametrize("tasks", [LocalTasks(jobs=2), LocalTasks(jobs=3), LocalTasks(jobs=2, kind="processes")])
def test_the_result_is_the_same_bytes_however_many_tasks_run_at_a_time(tasks, monkeypatch):
    monkeypatch.setattr(documents, "BLOCK", 50)
    X = board()
    options = {"max_exact": 60, "micro_clusters": 20}
    alone = CoClustering(**options, tasks=LocalTasks(jobs=1)).fit(X)
    other = CoClustering(**options, tasks=tasks).fit(X)
    assert alone.plan_.micro_tags < X.shape[1]
    assert other.history_.tobytes() == alone.history_.tobytes()
    assert other.row_leaves_.tobytes() == alone.row_leaves_.tobytes()
    assert other.plan_ == alone.plan_


def test_a_task_gives_the_same_bits_for_a_document_in_any_block(monkeypatch):
    smoothed = factored_matrix(transitions_of(board()), RATE)
    masses = masses_of(smoothed, np.arange(smoothed.rows.shape[0]) % 9)
    labels = []
    for block in (7, 64, 1000):
        monkeypatch.setattr(documents, "BLOCK", block)
        tasks = LocalTasks(1)
        labels.append(assign(smoothed, masses, blocks_of(smoothed.rows, smoothed.row_sizes), tasks, silent).labels)
    np.testing.assert_array_equal(labels[0], labels[1])
    np.testing.assert_array_equal(labels[0], labels[2])


def test_pre_merged_tags_are_leaves_of_a_valid_tree_that_loses_all_the_information():
    X = board(n=300, m=200)
    model = CoClustering(max_exact=50, micro_clusters=20).fit(X)
    assert model.plan_.micro_tags == 80
    assert len(model.column_dendrogram_.linkage) == X.shape[1] - 1
    assert is_valid_linkage(model.column_dendrogram_.linkage)
    assert is_valid_linkage(model.row_dendrogram_.linkage)
    assert (np.diff(model.column_dendrogram_.linkage[:, 2]) >= 0).all()
    both = model.column_dendrogram_.linkage[-1, 2] + model.row_dendrogram_.linkage[-1, 2]
    assert both == pytest.approx(model.information_, rel=1e-9)
    assert model.row_dendrogram_.linkage[-1, 3] == model.plan_.micro_clusters
    for k in (1, 5, 80, X.shape[1]):
        assert len(np.unique(model.column_labels(k))) == k


def test_a_pre_merge_loses_what_merging_the_columns_loses():
    steps = transitions_of(board(n=200, m=60))
    smoothed = factored_matrix(steps, RATE)
    groups = micro_clusters(smoothed, 30, LocalTasks(1), silent)
    v = steps.distinct.column_sizes
    tags = micro_tags(groups.masses, v, 12, LocalTasks(1), silent)
    merges = merges_within_groups(groups.masses, steps.distinct.column_of, tags.leaf, "composite")
    leaf = tags.leaf[steps.distinct.column_of]
    N = groups.masses[:, steps.distinct.column_of]
    merged = np.zeros((len(N), 12))
    np.add.at(merged.T, leaf, N.T)
    assert merges.loss.sum() == pytest.approx(information(N) - information(merged), rel=1e-9)
    assert (merges.a < merges.b).all()
    assert (merges.cost >= 0).all()


def test_the_information_lost_by_micro_clusters_is_that_of_the_aggregated_matrix():
    """Where the sample is all documents, the estimate is the loss itself."""
    steps = transitions_of(board())
    smoothed = factored_matrix(steps, RATE)
    groups = micro_clusters(smoothed, 40, LocalTasks(1), silent)
    N = every_row(smoothed) * steps.distinct.row_sizes[:, None] * steps.distinct.column_sizes
    lost = information(N) - information(groups.masses * steps.distinct.column_sizes)
    assert estimated_loss(smoothed, groups) == pytest.approx(lost, rel=1e-6)


def labelled(n, clusters, new):
    labels = np.arange(n) % clusters
    labels[np.arange(n) % 7 == 3] = -1 if new else 0
    return labels


def test_inheriting_as_a_product_is_inheriting(form):
    X = board(n=150, m=60)
    rows = np.column_stack([labelled(X.shape[0], 4, new=True), labelled(X.shape[0], 9, new=True)])
    columns = np.column_stack([labelled(X.shape[1], 3, new=False), labelled(X.shape[1], 8, new=False)])
    distinct = deduplicate(binary(X), rows, columns)
    steps = transitions(distinct, silent)
    first = np.unique(distinct.row_of, return_index=True)[1], np.unique(distinct.column_of, return_index=True)[1]
    previous = PreviousLabels(rows[first[0]], columns[first[1]], 0.4)
    N = smoothed_rows(steps, RATE, silent)
    expected = inherit(N, previous, distinct.row_sizes, distinct.column_sizes)
    smoothed = inherit_factored(factored_matrix(steps, RATE), previous, LocalTasks(1))
    np.testing.assert_allclose(every_row(smoothed), expected, rtol=1e-5)
    np.testing.assert_allclose(smoothed.row_sums, N @ distinct.column_sizes, rtol=1e-9)


def test_a_run_by_micro_clusters_that_inherits_moves_fewer_tags():
    X = board(n=600, m=150)
    rows = np.flatnonzero(np.random.default_rng(0).random(X.shape[0]) < 0.9)
    earlier = incidence(X[rows], min_count=1)
    options = {"max_exact": 100, "micro_clusters": 60}
    before = CoClustering(**options).fit(earlier.matrix)

    def placed(labels, places, size):
        known = np.full(size, -1)
        known[places] = labels
        return known

    previous = Previous(
        [placed(before.row_labels(24), rows[earlier.rows], X.shape[0])],
        [placed(before.column_labels(12), earlier.columns, X.shape[1])],
    )
    plain = CoClustering(**options).fit(X)
    inherits = CoClustering(**options).fit(X, previous=previous, inertia=0.5)

    def agreement(model):
        return v_measure(before.column_labels(12), model.column_labels(12)[earlier.columns])

    assert plain.plan_.name == inherits.plan_.name == "micro"
    assert agreement(plain) < 0.95
    assert agreement(inherits) > 0.98


def test_where_no_document_was_there_before_nothing_is_inherited():
    X = board(n=200, m=60)
    options = {"max_exact": 50, "micro_clusters": 30}
    previous = Previous([np.full(X.shape[0], -1)], [np.zeros(X.shape[1], int)])
    plain, inherits = CoClustering(**options).fit(X), CoClustering(**options).fit(X, previous=previous)
    assert inherits.history_.tobytes() == plain.history_.tobytes()


def test_planted_clusters_are_found_as_well_as_by_the_exact_fit():
    X, rows, columns = checkerboard(n=3000, m=300, k=10, alpha=0.3, beta=0.25, seed=3)
    exact, micro = CoClustering().fit(X), CoClustering(max_exact=100, micro_clusters=200).fit(X)
    assert (exact.plan_.name, micro.plan_.name) == ("exact", "micro")
    assert v_measure(rows, micro.row_labels(10)) > v_measure(rows, exact.row_labels(10)) - 0.02
    assert v_measure(columns, micro.column_labels(10)) > v_measure(columns, exact.column_labels(10)) - 0.02


def test_a_real_corpus_keeps_the_information_of_the_exact_fit():
    X = sample("tabler_icons", 1200, min_count=3)
    exact, micro = CoClustering().fit(X), CoClustering(max_exact=100, micro_clusters=300).fit(X)

    def remaining(model):
        rows, columns = model.row_labels(20), model.column_labels(20)
        return information(exact.aggregated(rows, columns))

    assert remaining(micro) > 0.97 * remaining(exact)


def test_groups_of_tags_add_up_their_columns(form):
    steps = transitions_of(board(n=150, m=60))
    smoothed = factored_matrix(steps, RATE)
    group = np.arange(steps.distinct.matrix.shape[1]) % 7
    coarse = products.over_groups(smoothed, group)
    expected = np.zeros((smoothed.rows.shape[0], 7))
    np.add.at(expected.T, group, (every_row(smoothed) * steps.distinct.column_sizes).T)
    np.testing.assert_allclose(every_row(coarse), expected, rtol=1e-5)
    np.testing.assert_allclose(coarse.column_sums, steps.distinct.row_sizes @ expected, rtol=1e-5)


def test_very_many_tags_are_seen_through_groups_and_give_about_the_same(monkeypatch):
    X, rows, columns = checkerboard(n=1500, m=300, k=8, alpha=0.3, beta=0.3, seed=3)
    options = {"max_exact": 400, "micro_clusters": 150}
    plain = CoClustering(**options).fit(X)
    monkeypatch.setattr(products, "DENSE_TAGS", 100)
    monkeypatch.setattr(fit, "ROUGH_TAGS", 60)
    many = CoClustering(**options).fit(X)
    for truth, labels, expected in (
        (rows, many.row_labels(8), plain.row_labels(8)),
        (columns, many.column_labels(8), plain.column_labels(8)),
    ):
        assert v_measure(truth, labels) > v_measure(truth, expected) - 0.05
