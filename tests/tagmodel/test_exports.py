"""Dendrograms as Newick and nested JSON, against recursive writers."""

import json

import numpy as np
import pytest
from hypothesis import given

from tagmodel import Dendrogram, nested_json, newick
from tests.tagmodel.trees import chain_linkage, dendrograms_with_split_nodes


def names_of(branches):
    return [f"it's tag {node}" for node in branches.nodes]


def encode(value):
    return json.dumps(value).encode()


def slow_newick(branches, labels, node):
    """The part of the Newick text for a node, without its branch length."""
    if node < len(labels):
        return "'" + labels[node].replace("'", "''") + "'"
    merge = branches.merges[node - len(labels)]
    children = [
        f"{slow_newick(branches, labels, child)}:{merge.height - branches.height(child):.6g}"
        for child in (merge.a, merge.b)
    ]
    return f"({','.join(children)})"


def slow_nested(branches, sizes, leaf, node):
    if node < len(sizes):
        return leaf(node)
    merge = branches.merges[node - len(sizes)]
    children = [slow_nested(branches, sizes, leaf, child) for child in (merge.a, merge.b)]
    return {"height": merge.height, "size": sum(child["size"] for child in children), "children": children}


@given(dendrograms_with_split_nodes())
def test_newick_is_that_of_a_recursive_writer(drawn):
    tree, split = drawn
    branches = tree.branches(sorted(tree.below(split)) or [tree.root])
    labels = names_of(branches)
    assert newick(branches, labels) == slow_newick(branches, labels, branches.root) + ";"


@given(dendrograms_with_split_nodes())
def test_nested_json_is_that_of_a_recursive_writer(drawn):
    tree, split = drawn
    branches = tree.branches(sorted(tree.below(split)) or [tree.root])
    labels = names_of(branches)
    sizes = tree.node_sizes[branches.nodes].tolist()

    def leaf(number):
        return {"height": branches.heights[number], "size": sizes[number], "label": labels[number]}

    written = json.loads(nested_json(branches, sizes, leaf, encode))
    assert written == slow_nested(branches, sizes, leaf, branches.root)
    assert written["size"] == tree.items


def test_names_with_quotes_are_quoted_and_lengths_are_differences_of_height():
    tree = Dendrogram(np.array([[0, 1, 0.25, 2], [2, 3, 1.0, 3]]))
    branches = tree.branches(tree.nodes_at(3))
    assert newick(branches, ["a", "b'c", "d e"]) == "('d e':1,('a':0.25,'b''c':0.25):0.75);"
    top = tree.branches(tree.nodes_at(2))
    assert newick(top, ["a, b'c", "d e"]) == "('d e':1,'a, b''c':0.75);"


@pytest.mark.parametrize("leaves", [1, 2])
def test_the_smallest_trees_are_written(leaves):
    tree = Dendrogram(chain_linkage(leaves).reshape(-1, 4))
    branches = tree.branches(tree.nodes_at(leaves))
    assert newick(branches, ["a", "b"][:leaves]) == ("'a';" if leaves == 1 else "('a':0,'b':0);")
    assert nested_json(branches, [1] * leaves, lambda leaf: {"id": leaf}, encode).count(b'"id"') == leaves


def test_a_tree_as_deep_as_it_has_leaves_is_written():
    n = 3000
    tree = Dendrogram(chain_linkage(n))
    branches = tree.branches(tree.nodes_at(n))
    text = newick(branches, [f"it's {leaf}" for leaf in range(n)])
    assert text.count("(") == text.count(")") == n - 1
    assert text.count("it''s") == n
    nested = nested_json(branches, [1] * n, lambda leaf: {"id": leaf}, encode)
    assert nested.count(b"children") == nested.count(b"]}") == n - 1
    assert nested.startswith(b'{"height": 2998.0, "size": 3000,"children":[')
