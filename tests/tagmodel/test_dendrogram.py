"""Any cut of any dendrogram, its layout and its branches, against scipy and against slow readings of the merges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cut_tree, fcluster, is_valid_linkage, linkage

from tagmodel import Dendrogram
from tests.tagmodel.trees import (
    chain_linkage,
    dendrograms,
    dendrograms_with_split_nodes,
    linkages,
    random_linkage,
    slow_labels,
    slow_leaves,
)


def same_partition(first, second):
    return len({*zip(first, second, strict=True)}) == len({*first}) == len({*second})


@given(st.integers(2, 40), st.integers(0, 10**6))
def test_a_cut_into_k_agrees_with_scipy_for_every_k(leaves, seed):
    merges = linkage(np.random.default_rng(seed).random((leaves, 3)), "average")
    tree = Dendrogram(merges)
    for k in range(1, leaves + 1):
        labels = tree.cut(k).tolist()
        assert sorted(set(labels)) == list(range(k))
        assert same_partition(labels, fcluster(merges, k, "maxclust").tolist())
        firsts = [labels.index(label) for label in range(k)]
        assert firsts == sorted(firsts)


@given(linkages)
def test_every_cut_is_that_of_the_merges(merges):
    """And that of scipy, as all heights differ."""
    tree = Dendrogram(merges)
    for k in range(1, tree.leaves + 1):
        assert tree.cut(k).tolist() == slow_labels(merges, k).tolist()
        if tree.leaves > 1:
            assert same_partition(tree.cut(k).tolist(), fcluster(merges, k, "maxclust").tolist())


def test_equal_heights_are_cut_in_the_order_of_the_merges():
    """scipy's cut_tree does the same; fcluster cannot separate equal heights."""
    merges = np.array([[0.0, 1, 0, 2], [2, 3, 0, 2], [4, 5, 0, 2], [6, 7, 1, 4], [8, 9, 1, 6]])
    for k in range(1, 7):
        assert Dendrogram(merges).cut(k).tolist() == slow_labels(merges, k).tolist()
        assert same_partition(Dendrogram(merges).cut(k).tolist(), cut_tree(merges, k)[:, 0].tolist())


@pytest.mark.parametrize("k", [0, -1, 7, 2.0, "3", None])
def test_a_k_out_of_range_is_refused_with_the_range(k):
    with pytest.raises(ValueError, match=f"k must be a whole number between 1 and 6, not {k!r}"):
        Dendrogram(np.zeros((5, 4))).cut(k)


@given(dendrograms)
def test_the_branches_of_every_cut_lie_between_its_gaps(tree):
    n = tree.leaves
    assert sorted(tree.order.tolist()) == list(range(n))
    assert tree.order[tree.place].tolist() == list(range(n))
    assert sorted(tree.gaps.tolist()) == list(range(n - 1))
    for k in range(1, n + 1):
        branch = np.concatenate([[0], np.cumsum(tree.gaps >= n - k)])
        assert same_partition(branch.tolist(), tree.cut(k)[tree.order].tolist())


@given(linkages)
def test_the_leaves_below_a_node_are_at_neighbouring_places(merges):
    tree = Dendrogram(merges)
    for node in range(tree.root + 1):
        leaves = slow_leaves(merges, node)
        assert set(tree.items_of(tree.span(node))) == leaves
        assert tree.smallest[node] == min(leaves)
        assert tree.node_sizes[node] == len(leaves)


@given(linkages, st.data())
def test_a_leaf_that_stands_for_several_items_counts_as_many(merges, data):
    n = len(merges) + 1
    sizes = np.array(data.draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)))
    tree = Dendrogram(merges, sizes)
    assert (tree.leaves, tree.items) == (n, sizes.sum())
    assert tree.node_sizes.tolist() == [sizes[list(slow_leaves(merges, node))].sum() for node in range(2 * n - 1)]


def test_a_leaf_stands_for_one_item_unless_sizes_say_otherwise():
    assert Dendrogram(random_linkage(5, 0)).sizes.tolist() == [1] * 5


@given(dendrograms)
def test_the_nodes_of_a_cut_are_its_clusters(tree):
    for k in range(1, tree.leaves + 1):
        labels = np.empty(tree.leaves, dtype=int)
        for label, node in enumerate(tree.nodes_at(k)):
            labels[tree.items_of(tree.span(node))] = label
        assert labels.tolist() == tree.cut(k).tolist()


@given(dendrograms)
def test_what_is_lost_is_the_height_of_the_last_merge_done(tree):
    heights = [0.0, *tree.linkage[:, 2].tolist()]
    for k in range(1, tree.leaves + 1):
        assert tree.lost(k) == heights[tree.leaves - k]
    assert [tree.height(leaf) for leaf in range(tree.leaves)] == [0.0] * tree.leaves


