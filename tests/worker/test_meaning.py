"""Labels and breadth."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from worker.breadth import breadth, jensen_shannon
from worker.labels import alike, choose_label, cohesion, label_order


def two_topics_and_a_tag_for_all(documents=60):
    """Tags 0–3 and 4–7 never meet; tag 8 stands in every document."""
    rows = np.zeros((documents, 9))
    random = np.random.default_rng(1)
    for row in range(documents):
        rows[row, random.choice(4, 2, replace=False) + 4 * (row % 2)] = 1
        rows[row, 8] = 1
    return csr_array(rows)


def test_a_tag_in_every_document_is_the_broadest():
    wide = breadth(two_topics_and_a_tag_for_all(), np.arange(60, dtype=np.int32) % 2)
    assert wide[8] == pytest.approx(1.0)
    assert wide[:8] == pytest.approx(0.0, abs=1e-6)


def test_with_one_document_cluster_nothing_is_broad():
    assert not breadth(two_topics_and_a_tag_for_all(), np.zeros(60, dtype=np.int32)).any()


def test_divergence_is_0_for_equals_and_1_for_strangers_and_for_nothing():
    rows = np.array([[2.0, 2.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
    assert jensen_shannon(rows, np.array([1.0, 1.0, 0.0])) == pytest.approx([0.0, 1.0, 1.0])


def test_cohesion_is_the_share_of_moves_that_stay():
    moves = csr_array([[0.5, 0.3, 0.2], [0.3, 0.7, 0.0], [0.2, 0.0, 0.8]])
    assert cohesion(moves, np.array([0, 0, 1])) == pytest.approx([0.6, 1.0, 0.0])


def test_a_label_takes_frequent_cohesive_tags_and_broad_ones_last():
    scores = label_order(np.array([100, 4, 9]), np.array([0.5, 0.5, 0.5]), np.array([True, False, False]))
    assert choose_label([0, 1, 2], ("thing", "bank", "coin"), scores) == ("coin", "bank", "thing")


def test_a_label_does_not_say_the_same_twice():
    names = ("payment", "payments", "Paymnet", "coin", "bank")
    assert choose_label([0, 1, 2, 3, 4], names, np.array([5.0, 4.0, 3.0, 2.0, 1.0])) == ("payment", "coin", "bank")
    assert alike("colour", "color")
    assert not alike("cat", "dog")
