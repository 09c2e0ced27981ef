"""Holds the encoded cards of a corpus, or its texts, in one piece of memory. Documents without one take none of it."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass
class CardTexts:
    """Encoded cards by row. Nothing is allocated before the first card; then a row takes 12 bytes and its text."""

    text: bytearray = field(default_factory=bytearray)
    starts: "array[int]" = field(default_factory=lambda: array("q"))
    lengths: "array[int]" = field(default_factory=lambda: array("i"))

    def __bool__(self) -> bool:
        return len(self.text) > 0

    def put(self, row: int, card: bytes) -> None:
        """Set the card of a row. The same card again, as in rows of pairs, takes no more memory."""
        if self.get(row) == card:
            return
        missing = row + 1 - len(self.starts)
        if missing > 0:
            self.starts.frombytes(bytes(8 * missing))
            self.lengths.frombytes(bytes(4 * missing))
        self.starts[row] = len(self.text)
        self.lengths[row] = len(card)
        self.text += card

    def get(self, row: int) -> bytes:
        """The card of a row; empty if it has none."""
        if row >= len(self.starts):
            return b""
        start = self.starts[row]
        return bytes(self.text[start : start + self.lengths[row]])

    def of(self, rows: Iterable[int]) -> "OrderedCards":
        """The cards of these rows, in this order."""
        packed, ends = bytearray(), array("q", [0])
        for row in rows:
            packed += self.get(row)
            ends.append(len(packed))
        return OrderedCards(packed, np.frombuffer(ends, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class OrderedCards:
    """The encoded cards of documents, one after the other: that of document i is text[starts[i]:starts[i + 1]]."""

    text: bytearray
    starts: NDArray[np.int64]

    def get(self, position: int) -> bytes:
        """The card of a document; empty if it has none."""
        return bytes(self.text[self.starts[position] : self.starts[position + 1]])
