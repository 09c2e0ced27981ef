"""The part of the tree of tags that is drawn: collapsed to a few leaves, some of them opened."""

from dataclasses import dataclass
from typing import Final

from service.view import View

OPENED_INTO: Final = 6
"""An opened branch shows this many leaves."""

MEMBERS: Final = 24


@dataclass(frozen=True)
class Branch:
    """A leaf of the drawing: one tag, or a branch named by three of its tags."""

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
    """Of how many groups its tags are at the cut."""


@dataclass(frozen=True)
class Join:
    """A merge of the drawing: of the leaves or merges a and b (leaves counted first), at a height."""

    node: int
    merge: int
    a: int
    b: int
    height: float
    first: int
    """The topmost leaf below it."""

    opened: bool


@dataclass(frozen=True)
class Drawn:
    """Leaves from top to bottom, and merges from the lowest to the root."""

    leaves: list[Branch]
    joins: list[Join]


def drawn(view: View, leaves: int, opened: tuple[int, ...], cut: int) -> Drawn:
    """The tree cut into so many leaves, with some of these opened, and every leaf's group at a cut into `cut`."""
    tree = view.tree
    n = tree.size
    inner = set(range(2 * n - leaves, 2 * n - 1))
    frontier = _below(view, inner) if inner else {2 * n - 2}
    open_here = set()
    for node in sorted(opened, reverse=True):
        if n <= node and node in frontier:
            open_here.add(node)
            inner |= _opened(view, node)
            frontier = _below(view, inner)
    ordered = sorted(frontier, key=tree.span)
    undone = n - cut
    found: list[Branch] = []
    group = 0
    for node in ordered:
        start, stop = tree.span(node)
        gap = int(tree.gaps[start - 1]) if start else -1
        group += gap >= undone and start > 0
        items = sorted(tree.order[start:stop].tolist(), key=view.count_rank.__getitem__)
        found.append(
            Branch(
                node=node,
                label=", ".join(view.label(items)) if len(items) > 1 else view.snapshot.names[items[0]],
                size=len(items),
                height=height(view, node),
                members=[view.snapshot.names[tag] for tag in items[:MEMBERS]],
                gap=gap,
                group=group,
                groups=1 + int((tree.gaps[start : stop - 1] >= undone).sum()),
            )
        )
    return Drawn(found, _joins(view, inner, ordered, open_here))


def height(view: View, node: int) -> float:
    """Bits lost when a node was joined; a single tag has lost none."""
    n = view.tree.size
    return float(view.tree.linkage[node - n, 2]) if node >= n else 0.0


def _children(view: View, node: int) -> tuple[int, int]:
    a, b = view.tree.linkage[node - view.tree.size, :2]
    return int(a), int(b)


def _below(view: View, inner: set[int]) -> set[int]:
    """The nodes right below those that are split."""
    return {child for node in inner for child in _children(view, node) if child not in inner}


def _opened(view: View, node: int) -> set[int]:
    """The nodes to split so that a branch shows a few leaves: the highest first."""
    split: set[int] = set()
    ends = [node]
    while len(ends) < OPENED_INTO and max(ends) >= view.tree.size:
        highest = max(ends)
        ends.remove(highest)
        ends += _children(view, highest)
        split.add(highest)
    return split


def _joins(view: View, inner: set[int], leaves: list[int], opened: set[int]) -> list[Join]:
    number = {node: place for place, node in enumerate(leaves)}
    first = dict(number)
    found: list[Join] = []
    for node in sorted(inner):
        a, b = _children(view, node)
        number[node] = len(leaves) + len(found)
        first[node] = min(first[a], first[b])
        found.append(
            Join(
                node=node,
                merge=node - view.tree.size,
                a=number[a],
                b=number[b],
                height=height(view, node),
                first=first[node],
                opened=node in opened,
            )
        )
    return found