@given(dendrograms, st.data())
def test_the_branches_above_a_cut_are_a_valid_linkage_over_its_clusters(tree, data):
    k = data.draw(st.integers(1, tree.leaves))
    branches = tree.branches(tree.nodes_at(k))
    assert sorted(place for span in branches.spans for place in range(*span)) == list(range(tree.leaves))
    assert branches.heights == [tree.height(node) for node in tree.nodes_at(k)]
    assert len(branches.merges) == k - 1
    assert branches.root == 2 * k - 2
    assert branches.height(branches.root) == tree.height(tree.root)
    if k > 1:
        merges = np.array(branches.merges, dtype=np.float64)
        assert is_valid_linkage(merges)
        assert branches.merges[-1].leaves == k
        # A cut of the branches is the same cut of the whole tree.
        half = (k + 1) // 2
        labels, again = tree.cut(half), Dendrogram(merges).cut(half)
        for leaf, span in enumerate(branches.spans):
            assert set(labels[tree.items_of(span)].tolist()) == {again[leaf]}


@given(dendrograms_with_split_nodes())
def test_the_nodes_below_split_ones_hold_every_leaf_once_and_their_branches_are_the_split_nodes(drawn):
    tree, split = drawn
    nodes = sorted(tree.below(split)) or [tree.root]
    branches = tree.branches(nodes)
    assert sorted(leaf for span in branches.spans for leaf in tree.items_of(span)) == list(range(tree.leaves))
    assert branches.nodes == nodes
    assert branches.merged == sorted(split)
    nodes_of_tree = [*nodes, *branches.merged]  # in the numbering of the branches
    for merge, node in zip(branches.merges, branches.merged, strict=True):
        assert {nodes_of_tree[merge.a], nodes_of_tree[merge.b]} == set(tree.children(node))
        assert merge.height == tree.height(node)
        below = slow_leaves(tree.linkage, node)
        assert merge.leaves == sum(int(tree.smallest[each]) in below for each in nodes)


@given(dendrograms_with_split_nodes())
def test_no_two_lines_of_a_drawing_of_branches_cross(drawn):
    """Every merge holds neighbours in the order of the leaves."""
    tree, split = drawn
    branches = tree.branches(sorted(tree.below(split)) or [tree.root])
    place = {leaf: place for place, leaf in enumerate(branches.order)}
    held = [{place[leaf]} for leaf in range(len(branches.nodes))]
    for merge in branches.merges:
        held.append(held[merge.a] | held[merge.b])
        assert max(held[-1]) - min(held[-1]) + 1 == len(held[-1]) == merge.leaves


@given(linkages, st.data())
def test_merges_of_clusters_named_by_their_smallest_leaves_give_the_linkage(merges, data):
    n = len(merges) + 1
    names = [[min(slow_leaves(merges, int(node))) for node in pair] for pair in merges[:, :2]]
    a, b = np.sort(np.array(names, dtype=np.int64).reshape(-1, 2), axis=1).T
    sizes = np.array(data.draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)))
    tree = Dendrogram.from_merges(a, b, merges[:, 2], sizes)
    expected = merges.copy()
    expected[:, :2] = np.sort(merges[:, :2], axis=1)
    np.testing.assert_array_equal(tree.linkage, expected)
    assert tree.sizes.tolist() == sizes.tolist()


@given(linkages, st.data())
def test_at_every_merge_the_branch_with_the_smaller_mean_comes_first(merges, data):
    tree = Dendrogram(merges)
    some = st.lists(st.integers(1, 50), min_size=tree.leaves, max_size=tree.leaves)
    sums, masses = np.array(data.draw(some)), np.array(data.draw(some))
    place = tree.places_by_mean(sums, masses)
    assert sorted(place.tolist()) == list(range(tree.leaves))
    for node in range(tree.leaves, tree.root + 1):
        a, b = (list(slow_leaves(merges, child)) for child in tree.children(node))
        both = place[a + b]
        assert both.max() - both.min() + 1 == len(both)
        means = [sums[leaves].sum() / masses[leaves].sum() for leaves in (a, b)]
        if means[0] != pytest.approx(means[1]):
            first, second = (a, b) if means[0] < means[1] else (b, a)
            assert place[first].max() < place[second].min()


def test_branches_of_equal_means_keep_their_order():
    tree = Dendrogram(np.array([[1.0, 2, 0, 2], [3, 0, 1, 3]]))
    assert tree.places_by_mean(np.array([4, 2, 6]), np.array([2, 1, 3])).tolist() == [2, 0, 1]


def test_one_leaf_is_a_dendrogram():
    tree = Dendrogram(np.empty((0, 4)))
    assert tree.cut(1).tolist() == [0]
    assert (tree.leaves, tree.items, tree.root, tree.lost(1)) == (1, 1, 0, 0.0)
    assert tree.order.tolist() == [0]
    branches = tree.branches(tree.nodes_at(1))
    assert (branches.nodes, branches.merges, branches.root, branches.order) == ([0], [], 0, [0])
    assert tree.places_by_mean(np.ones(1), np.ones(1)).tolist() == [0]


def test_a_tree_as_deep_as_it_has_leaves_is_cut_and_laid_out():
    n = 3000
    tree = Dendrogram(chain_linkage(n))
    assert tree.order.tolist() == list(range(n))
    assert tree.cut(n // 2).tolist() == [0] * (n - n // 2 + 1) + list(range(1, n // 2))
    assert len(tree.branches(tree.nodes_at(n)).merges) == n - 1
    assert tree.places_by_mean(-np.arange(n), np.ones(n)).tolist() == list(range(n - 1, -1, -1))
