"""Positions and ids of clusters."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tagmodel import Cluster, Partition
from tests.tagmodel.trees import dendrograms

item_ids = st.lists(st.integers(0, 40), min_size=1, max_size=30).map(np.array)


@given(item_ids)
def test_positions_are_in_the_order_of_the_ids(ids):
    partition = Partition.from_ids(ids)
    assert partition.ids == tuple(sorted(set(ids.tolist())))
    assert partition.item_ids.tolist() == ids.tolist()
    for item, label in enumerate(partition.labels):
        assert partition.ids[label] == ids[item]


@given(item_ids)
def test_sizes_and_members_are_those_of_the_labels_by_position(ids):
    partition = Partition.from_ids(ids)
    members = [partition.members(position).tolist() for position in range(len(partition.ids))]
    assert members == [[item for item, own in enumerate(ids) if own == each] for each in partition.ids]
    assert partition.sizes.tolist() == [len(some) for some in members]


@given(item_ids, st.data())
def test_renamed_clusters_have_the_same_items_and_positions_in_the_order_of_the_new_ids(ids, data):
    partition = Partition.from_ids(ids)
    k = len(partition.ids)
    new = tuple(data.draw(st.lists(st.integers(0, 99), min_size=k, max_size=k, unique=True)))
    renamed = partition.renamed(new)
    assert renamed.ids == tuple(sorted(new))
    assert renamed.item_ids.tolist() == [new[label] for label in partition.labels]
    for item, label in enumerate(renamed.labels):
        assert renamed.ids[label] == new[partition.labels[item]]
    assert renamed.sizes.sum() == len(ids)


def test_renaming_with_the_same_ids_changes_nothing():
    partition = Partition.from_ids(np.array([7, 2, 7, 9]))
    renamed = partition.renamed(partition.ids)
    assert renamed.ids == partition.ids
    assert renamed.labels.tolist() == partition.labels.tolist() == [1, 0, 1, 2]


def test_ranks_fall_with_size_and_equals_rank_by_position():
    partition = Partition.from_ids(np.array([10, 20, 20, 30, 30, 30, 40, 40]))
    assert partition.size_ranks() == (3, 1, 0, 2)


@given(item_ids)
def test_named_by_their_size_ranks_clusters_never_grow_with_the_id(ids):
    partition = Partition.from_ids(ids)
    ranks = partition.size_ranks()
    assert sorted(ranks) == list(range(len(ranks)))
    assert (np.diff(partition.renamed(ranks).sizes) <= 0).all()


@given(dendrograms)
def test_a_fresh_cut_has_the_ids_0_to_k_minus_1_in_the_order_of_the_smallest_members(tree):
    for k in range(1, tree.leaves + 1):
        partition = Partition.from_ids(tree.cut(k))
        assert partition.ids == tuple(range(k))
        assert partition.labels.tolist() == tree.cut(k).tolist()
        smallest = [int(partition.members(position)[0]) for position in range(k)]
        assert smallest == sorted(smallest)


def test_a_cluster_is_named_by_its_label():
    assert Cluster(3, ("rain", "snow"), 12).name == "rain, snow"
