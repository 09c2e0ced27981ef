"""A tree, whole or cut into k leaves, as nested JSON, Newick or scipy's linkage.

All are written without recursion, because a tree may be as deep as it has leaves.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import orjson

from service.answers import Leaf, LinkageAnswer, Side
from service.errors import OutOfRange
from service.partition import checked
from service.remembering import Encoded
from service.tree import Tree
from service.view import View
from snapshot import DocumentTree

MOST_LEAVES: Final = 20_000
"""Larger trees are asked for in part; their drawing or nesting would help nobody."""

UNIT: Final = "bits of information lost"


@dataclass(frozen=True)
class Dendrogram:
    """The top of one tree of a snapshot: k leaves, and the merges above them."""

    corpus: str
    version: str
    side: Side
    leaves: list[Leaf]
    merges: list[tuple[int, int, float, int]]
    order: list[int]
    """Leaves from top to bottom, such that no two lines of a drawing cross."""

    @property
    def root(self) -> int:
        """The node that holds all others."""
        return len(self.leaves) + len(self.merges) - 1

    def height(self, node: int) -> float:
        """Bits lost when this node was joined."""
        k = len(self.leaves)
        return self.leaves[node].height if node < k else self.merges[node - k][2]


def of_tags(view: View, k: int | None) -> Dendrogram:
    """The tree of tags."""
    names, rank = view.snapshot.names, view.count_rank

    def label(items: list[int]) -> str:
        if len(items) == 1:
            return names[items[0]]
        return ", ".join(view.label(sorted(items, key=rank.__getitem__)))

    return _cut(view, "tags", view.tree, k, label)


def of_documents(view: View, documents: DocumentTree, k: int | None) -> Dendrogram:
    """The tree of documents; a branch is named after its first document."""
    sizes = documents.sizes.tolist()

    def label(items: list[int]) -> str:
        first, more = documents.names[min(items)], sum(sizes[item] for item in items) - 1
        return first if more == 0 else f"{first} and {more} more"

    return _cut(view, "documents", Tree(documents.linkage), k, label, sizes=sizes)


def _cut(
    view: View,
    side: Side,
    tree: Tree,
    k: int | None,
    label: Callable[[list[int]], str],
    *,
    sizes: list[int] | None = None,
) -> Dendrogram:
    wanted = tree.size if k is None else checked(k, tree.size, side)
    if wanted > MOST_LEAVES:
        raise OutOfRange(f"k: the tree has {tree.size} leaves; at most {MOST_LEAVES} are given at once")
    branches = tree.branches(wanted)
    leaves = []
    for number, (start, stop) in enumerate(branches.spans):
        items = tree.order[start:stop].tolist()
        size = len(items) if sizes is None else sum(sizes[item] for item in items)
        leaves.append(Leaf(number, label(items), size, branches.heights[number]))
    order = sorted(range(wanted), key=lambda leaf: branches.spans[leaf])
    return Dendrogram(view.snapshot.corpus, view.snapshot.version, side, leaves, branches.merges, order)


def nested(tree: Dendrogram) -> Encoded:
    """{"height", "size", "children"} down to leaves {"height", "size", "id", "label"}."""
    k = len(tree.leaves)
    sizes = [leaf.size for leaf in tree.leaves]
    for a, b, _, _ in tree.merges:
        sizes.append(sizes[a] + sizes[b])
    head = orjson.dumps(
        {"corpus": tree.corpus, "version": tree.version, "side": tree.side, "k": k, "unit": UNIT, "tree": None}
    )
    parts = [head.removesuffix(b"null}")]
    left: list[int | bytes] = [tree.root]
    while left:
        node = left.pop()
        if isinstance(node, bytes):
            parts.append(node)
        elif node < k:
            leaf = tree.leaves[node]
            parts.append(orjson.dumps({"height": leaf.height, "size": leaf.size, "id": leaf.id, "label": leaf.label}))
        else:
            a, b, height, _ = tree.merges[node - k]
            parts.append(orjson.dumps({"height": height, "size": sizes[node]}).removesuffix(b"}") + b',"children":[')
            left += [b"]}", b, b",", a]
    return Encoded(b"".join([*parts, b"}"]), "")


def newick(tree: Dendrogram) -> Encoded:
    """Branch lengths are differences of height; names are quoted, quotes in them doubled."""
    k = len(tree.leaves)
    parts: list[str] = []
    left: list[tuple[int, float] | str] = [";", (tree.root, tree.height(tree.root))]
    while left:
        node = left.pop()
        if isinstance(node, str):
            parts.append(node)
            continue
        number, above = node
        height = tree.height(number)
        length = f":{above - height:.6g}" if number != tree.root else ""
        if number < k:
            name = tree.leaves[number].label.replace("'", "''")
            parts.append(f"'{name}'{length}")
        else:
            a, b, _, _ = tree.merges[number - k]
            parts.append("(")
            left += [f"){length}", (b, height), ",", (a, height)]
    return Encoded("".join(parts).encode(), "", "text/plain; charset=utf-8")


def linkage(tree: Dendrogram) -> LinkageAnswer:
    """A linkage over the k leaves, as scipy.cluster.hierarchy reads it."""
    return LinkageAnswer(
        corpus=tree.corpus,
        version=tree.version,
        side=tree.side,
        k=len(tree.leaves),
        unit=UNIT,
        leaves=tree.leaves,
        linkage=[(float(a), float(b), height, float(below)) for a, b, height, below in tree.merges],
    )
