"""Dendrograms in every format, and groups of clusters along the tree."""

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.questions.clouds.cloud import group_clusters
from service.questions.clusters import dendrogram
from service.questions.clusters import svg as drawing
from service.view.view import View
from tagmodel import Dendrogram, Partition
from tests.clustered import TAGS, snapshot_at
from tests.tagmodel.trees import linkages, slow_labels


@given(linkages, st.data())
def test_groups_above_a_cut_are_those_of_going_up_the_tree(linkage, data):
    """Against cutting at k, k−1, … until few enough groups are left among the clusters asked about."""
    n = len(linkage) + 1
    k = data.draw(st.integers(1, n))
    labels = slow_labels(linkage, k)
    view = object.__new__(View)
    view.snapshot = snapshot_at(partition=Partition.from_ids(labels), tree=Dendrogram(linkage))
    view.tree = view.snapshot.tree
    view.cluster_place, view.cluster_gaps = view._computed_order()
    wanted = set(data.draw(st.lists(st.integers(0, k - 1), min_size=1, unique=True)))
    at_most = data.draw(st.integers(1, 8))
    found = group_clusters(view, wanted, at_most)
    for higher in range(k, 0, -1):
        above = slow_labels(linkage, higher)
        expected = {cluster: above[np.flatnonzero(labels == cluster)[0]] for cluster in wanted}
        if len(set(expected.values())) <= at_most:
            break
    pairs = {(found[cluster], expected[cluster]) for cluster in wanted}
    assert len(pairs) == len(set(found.values())) == len(set(expected.values()))


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 20, 33])
def test_every_format_has_exactly_k_leaves(view, k):
    tree = dendrogram.of_tags(view, k)
    assert len(tree.leaves) == k
    assert sum(leaf.size for leaf in tree.leaves) == len(TAGS)
    assert dendrogram.nested(tree).body.count(b'"label"') == k
    assert len(dendrogram.linkage(tree).linkage) == k - 1
    newick = dendrogram.as_newick(tree).body.decode()
    assert newick.endswith(";")
    assert newick.count("(") == newick.count(")") == newick.count(",'") + newick.count(",(") == k - 1
    # Axis, and one text a leaf.
    assert drawing.svg(tree).body.count(b"<text") == k + 1


def test_nested_trees_are_json_whose_sizes_add_up(view):
    tree = orjson.loads(dendrogram.nested(dendrogram.of_tags(view, None)).body)["tree"]

    def check(node):
        if "children" in node:
            assert node["size"] == sum(check(child) for child in node["children"])
            assert all(child["height"] <= node["height"] for child in node["children"])
        return node["size"]

    assert check(tree) == len(TAGS)


def test_a_tree_as_deep_as_it_has_leaves_is_written(view):
    n = 3000
    chain = np.array([[0 if i == 0 else n + i - 1, i + 1, float(i), i + 2] for i in range(n - 1)])
    deep = dendrogram.label_branches(view, "documents", Dendrogram(chain), None, lambda items: f"it's <{items[0]}>")
    assert dendrogram.nested(deep).body.count(b"children") == n - 1
    assert dendrogram.as_newick(deep).body.count(b"it''s <") == n
    assert b"it&#x27;s &lt;7&gt;" in drawing.svg(deep).body


def test_a_corpus_of_one_tag_has_a_tree_of_one_leaf(view):
    single = dendrogram.label_branches(view, "tags", Dendrogram(np.empty((0, 4))), 1, str)
    assert drawing.svg(single).body.startswith(b"<svg")
