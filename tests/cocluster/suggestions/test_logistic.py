"""The logistic regressions of the suggestions."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array, vstack

from cocluster.suggestions import TrainingDocuments, logistic, no_evidence, suggestion_lists, training_documents
from cocluster.tasks import LocalTasks
from tests.cocluster.suggestions.test_weights import documents


def direct(M, lists, penalty, tag):
    """The least −log likelihood with the penalty, by a general minimiser in float64: prior and weights by tag."""
    X = M.toarray()
    n, m = X.shape
    sources = np.repeat(np.arange(m), np.diff(lists.starts))[lists.indices == tag]
    y = X[:, tag]
    base = np.log((y.sum() + 0.5) / (n - y.sum() + 0.5))

    def loss(point):
        logits = point[0] + X[:, sources] @ point[1:]
        chance = 1 / (1 + np.exp(-logits))
        value = np.sum(np.logaddexp(0, logits) - y * logits)
        value += penalty / 2 * ((point[0] - base) ** 2 + point[1:] @ point[1:])
        slope = np.concatenate([[np.sum(chance - y) + penalty * (point[0] - base)], X[:, sources].T @ (chance - y)])
        slope[1:] += penalty * point[1:]
        return value, slope

    start = np.zeros(1 + len(sources))
    start[0] = base
    point = minimize(loss, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-14, "gtol": 1e-9, "maxiter": 2000}).x
    return point[0], dict(zip(sources.tolist(), point[1:], strict=True))


@pytest.mark.parametrize("penalty", [0.25, 1.0, 8.0])
def test_weights_and_priors_are_the_most_likely_less_the_penalty(penalty):
    M = documents(400)
    lists = suggestion_lists(M, 2.0)
    evidence = logistic(training_documents(M), lists, penalty, tolerance=1e-5)
    for tag in range(M.shape[1]):
        prior, weights = direct(M, lists, penalty, tag)
        assert evidence.prior[tag] == pytest.approx(prior, abs=0.001)
        for source, weight in weights.items():
            span = slice(lists.starts[source], lists.starts[source + 1])
            mine = evidence.weights[span][lists.indices[span] == tag][0]
            assert mine == pytest.approx(weight, abs=0.001)


def test_a_document_twice_is_a_document_that_counts_twice():
    M = documents(200)
    twice = csr_array(vstack([M, M]))
    for once, again in (
        (training_documents(M).postings, training_documents(twice).postings),
        (training_documents(M).sample, training_documents(twice).sample),
    ):
        assert len(again.times) == len(once.times)
        assert (again.times == 2 * once.times).all()
    lists = suggestion_lists(twice, 2.0)
    doubled = logistic(training_documents(twice), lists, 1.0, tolerance=1e-5)
    once = logistic(training_documents(M), lists, 0.5, tolerance=1e-5)
    assert doubled.weights == pytest.approx(once.weights, abs=0.02)


def test_the_same_documents_give_the_same_bits_whatever_the_number_of_threads(monkeypatch):
    M = documents(3000, 130)
    lists = suggestion_lists(M, 2.0)
    many = logistic(training_documents(M), lists, 1.0)
    monkeypatch.setattr(sys.modules[TrainingDocuments.__module__], "LocalTasks", lambda: LocalTasks(jobs=1))
    one = logistic(training_documents(M), lists, 1.0)
    assert many.weights.tobytes() == one.weights.tobytes()
    assert many.prior.tobytes() == one.prior.tobytes()


def test_a_tag_that_is_always_beside_another_says_so_within_bounds():
    """Nothing separates them: only the penalty keeps the weight finite."""
    rows = np.zeros((300, 3))
    rows[:40, :2] = 1
    rows[40:, 2] = 1
    rows[::3, 2] = 1
    M = csr_array(rows)
    lists = suggestion_lists(M, 1.0)
    evidence = logistic(training_documents(M), lists, 1.0)
    span = slice(lists.starts[0], lists.starts[1])
    assert 3 < evidence.weights[span][lists.indices[span] == 1][0] < 20
    assert np.isfinite(evidence.weights).all()


def test_no_evidence_is_nothing_for_every_pair():
    lists = suggestion_lists(documents(), 2.0)
    assert not no_evidence(lists).weights.any()
    assert len(no_evidence(lists).weights) == len(lists.indices)


def test_a_large_matrix_is_thinned_where_tags_are_common_and_counts_stay_what_they_were():
    M = documents(20_000, 60)
    counts = np.asarray(M.sum(axis=0)).ravel()
    thin = training_documents(M, most=12_000).sample
    sampled = np.diff(thin.starts)
    assert sampled.sum() == pytest.approx(12_000, rel=0.03)
    rare = np.argsort(counts)[:10]
    every = np.diff(training_documents(M, most=10**9).sample.starts)
    assert sampled[rare].sum() > 1.3 * sampled.sum() * every[rare].sum() / every.sum(), (
        "rare tags keep more of their documents"
    )
    weighted = np.array(
        [thin.times[thin.documents[a:b]].sum() for a, b in zip(thin.starts, thin.starts[1:], strict=False)]
    )
    assert weighted == pytest.approx(counts, rel=0.25)
    assert thin.times.sum() == pytest.approx(20_000, rel=0.05)


def test_a_small_sample_teaches_nearly_the_same_because_every_document_that_has_a_tag_counts():
    M = documents(20_000, 60)
    lists = suggestion_lists(M, 2.0)
    full, thin = (training_documents(M, most=most) for most in (10**9, 12_000))
    only = replace(
        thin,
        rows=csr_array(thin.rows[thin.place_of >= 0]),
        postings=thin.sample,
        place_of=np.arange(len(thin.sample.times), dtype=np.int32),
    )
    all_of_it, some, sampled = (logistic(each, lists, 1.0) for each in (full, thin, only))
    assert np.corrcoef(all_of_it.weights, some.weights)[0, 1] > 0.9
    assert some.prior == pytest.approx(all_of_it.prior, abs=0.3)
    assert np.corrcoef(all_of_it.weights, sampled.weights)[0, 1] < 0.6, "the sample alone would not do"


def test_a_tag_in_every_document_has_finite_weights_however_small_the_sample():
    rows = documents(5000, 30).toarray()
    rows[:, 3] = 1
    M = csr_array(rows)
    lists = suggestion_lists(M, 2.0)
    for most in (10**9, 500, 1):
        evidence = logistic(training_documents(M, most=most), lists, 1.0)
        assert np.isfinite(evidence.weights).all()
        assert np.isfinite(evidence.prior).all()
        assert evidence.prior.argmax() == 3


def test_thinning_is_the_same_every_time():
    M = documents(3000, 40)
    one, other = (training_documents(M, most=2000).sample for _ in range(2))
    assert one.documents.tobytes() == other.documents.tobytes()
    assert one.times.tobytes() == other.times.tobytes()


@pytest.mark.parametrize("penalty", [0.5, 2.0])
def test_fits_end_at_the_same_weights_wherever_they_start(penalty):
    """Started from the weights of another penalty, a regression ends where it ends from zero, within its tolerance."""
    M = documents(400, 12)
    lists, training = suggestion_lists(M, 1.0), training_documents(M)
    cold = logistic(training, lists, penalty, 1e-4)
    start = logistic(training, lists, 1.0, 1e-4)
    before = start.weights.copy()
    warm = logistic(training, lists, penalty, 1e-4, start=start)
    np.testing.assert_allclose(warm.weights, cold.weights, atol=0.01)
    np.testing.assert_allclose(warm.prior, cold.prior, atol=0.01)
    np.testing.assert_array_equal(start.weights, before)
    assert np.abs(start.weights - cold.weights).max() > 0.05
