from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Branches:
    """The top of a tree, cut into k leaves numbered as `Tree.labels` numbers them.

    `spans[i]` are the places (in leaf order) of the items of leaf i, `heights[i]` is where leaf i was itself joined;
    `merges` are [a, b, height, leaves below], with nodes counted leaves first, as scipy counts them.
    """

    spans: list[tuple[int, int]]
    heights: list[float]
    merges: list[tuple[int, int, float, int]]


class Tree:
    """A dendrogram laid out so that any cut is a look at the gaps between neighbours.

    `order[i]` is the item at place i. `gaps[i]` is the merge that joins the branches of places i and i + 1. Cut into
    k, the last k − 1 merges are undone: the branches are what lies between gaps ≥ n − k. There are exactly k − 1 such
    gaps, because every merge closes exactly one.
    """

    def __init__(self, linkage: NDArray[np.float64]) -> None:
        self.linkage = linkage
        self.size = n = len(linkage) + 1
        pairs = linkage[:, :2].astype(np.int64).tolist()
        first, last = [*range(n), *[0] * (n - 1)], [*range(n), *[0] * (n - 1)]
        following, gap_after = [-1] * n, [0] * n
        for step, (a, b) in enumerate(pairs):
            following[last[a]] = first[b]
            gap_after[last[a]] = step
            first[n + step], last[n + step] = first[a], last[b]
        order = [first[2 * n - 2]]
        while (item := following[order[-1]]) >= 0:
            order.append(item)
        self._first = np.array(first, dtype=np.int32)
        self.order = np.array(order, dtype=np.int32)
        self.gaps = np.array([gap_after[item] for item in order[:-1]], dtype=np.int32)

    @cached_property
    def place(self) -> NDArray[np.int32]:
        """The place of each item in leaf order."""
        found = np.empty(self.size, dtype=np.int32)
        found[self.order] = np.arange(self.size, dtype=np.int32)
        return found

    def spans(self, k: int) -> list[tuple[int, int]]:
        """The k branches as ranges of places, by smallest member."""
        ends = (np.flatnonzero(self.gaps >= self.size - k) + 1).tolist()
        spans = list(zip([0, *ends], [*ends, self.size], strict=True))
        smallest = np.minimum.reduceat(self.order, [start for start, _ in spans])
        return [spans[branch] for branch in np.argsort(smallest).tolist()]

    def span(self, node: int) -> tuple[int, int]:
        """The places of the items below a node, nodes counted leaves first."""
        start = int(self.place[self._first[node]])
        return start, start + (1 if node < self.size else int(self.linkage[node - self.size, 3]))

    def labels(self, k: int) -> NDArray[np.int64]:
        """The branch of each item when the tree is cut into exactly k: 0…k−1 by smallest member."""
        labels = np.empty(self.size, dtype=np.int64)
        for branch, (start, stop) in enumerate(self.spans(k)):
            labels[self.order[start:stop]] = branch
        return labels

    def branches(self, k: int) -> Branches:
        """The last k − 1 merges as a tree of its own."""
        n, undone = self.size, self.size - k
        spans = self.spans(k)
        number = {start: branch for branch, (start, _) in enumerate(spans)}
        heights = [0.0] * k
        below = [1] * k
        merges: list[tuple[int, int, float, int]] = []

        def renumbered(node: int) -> int:
            if node >= n + undone:
                return node - n - undone + k
            branch = number[int(self.place[self._first[node]])]
            heights[branch] = float(self.linkage[node - n, 2]) if node >= n else 0.0
            return branch

        if k == 1:
            renumbered(2 * n - 2)
        for a, b, height, _ in self.linkage[undone:].tolist():
            left, right = renumbered(int(a)), renumbered(int(b))
            below.append(below[left] + below[right])
            merges.append((left, right, height, below[-1]))
        return Branches(spans, heights, merges)
