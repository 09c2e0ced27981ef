"""Dendrograms as answers: the full tree or its top k branches, labelled, in several formats."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import orjson

from service.answers import Leaf, LinkageAnswer, Side
from service.errors import OutOfRange
from service.questions.clusters.clusters import check_k
from service.response_cache import CachedResponse
from service.view.view import View
from snapshot import DocumentTree
from tagmodel import Branches, Dendrogram, exports
from tagmodel.dendrogram import UNIT

MOST_LEAVES: Final = 20_000
"""Of a larger tree, clients must ask for at most this many branches."""


DELETED: Final = "(deleted)"
"""The label of a leaf whose first document was deleted since the version was made."""


@dataclass(frozen=True)
class LabelledBranches:
    """The top of one dendrogram of a snapshot: k branches with their labels, and the merges above them."""

    corpus: str
    version: str
    revision: int
    side: Side
    leaves: list[Leaf]
    branches: Branches


def of_tags(view: View, k: int | None) -> LabelledBranches:
    """The dendrogram of tags."""
    rank = view.count_rank
    return label_branches(view, "tags", view.tree, k, lambda items: view.label(sorted(items, key=rank.__getitem__)))


def of_documents(view: View, documents: DocumentTree, k: int | None) -> LabelledBranches:
    """The dendrogram of documents; the label of a branch is its first document."""
    sizes = documents.tree.sizes.tolist()

    def label(items: list[int]) -> str:
        first, more = documents.leaf_names[min(items)], sum(sizes[item] for item in items) - 1
        if view.changes.has_deleted(first):
            first = DELETED
        return first if more == 0 else f"{first} and {more} more"

    return label_branches(view, "documents", documents.tree, k, label)


def label_branches(
    view: View, side: Side, tree: Dendrogram, k: int | None, label: Callable[[list[int]], str]
) -> LabelledBranches:
    """The top k branches of a dendrogram, each with a label of its items; without k, all leaves."""
    count = tree.leaves if k is None else check_k(k, tree.leaves, side)
    if count > MOST_LEAVES:
        raise OutOfRange(f"k: the tree has {tree.leaves} leaves; at most {MOST_LEAVES} are given at once")
    branches = tree.branches(tree.nodes_at(count))
    leaves = [
        Leaf(number, label(tree.items_of(span)), int(tree.node_sizes[node]), height)
        for number, (node, span, height) in enumerate(
            zip(branches.nodes, branches.spans, branches.heights, strict=True)
        )
    ]
    return LabelledBranches(view.snapshot.corpus, view.snapshot.version, view.revision, side, leaves, branches)


def nested(top: LabelledBranches) -> CachedResponse:
    """Nested JSON: {"height", "size", "children"} down to leaves {"height", "size", "id", "label"}."""
    head = orjson.dumps(
        {
            "corpus": top.corpus,
            "version": top.version,
            "revision": top.revision,
            "side": top.side,
            "k": len(top.leaves),
            "unit": UNIT,
            "tree": None,
        }
    )

    def leaf(number: int) -> dict[str, object]:
        branch = top.leaves[number]
        return {"height": branch.height, "size": branch.size, "id": branch.id, "label": branch.label}

    tree = exports.nested_json(top.branches, [branch.size for branch in top.leaves], leaf, orjson.dumps)
    return CachedResponse(head.removesuffix(b"null}") + tree + b"}", "")


def as_newick(top: LabelledBranches) -> CachedResponse:
    """Newick."""
    text = exports.newick(top.branches, [leaf.label for leaf in top.leaves])
    return CachedResponse(text.encode(), "", "text/plain; charset=utf-8")


def linkage(top: LabelledBranches) -> LinkageAnswer:
    """A linkage over the k branches, as scipy.cluster.hierarchy reads it."""
    return LinkageAnswer(
        corpus=top.corpus,
        version=top.version,
        revision=top.revision,
        side=top.side,
        k=len(top.leaves),
        unit=UNIT,
        leaves=top.leaves,
        linkage=[(float(a), float(b), height, float(below)) for a, b, height, below in top.branches.merges],
    )
