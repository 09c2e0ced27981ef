"""Predicted bits and NPMI of clusters: against a direct computation, and beside random clusters."""

import sys
from itertools import combinations
from math import log, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from cocluster import coherence
from cocluster.evaluation.coherence import predicted_bits, weighted_npmi
from tests.cocluster.matrices import examples, incidences

MODULE = sys.modules["cocluster.evaluation.coherence"]


@st.composite
def partitioned(draw):
    """A matrix, its documents in two parts, and labels of its tags; every tag is in the first part."""
    M = draw(incidences(least=2))
    labels = draw(st.lists(st.integers(0, 3), min_size=M.shape[1], max_size=M.shape[1]))
    held_out = M[M.sum(axis=1) > 1]
    return M, held_out, np.array(labels)


def direct_bits(train, held_out, labels):
    """The formula of the docstring, pair by pair."""
    tags = range(train.shape[1])
    share = train.sum(axis=0) / train.sum()
    beside = {(t, c): 0 for t in tags for c in labels}
    for document in train:
        for t in np.flatnonzero(document):
            for j in np.flatnonzero(document):
                if j != t:
                    beside[t, labels[j]] += 1
    neighbours = {c: sum(beside[t, c] for t in tags) for c in labels}

    def given_cluster(t, c):
        return (beside[t, c] + 20 * share[t]) / (neighbours[c] + 20)

    gains = []
    for document in held_out:
        for t in np.flatnonzero(document):
            others = [j for j in np.flatnonzero(document) if j != t]
            predicted = sum(given_cluster(t, labels[j]) for j in others) / len(others)
            gains.append(log2((0.95 * predicted + 0.05 * share[t]) / share[t]))
    return sum(gains) / len(gains) if gains else 0.0


def direct_npmi(M, labels):
    """The formula of the docstring, pair by pair."""
    n = len(M)
    total = 0.0
    for c in set(labels.tolist()):
        members = sorted(np.flatnonzero(labels == c), key=lambda t: (-M[:, t].sum(), t))
        values = []
        for i, j in combinations(members[:10], 2):
            both = (M[:, i] * M[:, j]).sum() / n
            independent = M[:, i].mean() * M[:, j].mean()
            values.append(-1.0 if both == 0 else 1.0 if both == 1 else log(both / independent) / -log(both))
        total += len(members) * (sum(values) / len(values) if values else 0.0)
    return total / M.shape[1]


@examples
@given(partitioned())
def test_bits_are_those_of_a_direct_computation(case):
    train, held_out, labels = case
    labels = np.unique(labels, return_inverse=True)[1]
    expected = direct_bits(train, held_out, labels.tolist())
    assert predicted_bits(csr_array(train), csr_array(held_out), labels) == pytest.approx(expected, abs=1e-9)


@examples
@given(partitioned())
def test_npmi_is_that_of_a_direct_computation(case):
    M, _, labels = case
    assert weighted_npmi(csr_array(M), labels) == pytest.approx(direct_npmi(M, labels), abs=1e-9)


def test_bits_are_the_same_in_any_block(monkeypatch):
    M = csr_array((np.random.default_rng(1).random((30, 12)) < 0.4).astype(float))
    labels = np.arange(12) % 4
    whole = predicted_bits(M, M, labels)
    monkeypatch.setattr(MODULE, "BLOCK", 7)
    assert predicted_bits(M, M, labels) == pytest.approx(whole, abs=1e-12)


def topics(documents, seed=0):
    """Documents with three of the six tags of one of five topics, and the topic of each tag."""
    random = np.random.default_rng(seed)
    M = np.zeros((documents, 30))
    for row in M:
        row[6 * random.integers(5) + random.choice(6, 3, replace=False)] = 1.0
    return csr_array(M), np.repeat(np.arange(5), 6)


def test_clusters_that_mean_something_are_far_from_random_ones():
    measured = coherence(*topics(400))
    assert measured.bits > measured.random_bits + 0.5
    assert measured.npmi > 0 > measured.random_npmi


def test_random_clusters_are_as_good_as_random_ones():
    M, topic = topics(400)
    random = np.random.default_rng(5)
    measured = [coherence(M, random.permutation(topic), seed) for seed in range(10)]
    assert np.mean([each.bits - each.random_bits for each in measured]) == pytest.approx(0, abs=0.1)
    assert np.mean([each.npmi - each.random_npmi for each in measured]) == pytest.approx(0, abs=0.1)


def test_the_names_of_clusters_do_not_matter_and_the_seed_decides_the_draws():
    M, topic = topics(200)
    assert coherence(M, 7 * topic - 3) == coherence(M, topic)
    assert coherence(M, topic, seed=1) != coherence(M, topic)


def test_a_large_corpus_is_measured_on_a_sample(monkeypatch):
    M, topic = topics(600)
    seen = []
    monkeypatch.setattr(MODULE, "MOST", 200)
    monkeypatch.setattr(MODULE, "weighted_npmi", lambda sample, _: seen.append(sample.shape[0]) or 0.0)
    assert coherence(M, topic).bits > 0.5
    assert set(seen) == {200}


@pytest.mark.parametrize("M", [np.eye(10), np.ones((1, 3)), np.ones((2, 1))])
def test_documents_that_say_nothing_about_tags_give_no_bits(M):
    measured = coherence(csr_array(M), np.zeros(M.shape[1]))
    assert (measured.bits, measured.random_bits) == (0.0, 0.0)


def test_labels_of_other_tags_are_refused():
    with pytest.raises(ValueError, match=r"the matrix has 3 tags, but the labels have shape \(2,\)"):
        coherence(csr_array(np.eye(3)), [0, 1])
