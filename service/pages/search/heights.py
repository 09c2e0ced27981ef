"""How high the card of a group will be, about: by this a grid packs cards of unequal heights without holes.

Browsers have no masonry yet, and a script that measured cards would move them after they were seen. A card that is
higher than estimated makes its rows higher, so nothing is ever cut.
"""

from collections.abc import Iterable
from typing import Final

SIZES: Final = (0.91, 1.0, 1.1, 1.2, 1.31, 1.44, 1.58, 1.73)
"""The size of the letters of w1…w8, in rem."""

WIDTH: Final = 21.5
"""Of the text of a card, in rem: about the middle of what the grid gives."""

LETTER: Final = 0.54
"""The mean width of a letter, in its size."""

COUNT: Final = 0.42
"""The width of a figure of a count."""

GAP: Final = 1.4
"""Between tags, with the dot of a count."""

LINE: Final = 1.5
"""The height of a line, in the size of its largest letters."""

FRAME: Final = 5.5
"""Heading, links, padding and the space below a card."""

PICTURES: Final = 3
"""Rows of a strip of pictures."""

FEWEST: Final = 7
MOST: Final = 40
"""The style sheet has the classes rows7…rows40: so many rows of a rem."""


def rows(label: str, tags: Iterable[tuple[str, int, int]], *, pictured: bool = False) -> int:
    """The rows that a card takes; its tags are names, counts and size classes."""
    height = FRAME + (1.4 if len(label) * LETTER > WIDTH else 0.0)
    at, largest = WIDTH + 1.0, 0.0
    for name, count, size in tags:
        letters = SIZES[size - 1]
        wide = len(name) * letters * LETTER + len(f"{count:,}") * COUNT
        if at + wide > WIDTH:
            height += LINE * largest
            at, largest = 0.0, 0.0
        at += wide + GAP
        largest = max(largest, letters)
    height += LINE * largest
    return min(max(round(height) + (PICTURES if pictured else 0), FEWEST), MOST)
