"""The part of the dendrogram of tags that the page draws: a few leaves, some of them opened."""

from dataclasses import dataclass
from typing import Final

from service.view.view import View
from tagmodel import Branches, Dendrogram

OPENED_INTO: Final = 6
"""An opened branch shows this many leaves."""

MEMBERS: Final = 24


@dataclass(frozen=True)
class Branch:
    """A leaf of the drawing: one tag, or a branch with its label."""

    node: int
    label: str
    size: int
    height: float
    members: list[str]
    """The commonest, by falling count."""

    gap: int
    """The merge that joins it with the leaf before; −1 for the first."""

    group: int
    """Its group at the cut, counted from the top."""

    groups: int
    """The number of groups that its tags belong to at the cut."""

    @property
    def colour(self) -> str:
        """The class of its colour; grey if the cut divides it."""
        return f"hue{5 * self.group % 24}" if self.groups == 1 else "divided"


@dataclass(frozen=True)
class DrawnTree:
    """The branches from top to bottom, the merges above them, and which of those are opened branches."""

    leaves: list[Branch]
    branches: Branches
    opened: set[int]

    @property
    def top(self) -> float:
        """The greatest height."""
        return max([merge.height for merge in self.branches.merges], default=0.0) or 1.0


def drawn_tree(view: View, leaves: int, opened: tuple[int, ...], cut: int) -> DrawnTree:
    """The tree with this many leaves, the branches `opened`, and every leaf's group at a cut into `cut` groups."""
    tree = view.tree
    n = tree.leaves
    nodes = set(tree.nodes_at(leaves))
    open_here = set()
    for node in sorted(opened, reverse=True):
        if n <= node and node in nodes:
            open_here.add(node)
            nodes = nodes - {node} | _open_branch(tree, node)
    branches = tree.branches(sorted(nodes, key=tree.span))
    undone = n - cut
    drawn: list[Branch] = []
    group = 0
    for node, (start, stop) in zip(branches.nodes, branches.spans, strict=True):
        gap = int(tree.gaps[start - 1]) if start else -1
        group += gap >= undone and start > 0
        items = sorted(tree.items_of((start, stop)), key=view.count_rank.__getitem__)
        drawn.append(
            Branch(
                node=node,
                label=view.label(items),
                size=len(items),
                height=tree.height(node),
                members=[view.snapshot.names[tag] for tag in items[:MEMBERS]],
                gap=gap,
                group=group,
                groups=1 + int((tree.gaps[start : stop - 1] >= undone).sum()),
            )
        )
    return DrawnTree(drawn, branches, open_here)


def opened_down_to(view: View, leaves: int, opened: tuple[int, ...], tag: int) -> tuple[int, ...]:
    """The branches to open so that a leaf shows the tag: alone, or among so few that all are named."""
    tree = view.tree
    place = tree.place[tag]
    while True:
        drawn = drawn_tree(view, min(leaves, tree.leaves), opened, 1)
        (holding,) = (leaf for leaf in drawn.leaves if place in range(*tree.span(leaf.node)))
        if holding.size <= MEMBERS:
            return opened
        opened = (*opened, holding.node)


def _open_branch(tree: Dendrogram, node: int) -> set[int]:
    """The nodes that an opened branch shows; splits the highest node first."""
    ends = [node]
    while len(ends) < OPENED_INTO and max(ends) >= tree.leaves:
        highest = max(ends)
        ends.remove(highest)
        ends += tree.children(highest)
    return set(ends)
