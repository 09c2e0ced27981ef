"""The cluster of a document by its tags: the same bits for one document as for all of a run."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagmodel import Cluster, DocumentClassifier
from tagmodel.classifier import BLOCK


def small_classifier():
    """Three clusters of documents: about payment, about weather, and the rest; most tags are in one of them."""
    table = np.log2(
        np.array([[8, 1, 1], [8, 1, 1], [8, 1, 1], [1, 8, 1], [1, 8, 1], [3, 3, 4]], dtype=np.float32) / np.float32(10)
    )
    shares = np.log2(np.array([[0.8, 0.1, 0.3], [0.1, 0.8, 0.3], [0.1, 0.1, 0.4]], dtype=np.float32))
    clusters = (Cluster(0, ("payment",), 9), Cluster(1, ("rain", "snow"), 7), Cluster(2, ("version-control",), 4))
    return DocumentClassifier(table, np.ones(6, dtype=np.float32), shares, 1.5, clusters)


def random_classifier(tags, clusters, seed=0):
    random = np.random.default_rng(seed)
    table = -random.random((tags, clusters), dtype=np.float32)
    mass = random.random(tags, dtype=np.float32) + 0.1
    return DocumentClassifier(table, mass, np.zeros((clusters, 1), np.float32), 1.0, ())


def flat(documents):
    starts = np.concatenate([[0], np.cumsum([len(tags) for tags in documents])]).astype(np.int64)
    return starts, np.array([tag for tags in documents for tag in tags], dtype=np.int64)


@given(st.lists(st.lists(st.integers(0, 29), unique=True, max_size=8).map(sorted), min_size=1, max_size=30))
def test_a_document_alone_gives_the_same_bits_as_among_others(documents):
    classifier = random_classifier(30, 7)
    together = classifier.probabilities(*flat(documents))
    for document, row in zip(documents, together, strict=True):
        assert classifier.probabilities(*flat([document]))[0].tobytes() == row.tobytes()


def test_the_result_does_not_depend_on_the_blocks():
    random = np.random.default_rng(1)
    documents = [np.sort(random.choice(30, random.integers(0, 6), replace=False)) for _ in range(BLOCK + 100)]
    classifier = random_classifier(30, 5)
    assignments = classifier.classify(*flat(documents))
    probabilities = classifier.probabilities(*flat(documents))
    np.testing.assert_array_equal(assignments.clusters, probabilities.argmax(axis=1))
    known = np.array([len(tags) > 0 for tags in documents])
    np.testing.assert_array_equal(assignments.confidence, np.where(known, probabilities.max(axis=1), 0.0))
    for place in (0, 7, BLOCK - 1, BLOCK, BLOCK + 99):
        assert classifier.classify(*flat([documents[place]])).clusters[0] == assignments.clusters[place]


def test_scores_are_sums_over_sums():
    classifier = random_classifier(10, 4)
    table, mass = classifier.table, classifier.mass
    scores = classifier.scores(*flat([[1, 4, 7], [], [2]]))
    np.testing.assert_allclose(scores[0], table[[1, 4, 7]].sum(axis=0) / mass[[1, 4, 7]].sum(), rtol=1e-6)
    assert not scores[1].any()
    np.testing.assert_allclose(scores[2], table[2] / mass[2], rtol=1e-6)


def test_the_probability_of_a_cluster_is_its_likelihood_normalised():
    """2^(τ·t·s) over the sum of all clusters, t being the number of tags."""
    classifier = replace(random_classifier(10, 4), sharpness=1.7)
    for document in ([1, 4, 7], [2], [0, 1, 2, 3, 5]):
        scores = classifier.scores(*flat([document]))[0].astype(np.float64)
        likelihood = 2 ** (1.7 * len(document) * scores)
        probabilities = classifier.probabilities(*flat([document]))[0]
        np.testing.assert_allclose(probabilities, likelihood / likelihood.sum(), rtol=1e-5)


def test_probabilities_sum_to_1_and_grow_with_the_sharpness():
    classifier = small_classifier()
    blunt, sharp = (
        replace(classifier, sharpness=sharpness).probabilities(*flat([[0, 1]]))[0] for sharpness in (0.5, 4.0)
    )
    assert blunt.sum() == pytest.approx(1.0)
    assert sharp.sum() == pytest.approx(1.0)
    assert 1 / 3 < blunt[0] < sharp[0] <= 1


def test_a_document_without_a_known_tag_has_no_confidence():
    assignments = small_classifier().classify(*flat([[], [3]]))
    assert assignments.confidence[0] == 0.0
    assert (assignments.clusters[1], assignments.confidence[1] > 0.5) == (1, True)


def test_no_document_is_no_assignment():
    assignments = small_classifier().classify(*flat([]))
    assert (len(assignments.clusters), len(assignments.confidence)) == (0, 0)


def test_a_new_tag_goes_to_the_tags_of_its_documents():
    classifier = small_classifier()
    assert classifier.tag_cluster(np.array([0.9, 0.05, 0.05]))[0] == 0
    assert classifier.tag_cluster(np.array([0.0, 3.0, 0.1]))[0] == 1
    position, confidence = classifier.tag_cluster(np.array([1.0, 1.0, 1.3]))
    assert position == 2
    assert 1 / 3 < confidence < 1
