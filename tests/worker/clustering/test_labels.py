"""Labels and breadth."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from tagmodel import Cluster, Company, Partition
from worker.clustering.labels import label_clusters
from worker.vocabulary.breadth import _divergences, breadth


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


def test_breadth_is_1_less_the_divergence_in_units_of_the_main_clusters():
    """Worked by hand: all documents (½, ½), one tag in three documents of the first cluster and one of the second."""
    matrix = csr_array(np.array([[1.0], [1.0], [1.0], [0.0], [1.0], [0.0], [0.0], [0.0]]))
    own = (0.75 * np.log2(0.75 / 0.625) + 0.25 * np.log2(0.25 / 0.375)) / 2
    all_documents = (0.5 * np.log2(0.5 / 0.625) + 0.5 * np.log2(0.5 / 0.375)) / 2
    narrowest = (np.log2(1 / 0.75) + 0.5 * np.log2(0.5 / 0.75) + 0.5 * np.log2(0.5 / 0.25)) / 2
    wide = breadth(matrix, np.repeat(np.array([0, 1], dtype=np.int32), 4))
    assert wide == pytest.approx([1 - (own + all_documents) / narrowest], abs=1e-7)


def test_distributions_that_differ_less_than_rounding_have_divergence_0():
    """One document less of a thousand million: scipy finds no root for some of these."""
    counts = np.random.default_rng(0).integers(10**8, size=50).astype(np.float64)
    divergences = _divergences(counts - np.eye(50), counts)
    assert divergences == pytest.approx(np.zeros(50), abs=1e-15)


def test_a_tag_without_documents_is_not_broad():
    assert breadth(csr_array(np.array([[1.0, 0.0], [1.0, 0.0]])), np.array([0, 1], dtype=np.int32)).tolist() == [1, 0]


def labelled(edited):
    """Five tags, 0–2 and 3–4 in a cluster each; 0 and 1 keep the same company, 2 keeps its own."""
    columns = np.array([[0, 5], [1, 5], [2, 6], [3, 7], [4, 7], [5, 5], [6, 6], [7, 7]], dtype=np.int32)
    roots = np.sqrt(np.tile([0.05, 0.95], (8, 1))).astype(np.float32)
    concepts = np.array([0, 0, 0, 1, 1, 1, 1, 1], dtype=np.int32)
    whole = Company(columns, roots, concepts, np.zeros(8, dtype=bool))
    names = ("Coin", "Bank", "Thing", "rain", "rains")
    keys = ("coin", "bank", "thing", "rain", "rains")
    partition = Partition.from_ids(np.array([4, 4, 4, 9, 9]))
    return label_clusters(whole, partition, np.array([5, 9, 6, 3, 2]), names, keys, edited=edited)


def test_a_label_takes_common_tags_that_fit_and_does_not_say_the_same_twice():
    assert labelled({}) == (Cluster(4, ("Bank", "Coin", "Thing"), 3), Cluster(9, ("rain",), 2))


def test_an_editors_label_is_marked_as_one_even_if_it_is_a_tag_of_the_cluster():
    money, weather = labelled({"COIN": "Bank", "unknown": "Nothing"})
    assert money == Cluster(4, ("Bank",), 3, edited=True)
    assert not weather.edited
