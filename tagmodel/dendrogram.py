"""The dendrogram: a tree of merges with its cuts, its leaf order, and the branches above chosen nodes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

UNIT = "bits of information lost"
"""The unit of heights.  math.md (11)"""


class Merge(NamedTuple):
    """Nodes a and b merge at a height into a node with so many leaves."""

    a: int
    b: int
    height: float
    leaves: int


@dataclass(frozen=True)
class Branches:
    """The tree above chosen nodes, which become its leaves in this order.

    Attributes:
        nodes: the chosen nodes, by their numbers in the full tree.
        spans: the places of their items in the leaf order of the full tree.
        heights: the height of each chosen node; 0 for a leaf of the full tree.
        merges: in order; nodes are numbered leaves first, as in scipy.
        merged: the node of each merge in the full tree.
    """

    nodes: list[int]
    spans: list[tuple[int, int]]
    heights: list[float]
    merges: list[Merge]
    merged: list[int]

    @property
    def root(self) -> int:
        """The node that holds all others."""
        return len(self.nodes) + len(self.merges) - 1

    @property
    def order(self) -> list[int]:
        """Leaves from top to bottom, such that no two lines of a drawing cross."""
        return sorted(range(len(self.nodes)), key=self.spans.__getitem__)

    def height(self, node: int) -> float:
        """The height of a node."""
        leaves = len(self.nodes)
        return self.heights[node] if node < leaves else self.merges[node - leaves].height


@dataclass(frozen=True, eq=False)
class Dendrogram:
    """A binary tree over n leaves, made by n − 1 merges.

    `linkage` is scipy's (n−1)×4 matrix, one row a merge in the order they were made: the two nodes, the height, the
    leaves below. Nodes 0…n−1 are the leaves, merge t makes node n + t. A leaf is an item, or a micro-cluster that
    stands for several: `sizes` counts them. Heights never fall.

    >>> tree = Dendrogram(np.array([[0, 1, 0.1, 2], [2, 3, 0.2, 2], [4, 5, 0.7, 4]]))
    >>> tree.cut(2)
    array([0, 0, 1, 1])
    >>> tree.lost(1)
    0.7
    """

    linkage: Floats
    sizes: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __post_init__(self) -> None:
        if not len(self.sizes):
            object.__setattr__(self, "sizes", np.ones(len(self.linkage) + 1, dtype=np.int64))

    @classmethod
    def from_merges(cls, a: Ints, b: Ints, heights: Floats, sizes: Ints) -> "Dendrogram":
        """The tree in which clusters a[t] and b[t] merge at heights[t], each cluster named by its smallest leaf."""
        n = len(sizes)
        node, below = np.arange(n), np.ones(n, dtype=np.int64)
        linkage = np.empty((len(a), 4))
        for merge, (first, second) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
            below[first] += below[second]
            pair = sorted((int(node[first]), int(node[second])))
            linkage[merge] = *pair, heights[merge], below[first]
            node[first] = n + merge
        return cls(linkage, sizes.astype(np.int64))

    @cached_property
    def leaves(self) -> int:
        """How many leaves the tree has."""
        return len(self.linkage) + 1

    @property
    def items(self) -> int:
        """How many items the leaves stand for."""
        return int(self.sizes.sum())

    @property
    def root(self) -> int:
        """The node that holds all others."""
        return 2 * self.leaves - 2

    @cached_property
    def pairs(self) -> Ints:
        """The two nodes of each merge."""
        return self.linkage[:, :2].astype(np.int64)

    @cached_property
    def node_sizes(self) -> Ints:
        """How many items each node holds."""
        n = self.leaves
        sizes = np.concatenate([self.sizes, np.zeros(n - 1, dtype=np.int64)])
        for merge, (a, b) in enumerate(self.pairs.tolist()):
            sizes[n + merge] = sizes[a] + sizes[b]
        return sizes

    @cached_property
    def smallest(self) -> Ints:
        """The smallest leaf below each node."""
        n = self.leaves
        smallest = np.arange(2 * n - 1)
        for merge, (a, b) in enumerate(self.pairs.tolist()):
            smallest[n + merge] = min(smallest[a], smallest[b])
        return smallest

    def children(self, node: int) -> tuple[int, int]:
        """The two nodes that a merge joins."""
        a, b = self.pairs[node - self.leaves].tolist()
        return a, b

    def height(self, node: int) -> float:
        """The height of a node; a leaf has 0."""
        return float(self.linkage[node - self.leaves, 2]) if node >= self.leaves else 0.0

    def lost(self, k: int) -> float:
        """The information lost by merging the leaves into k clusters: the height of the last merge.  math.md (11)"""
        return self.height(2 * self.leaves - 1 - k)

    def cut(self, k: int) -> Ints:
        """The cluster of each leaf in a cut into k: 0…k−1, in the order of their smallest leaves.

        Raises:
            ValueError: k is not between 1 and the number of leaves.
        """
        n = self.leaves
        if not (isinstance(k, int | np.integer) and 1 <= k <= n):
            raise ValueError(f"k must be a whole number between 1 and {n}, not {k!r}")
        node = np.arange(2 * n - 1)
        node[self.pairs[: n - k]] = np.arange(n, 2 * n - k)[:, None]
        # Each node points to the one above it; follow the pointers until every leaf points to the top of its cluster.
        while not np.array_equal(above := node[node], node):
            node = above
        _, first, labels = np.unique(node[:n], return_index=True, return_inverse=True)
        rank = np.empty(k, dtype=np.int64)
        rank[np.argsort(first)] = np.arange(k)
        cut: Ints = rank[labels]
        return cut

    @cached_property
    def _layout(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """First leaf of each node, leaves in order, and the merges between neighbours."""
        n = self.leaves
        first, last = [*range(n), *[0] * (n - 1)], [*range(n), *[0] * (n - 1)]
        following, gap_after = [-1] * n, [0] * n
        for merge, (a, b) in enumerate(self.pairs.tolist()):
            following[last[a]] = first[b]
            gap_after[last[a]] = merge
            first[n + merge], last[n + merge] = first[a], last[b]
        order = [first[2 * n - 2]]
        while (leaf := following[order[-1]]) >= 0:
            order.append(leaf)
        gaps = [gap_after[leaf] for leaf in order[:-1]]
        return np.array(first, dtype=np.int32), np.array(order, dtype=np.int32), np.array(gaps, dtype=np.int32)

    @property
    def order(self) -> NDArray[np.int32]:
        """The leaf at each place, such that no two lines of a drawing cross."""
        return self._layout[1]

    @property
    def gaps(self) -> NDArray[np.int32]:
        """gaps[i] is the merge that joins the branches of places i and i + 1.

        A cut into k undoes the last k − 1 merges, so its branches lie between the gaps ≥ n − k. There are k − 1 such
        gaps, because every merge closes exactly one.
        """
        return self._layout[2]

    @cached_property
    def place(self) -> NDArray[np.int32]:
        """The place of each leaf in the leaf order."""
        place = np.empty(self.leaves, dtype=np.int32)
        place[self.order] = np.arange(self.leaves, dtype=np.int32)
        return place

    def span(self, node: int) -> tuple[int, int]:
        """The places of the leaves below a node."""
        start = int(self.place[self._layout[0][node]])
        return start, start + (1 if node < self.leaves else int(self.linkage[node - self.leaves, 3]))

    def items_of(self, span: tuple[int, int]) -> list[int]:
        """The leaves at these places of the leaf order."""
        leaves: list[int] = self.order[slice(*span)].tolist()
        return leaves

    def nodes_at(self, k: int) -> list[int]:
        """The k nodes of a cut into k, in the order of their smallest leaves."""
        n = self.leaves
        if k == 1:
            return [self.root]
        children = self.pairs[n - k :].ravel()
        tops = children[children < 2 * n - k]
        nodes: list[int] = tops[np.argsort(self.smallest[tops])].tolist()
        return nodes

    def below(self, split: Iterable[int]) -> set[int]:
        """The children of split nodes that are not split themselves."""
        nodes = set(split)
        return {child for node in nodes for child in self.children(node) if child not in nodes}

    def branches(self, nodes: Sequence[int]) -> Branches:
        """The tree above these nodes, which together hold every leaf once."""
        number = {node: place for place, node in enumerate(nodes)}
        leaves = [1] * len(nodes)
        merges: list[Merge] = []
        merged: list[int] = []
        for node in sorted(self._ancestors(nodes)):
            a, b = (number[child] for child in self.children(node))
            leaves.append(leaves[a] + leaves[b])
            number[node] = len(nodes) + len(merges)
            merges.append(Merge(a, b, self.height(node), leaves[-1]))
            merged.append(node)
        spans = [self.span(node) for node in nodes]
        return Branches(list(nodes), spans, [self.height(node) for node in nodes], merges, merged)

    def _ancestors(self, nodes: Sequence[int]) -> set[int]:
        """All nodes above these nodes."""
        stack, above = [self.root], set()
        ends = set(nodes)
        while stack:
            node = stack.pop()
            if node not in ends:
                above.add(node)
                stack += self.children(node)
        return above

    def places_by_mean(self, sums: NDArray[Any], masses: NDArray[Any]) -> Ints:
        """The place of each leaf if, at every merge, the branch with the smaller mean (sum / mass) comes first."""
        n = self.leaves
        pairs = self.pairs.tolist()
        total, mass = [*sums.tolist(), *[0.0] * (n - 1)], [*masses.tolist(), *[0.0] * (n - 1)]
        size = [1] * n + [0] * (n - 1)
        for node, (a, b) in enumerate(pairs, start=n):
            total[node], mass[node], size[node] = total[a] + total[b], mass[a] + mass[b], size[a] + size[b]
        start = [0] * (2 * n - 1)
        for node in range(2 * n - 2, n - 1, -1):
            a, b = pairs[node - n]
            if total[b] * mass[a] < total[a] * mass[b]:
                a, b = b, a
            start[a], start[b] = start[node], start[node] + size[a]
        return np.array(start[:n], dtype=np.int64)
