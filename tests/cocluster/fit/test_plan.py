"""The plan: exactly or by micro-clusters, why, and what a fit by either plan gives."""

import numpy as np
import pytest

from cocluster import CoClustering, Previous, checkerboard, estimate_memory
from cocluster.equations.duplicates import deduplicate
from cocluster.equations.incidence import binary
from cocluster.equations.information import information
from cocluster.fit.plan import choose_plan
from tests.cocluster.reference import kl_divergence


def distinct(n=60, m=40):
    return deduplicate(binary(checkerboard(n=n, m=m, k=4, alpha=0.6, beta=0.5, seed=1)[0]))


def test_a_corpus_of_at_most_max_exact_different_items_a_side_is_clustered_exactly():
    some = distinct()
    n, m = some.matrix.shape
    assert choose_plan(some, max(n, m), 10, None).name == "exact"
    plan = choose_plan(some, n - 1, 10, None)
    assert (plan.name, plan.micro_clusters, plan.micro_tags) == ("micro", 10, m)
    assert plan.reason == f"{n} different documents are more than max_exact={n - 1}"


def test_different_documents_count_and_not_their_repetitions():
    X = np.repeat(np.triu(np.ones((6, 6))), 50, axis=0)
    model = CoClustering(max_exact=6).fit(X)
    assert (model.plan_.name, model.plan_.documents) == ("exact", 6)
    assert model.row_labels(6).tolist() == np.repeat(np.arange(6), 50).tolist()
    assert len(model.row_dendrogram_.linkage) == 5
    assert np.bincount(model.row_leaves_).tolist() == [50] * 6
    every_leaf = CoClustering().fit(X)
    assert len(every_leaf.row_dendrogram_.linkage) == 299
    np.testing.assert_array_equal(model.row_labels(3), every_leaf.row_labels(3))
    np.testing.assert_allclose(model.row_curve_.criterion, every_leaf.row_curve_.criterion[:6], rtol=1e-9)


def test_more_tags_than_max_exact_are_pre_merged():
    some = distinct(n=30, m=80)
    plan = choose_plan(some, 40, 15, None)
    assert (plan.name, plan.micro_tags) == ("micro", 60)
    assert "different tags" in plan.reason


def test_a_corpus_that_does_not_fit_exactly_uses_micro_clusters_and_is_refused_only_if_they_do_not_fit_either():
    X = binary(np.random.default_rng(0).random((3000, 400)) < 0.02)
    some = deduplicate(X[np.diff(X.indptr) > 0])
    n, m = some.matrix.shape
    exact, micro = estimate_memory(n, m), choose_plan(some, 100, 50, None).memory
    assert micro < exact
    assert choose_plan(some, 10_000, 50, exact).name == "exact"
    plan = choose_plan(some, 10_000, 50, exact - 1)
    assert plan.name == "micro"
    assert f"max_memory={exact - 1}" in plan.reason
    with pytest.raises(ValueError, match=rf"as 50 × {m} micro-clusters, more than max_memory={micro - 1} bytes"):
        choose_plan(some, 10_000, 50, micro - 1)


@pytest.mark.parametrize(("option", "value"), [("max_exact", -1), ("micro_clusters", 1)])
def test_sizes_that_make_no_sense_are_refused(option, value):
    with pytest.raises(ValueError, match=option):
        CoClustering(**{option: value}).fit(np.eye(4))


@pytest.mark.parametrize("max_exact", [10_000, 50])
def test_the_scores_of_a_document_tell_its_divergence_from_every_cluster(max_exact):
    """Σ table / Σ mass over its tags is Σ p log q: with KL(p ‖ q) = Σ p log p − Σ p log q."""
    X = checkerboard(n=120, m=50, k=4, alpha=0.5, beta=0.5, seed=2)[0]
    X = binary(np.vstack([X.toarray(), X.toarray()[:5]]))
    model = CoClustering(max_exact=max_exact, micro_clusters=40).fit(X)
    labels = model.row_labels(5)
    scores = model.cluster_scores(labels)
    clusters = model.aggregated(labels, np.arange(X.shape[1]))
    clusters /= clusters.sum(axis=1, keepdims=True)
    N = CoClustering(keep_smoothed=True).fit(X).smoothed_
    for x in range(0, X.shape[0], 10):
        tags = X.indices[X.indptr[x] : X.indptr[x + 1]]
        mean = scores.table[tags].sum(axis=0) / scores.mass[tags].sum()
        p = N[x] / N[x].sum()
        expected = [float(np.sum(p * np.log2(p))) - kl_divergence(p, cluster) for cluster in clusters]
        np.testing.assert_allclose(mean, expected, rtol=2e-5)


@pytest.mark.parametrize("inherits", [False, True])
@pytest.mark.parametrize("max_exact", [10_000, 50])
def test_a_document_belongs_to_the_tag_cluster_with_the_largest_share_of_it(max_exact, inherits):
    """Whatever the form of M*, with identical documents and tags, these in different clusters."""
    X = checkerboard(n=120, m=50, k=4, alpha=0.5, beta=0.5, seed=2)[0].toarray()
    X = binary(np.hstack([np.vstack([X, X[:5]]), np.vstack([X, X[:5]])[:, :4]]))
    rows, columns = np.arange(X.shape[0]) % 6, np.arange(X.shape[1]) % 3
    previous = Previous(rows=[rows], columns=[columns]) if inherits else None
    model = CoClustering(max_exact=max_exact, micro_clusters=40).fit(X, previous=previous)
    assert model.plan_.name == ("exact" if max_exact > 50 else "micro")
    each = model.aggregated(np.arange(X.shape[0]), columns)
    np.testing.assert_array_equal(model.concepts(columns), each.argmax(axis=1))
    assert len(set(model.concepts(columns).tolist())) == 3


@pytest.mark.parametrize("max_exact", [10_000, 50])
def test_aggregating_over_any_labels_keeps_the_mass_and_loses_information(max_exact):
    X = checkerboard(n=120, m=50, k=4, alpha=0.5, beta=0.5, seed=2)[0]
    model = CoClustering(max_exact=max_exact, micro_clusters=40).fit(X)
    rows, columns = np.arange(X.shape[0]) % 6, np.arange(X.shape[1]) % 3
    N = model.aggregated(rows, columns)
    assert N.shape == (6, 3)
    assert N.sum() == pytest.approx(X.sum(), rel=1e-9)
    assert 0 <= information(N) < model.information_
