"""The logistic regressions of the suggestions."""

import sys

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array, vstack

from cocluster.micro.tasks import Local
from cocluster.suggestions import Postings, logistic, postings, silent, suggestion_lists
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
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-14, "gtol": 1e-9, "maxiter": 2000}).x
    return found[0], dict(zip(sources.tolist(), found[1:], strict=True))


@pytest.mark.parametrize("penalty", [0.25, 1.0, 8.0])
def test_weights_and_priors_are_the_most_likely_less_the_penalty(penalty):
    M = documents(400)
    lists = suggestion_lists(M, 2.0)
    found = logistic(postings(M), lists, penalty, tolerance=1e-5)
    for tag in range(M.shape[1]):
        prior, weights = direct(M, lists, penalty, tag)
        assert found.prior[tag] == pytest.approx(prior, abs=0.001)
        for source, weight in weights.items():
            span = slice(lists.starts[source], lists.starts[source + 1])
            mine = found.weights[span][lists.indices[span] == tag][0]
            assert mine == pytest.approx(weight, abs=0.001)


def test_a_document_twice_is_a_document_that_counts_twice():
    M = documents(200)
    twice = csr_array(vstack([M, M]))
    assert len(postings(twice).times) == len(postings(M).times)
    assert (postings(twice).times == 2 * postings(M).times).all()
    lists = suggestion_lists(twice, 2.0)
    whole = logistic(postings(twice), lists, 1.0, tolerance=1e-5)
    assert whole.weights == pytest.approx(logistic(postings(M), lists, 0.5, tolerance=1e-5).weights, abs=0.02)


def test_the_same_documents_give_the_same_bits_whatever_the_number_of_threads(monkeypatch):
    M = documents(3000, 130)
    lists = suggestion_lists(M, 2.0)
    many = logistic(postings(M), lists, 1.0)
    monkeypatch.setattr(sys.modules[Postings.__module__], "Local", lambda: Local(jobs=1))
    one = logistic(postings(M), lists, 1.0)
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
    found = logistic(postings(M), lists, 1.0)
    span = slice(lists.starts[0], lists.starts[1])
    assert 3 < found.weights[span][lists.indices[span] == 1][0] < 20
    assert np.isfinite(found.weights).all()


def test_no_evidence_is_nothing_for_every_pair():
    lists = suggestion_lists(documents(), 2.0)
    assert not silent(lists).weights.any()
    assert len(silent(lists).weights) == len(lists.indices)
