"""Finds tags by their beginning, by the beginning of a later word, or by any part."""

from array import array
from bisect import bisect_left, bisect_right
from typing import Final

import numpy as np
from numpy.typing import NDArray

SEPARATOR: Final = "\n"
"""Separates keys; no key contains it, because white space in keys is single spaces. It comes before the space."""

AFTER_ALL: Final = "\U0010ffff"

FEW: Final = 100

Ranks = NDArray[np.int64]
"""Places of keys in the order of the input, rising."""


class Autocomplete:
    """Finds keys by their beginning, by that of a later word, or by any part, in the order of the input.

    By beginning: a sorted list and two bisections. By later words: where they begin in the text of all keys, sorted by
    what follows there. By part: this text searched from the top, so that the first keys are found first.
    """

    def __init__(self, keys: list[str]) -> None:
        self._names = keys
        self._by_key = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
        self._keys = [keys[rank] for rank in self._by_key.tolist()]
        self._text = SEPARATOR.join(keys)
        lengths = np.fromiter((len(key) + 1 for key in keys), dtype=np.int64, count=len(keys))
        self._starts = np.cumsum(lengths) - lengths
        self._words, self._word_ranks = self._later_words()

    def key(self, rank: int) -> str:
        """The key of a rank."""
        return self._names[rank]

    def beginning(self, prefix: str) -> Ranks:
        """Ranks of all keys that begin with a text."""
        if not prefix:
            return np.arange(len(self._names))
        low = bisect_left(self._keys, prefix)
        high = bisect_left(self._keys, prefix + AFTER_ALL)
        return self._rising(self._by_key[low:high])

    def later_word(self, prefix: str) -> Ranks:
        """Ranks of all keys with a word, not the first one, at which a text begins; none for the empty text."""
        if not prefix:
            return np.zeros(0, dtype=np.int64)
        text, length = self._text, len(prefix)
        low = bisect_left(self._words, prefix, key=lambda at: text[at : at + length])
        high = bisect_right(self._words, prefix, lo=low, key=lambda at: text[at : at + length])
        return self._rising(self._word_ranks[low:high])

    def containing(self, part: str) -> Ranks:
        """Ranks of all keys that contain a text."""
        if not part:
            return np.arange(len(self._names))
        ranks: list[int] = []
        at = self._text.find(part)
        while at >= 0:
            rank = int(np.searchsorted(self._starts, at, side="right")) - 1
            ranks.append(rank)
            if rank + 1 == len(self._starts):
                break
            at = self._text.find(part, int(self._starts[rank + 1]))
        return np.array(ranks, dtype=np.int64)

    def _rising(self, ranks: Ranks) -> Ranks:
        """The ranks in order, each once. Marks them among all: quicker than to sort many, or to call numpy for few."""
        if len(ranks) <= FEW:
            return np.array(sorted(set(ranks.tolist())), dtype=np.int64)
        marked = np.zeros(len(self._names), dtype=np.bool_)
        marked[ranks] = True
        return np.flatnonzero(marked)

    def _later_words(self) -> tuple["array[int]", Ranks]:
        """Where every word but the first of each key begins in the text, and the ranks of the keys, sorted by key."""
        words: list[tuple[str, int, int]] = []
        for rank, (key, start) in enumerate(zip(self._names, self._starts.tolist(), strict=True)):
            at = key.find(" ") + 1
            while at:
                words.append((key[at:], rank, start + at))
                at = key.find(" ", at) + 1
        words.sort()
        return array("q", [at for _, _, at in words]), np.array([rank for _, rank, _ in words], dtype=np.int64)
