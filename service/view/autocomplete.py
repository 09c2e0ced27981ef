"""Finds tags by their beginning or by any part."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

SEPARATOR: Final = "\n"
"""Separates keys; no key contains it, because white space in keys is single spaces."""

AFTER_ALL: Final = "\U0010ffff"


class Autocomplete:
    """Finds keys by their beginning, or by any part, in the order of the input (by falling count).

    By beginning: a sorted list and two bisections. By part: all keys in one text, searched from the top, so that the
    commonest come first and the search may stop early.
    """

    def __init__(self, keys: list[str]) -> None:
        self._sorted = sorted((key, rank) for rank, key in enumerate(keys))
        self._keys = [key for key, _ in self._sorted]
        self._ranks = [rank for _, rank in self._sorted]
        self._names = keys
        self._text = SEPARATOR.join(keys)
        self._starts = [0]
        for key in keys[:-1]:
            self._starts.append(self._starts[-1] + len(key) + 1)

    def key(self, rank: int) -> str:
        """The key of a rank."""
        return self._names[rank]

    def beginning(self, prefix: str) -> Sequence[int]:
        """Ranks of all keys that begin with a text, in order."""
        if not prefix:
            return range(len(self._ranks))
        low = bisect_left(self._keys, prefix)
        high = bisect_left(self._keys, prefix + AFTER_ALL)
        return sorted(self._ranks[low:high])

    def containing(self, part: str) -> Sequence[int]:
        """Ranks of all keys that contain a text, in order."""
        if not part:
            return range(len(self._ranks))
        ranks: list[int] = []
        at = self._text.find(part)
        while at >= 0:
            rank = bisect_right(self._starts, at) - 1
            ranks.append(rank)
            if rank + 1 == len(self._starts):
                break
            at = self._text.find(part, self._starts[rank + 1])
        return ranks
