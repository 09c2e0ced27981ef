"""Any cut of any tree, against scipy and against a slow way of doing the same."""

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, is_valid_linkage

from service import dendrogram, drawing
from service.cloud import joined
from service.tree import Tree
from service.view import View
from tests.clustered import TAGS, snapshot_at


def random_linkage(n, seed):
    """Any order of merges, heights that never fall."""
    random = np.random.default_rng(seed)
    nodes, sizes, rows = list(range(n)), [1] * n, []
    for step, height in enumerate(np.sort(random.random(n - 1))):
        a, b = random.choice(len(nodes), 2, replace=False)
        first, second = nodes[a], nodes[b]
        rows.append([first, second, height, sizes[first] + sizes[second]])
        sizes.append(sizes[first] + sizes[second])
        nodes = [node for node in nodes if node not in {first, second}] + [n + step]
    return np.array(rows, dtype=np.float64).reshape(-1, 4)


def slow_labels(linkage, k):
    n = len(linkage) + 1
    members = {item: {item} for item in range(n)}
    for step, (a, b) in enumerate(linkage[: n - k, :2].astype(int).tolist()):
        members[n + step] = members.pop(a) | members.pop(b)
    labels = np.empty(n, dtype=int)
    for label, group in enumerate(sorted(members.values(), key=min)):
        labels[list(group)] = label
    return labels


trees = st.tuples(st.integers(1, 25), st.integers(0, 10_000)).map(lambda made: random_linkage(*made))


@given(trees)
@settings(deadline=None, max_examples=60)
def test_every_cut_has_exactly_k_branches_and_is_that_of_the_merges(linkage):
    tree = Tree(linkage)
    assert sorted(tree.order.tolist()) == list(range(tree.size))
    for k in range(1, tree.size + 1):
        assert tree.labels(k).tolist() == slow_labels(linkage, k).tolist()


@given(trees, st.data())
@settings(deadline=None, max_examples=60)
def test_the_top_of_a_tree_is_a_valid_linkage_over_its_leaves(linkage, data):
    tree = Tree(linkage)
    k = data.draw(st.integers(1, tree.size))
    top = tree.branches(k)
    assert sorted(place for span in top.spans for place in range(*span)) == list(range(tree.size))
    assert len(top.merges) == k - 1
    if k > 1:
        assert is_valid_linkage(np.array(top.merges, dtype=np.float64))
        assert top.merges[-1][3] == k
        # A cut of the top is the same cut of the whole tree.
        half = (k + 1) // 2
        labels = tree.labels(half)
        again = Tree(np.array(top.merges, dtype=np.float64)).labels(half)
        for leaf, (start, stop) in enumerate(top.spans):
            assert set(labels[tree.order[start:stop]].tolist()) == {again[leaf]}


def test_cuts_agree_with_scipy_where_heights_differ():
    linkage = random_linkage(40, 3)
    for k in (1, 2, 7, 40):
        theirs = fcluster(linkage, k, criterion="maxclust")
        ours = Tree(linkage).labels(k)
        assert len(set(zip(ours.tolist(), theirs.tolist(), strict=True))) == k


@given(trees, st.data())
@settings(deadline=None, max_examples=60)
def test_groups_above_a_cut_are_those_of_going_up_the_tree(linkage, data):
    """Against cutting at k, k−1, … until few enough groups are left among the clusters asked about."""
    n = len(linkage) + 1
    k = data.draw(st.integers(1, n))
    labels = slow_labels(linkage, k)
    view = object.__new__(View)
    view.snapshot = snapshot_at(tag_cluster=labels.astype(np.int32), tag_linkage=linkage)
    view.tree = Tree(linkage)
    view.clusters = dict.fromkeys(range(k))
    view.cluster_place, view.cluster_gaps = view._above_the_cut()
    wanted = set(data.draw(st.lists(st.integers(0, k - 1), min_size=1, unique=True)))
    at_most = data.draw(st.integers(1, 8))
    found = joined(view, wanted, at_most)
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
    newick = dendrogram.newick(tree).body.decode()
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
    deep = dendrogram._cut(view, "documents", Tree(chain), None, lambda items: f"it's <{items[0]}>")
    assert dendrogram.nested(deep).body.count(b"children") == n - 1
    assert dendrogram.newick(deep).body.count(b"it''s <") == n
    assert b"it&#x27;s &lt;7&gt;" in drawing.svg(deep).body


def test_a_corpus_of_one_tag_has_a_tree_of_one_leaf(view):
    tree = Tree(np.empty((0, 4)))
    assert tree.labels(1).tolist() == [0]
    assert tree.branches(1).merges == []
    single = dendrogram._cut(view, "tags", tree, 1, str)
    assert drawing.svg(single).body.startswith(b"<svg")
