"""After the cut, tags move to the cluster that explains them best."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cocluster import CoClustering
from cocluster.equations.divergence import symmetric_divergence
from cocluster.tags.refinement import NEARER, cut_into_groups, divergences, refine, rows_to_compare
from tests.conftest import topic_documents

TWO_TOPICS = np.array(
    [
        [9.0, 8.0, 9.0, 1.0, 0.5, 1.0],
        [8.0, 9.0, 7.0, 1.0, 1.0, 0.5],
        [1.0, 0.5, 1.0, 9.0, 8.0, 7.0],
        [0.5, 1.0, 1.0, 8.0, 9.0, 9.0],
    ]
)
"""Four groups of documents × three tags of one topic and three of another."""

masses = st.integers(2, 5).flatmap(
    lambda rows: st.lists(st.lists(st.floats(0.01, 9), min_size=rows, max_size=rows), min_size=2, max_size=9)
)


def parts(labels):
    profiles = np.ascontiguousarray((TWO_TOPICS / TWO_TOPICS.sum(axis=0)).T)
    return divergences(TWO_TOPICS, profiles, np.log2(profiles), labels)


def test_the_divergences_of_a_tag_from_a_cluster_are_those_of_equation_7():
    labels = np.array([0, 0, 1, 1, 1, 2])
    one, symmetric = parts(labels)
    for cluster in range(3):
        centre = TWO_TOPICS[:, labels == cluster].sum(axis=1)
        for tag in range(6):
            own = TWO_TOPICS[:, tag]
            assert symmetric[tag, cluster] == pytest.approx(symmetric_divergence(own, centre), abs=1e-12)
            p, q = own / own.sum(), centre / centre.sum()
            assert one[tag, cluster] == pytest.approx(np.sum(p * np.log2(p / q)), abs=1e-12)


def test_a_tag_in_the_wrong_branch_moves_and_is_said_to_have_moved():
    refined = refine(TWO_TOPICS, np.array([0, 0, 1, 1, 1, 1]))
    assert refined.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert refined.moved.tolist() == [False, False, True, False, False, False]


def test_a_tag_that_is_about_as_near_to_two_clusters_stays():
    between = np.column_stack([TWO_TOPICS, TWO_TOPICS[:, :3].sum(axis=1) + TWO_TOPICS[:, 3:].sum(axis=1)])
    for home in (0, 1):
        assert refine(between, np.array([0, 0, 0, 1, 1, 1, home])).labels[6] == home


def test_a_branch_of_one_tag_joins_the_nearest_unless_it_is_to_stay():
    alone = np.array([0, 0, 2, 1, 1, 1])
    assert refine(TWO_TOPICS, alone).labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert refine(TWO_TOPICS, alone, np.array([2])).labels.tolist() == [0, 0, 1, 2, 2, 2]


@settings(max_examples=60, deadline=None)
@given(masses, st.data())
def test_every_tag_is_in_one_cluster_and_what_moved_is_no_longer_in_its_branch(columns, data):
    N = np.array(columns).T
    tags = N.shape[1]
    branches = np.array(data.draw(st.lists(st.integers(0, 3), min_size=tags, max_size=tags)))
    branches = np.unique(branches, return_inverse=True)[1]
    refined = refine(N, branches)
    k = refined.labels.max() + 1
    assert sorted(set(refined.labels.tolist())) == list(range(k))
    assert k <= branches.max() + 1
    first = [int(np.flatnonzero(refined.labels == cluster)[0]) for cluster in range(k)]
    assert first == sorted(first)
    together = branches[~refined.moved][:, None] == branches[~refined.moved][None, :]
    still = refined.labels[~refined.moved][:, None] == refined.labels[~refined.moved][None, :]
    assert (together == still).all()
    sizes = np.bincount(refined.labels)
    assert (sizes > 1).all() or (sizes == 1).all()


def test_the_refinement_of_what_is_refined_moves_nothing():
    model = CoClustering.from_tags([document["tags"] for document in topic_documents()])
    refined = model.refined_columns(3)
    masses = model.aggregated(model.row_labels(min(1000, model.row_dendrogram_.leaves)), np.arange(len(refined.labels)))
    assert not refine(masses, refined.labels).moved.any()


def test_the_tree_is_cut_until_so_many_branches_have_several_tags():
    cuts = {2: [0, 0, 0, 0, 1], 3: [0, 0, 2, 2, 1], 4: [0, 0, 2, 3, 1], 5: [0, 1, 2, 3, 4]}
    assert cut_into_groups(lambda k: np.array(cuts[k]), 2, 5).tolist() == cuts[3]
    assert cut_into_groups(lambda k: np.array(cuts[k]), 3, 5).tolist() == cuts[3]


@pytest.mark.parametrize("k", [1, 2, 12])
def test_the_ends_of_the_range_can_be_refined(k):
    lists = [
        ["a", "b", "c"],
        ["a", "b"],
        ["d", "e", "f"],
        ["e", "f"],
        ["g", "h"],
        ["h", "i", "j"],
        ["k", "l"],
        ["g", "i"],
    ]
    model = CoClustering.from_tags(lists)
    refined = model.refined_columns(min(k, model.column_dendrogram_.leaves))
    assert len(refined.labels) == model.n_features_in_
    if k == 1:
        assert (refined.labels == 0).all()


def test_very_many_tags_are_compared_over_fewer_clusters_of_documents():
    assert rows_to_compare(200, 50) == 50
    assert rows_to_compare(2000, 5000) == 1000
    assert rows_to_compare(50_000, 5000) == 200
    assert rows_to_compare(10_000_000, 5000) == 100
    assert 0 < NEARER < 1
