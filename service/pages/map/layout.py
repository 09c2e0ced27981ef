"""Where concepts lie on the map: the tree divides a rectangle, each branch gets area by its weight.

At every merge the longer side is divided in the order of the tree, so that concepts which join early lie side by side.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Rectangle:
    """A part of the map."""

    x: float
    y: float
    width: float
    height: float

    def divided(self, share: float) -> "tuple[Rectangle, Rectangle]":
        """Two parts, the first with this share of the area, side by side along the longer side."""
        if self.width >= self.height:
            wide = self.width * share
            return (
                Rectangle(self.x, self.y, wide, self.height),
                Rectangle(self.x + wide, self.y, self.width - wide, self.height),
            )
        high = self.height * share
        return (
            Rectangle(self.x, self.y, self.width, high),
            Rectangle(self.x, self.y + high, self.width, self.height - high),
        )

    def inset(self, left: float, top: float, right: float, bottom: float) -> "Rectangle":
        """Without its margins; never negative."""
        return Rectangle(
            self.x + left,
            self.y + top,
            max(self.width - left - right, 0.0),
            max(self.height - top - bottom, 0.0),
        )


Branch = tuple[int, int]
"""From place to place in the order of the tree; the end is not part of it."""


def division(gaps: Sequence[int], branch: Branch) -> int:
    """The place before which a branch divides: where its last merge was made."""
    first, end = branch
    return 1 + max(range(first, end - 1), key=gaps.__getitem__)


def branches(gaps: Sequence[int], branch: Branch, most: int) -> list[Branch]:
    """At most so many branches of a branch, in order; the last merges are undone first."""
    first, end = branch
    undone = sorted(range(first, end - 1), key=gaps.__getitem__, reverse=True)[: most - 1]
    ends = [first, *sorted(place + 1 for place in undone), end]
    return list(pairwise(ends))


def placed(gaps: Sequence[int], weights: Sequence[float], parts: Sequence[Branch], on: Rectangle) -> list[Rectangle]:
    """The rectangle of each part, in order. The parts are neighbours and divide no branch that is not undone."""
    if len(parts) == 1:
        return [on]
    place = division(gaps, (parts[0][0], parts[-1][1]))
    at = [first for first, _ in parts].index(place)
    total = [sum(weights[part[0][0] : part[-1][1]]) for part in (parts[:at], parts[at:])]
    first, second = on.divided(total[0] / sum(total))
    return [*placed(gaps, weights, parts[:at], first), *placed(gaps, weights, parts[at:], second)]
