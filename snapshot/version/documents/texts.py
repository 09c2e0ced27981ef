"""Many short texts in two arrays, so that processes can share them by mapping a file."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts in UTF-8, one after the other: text i is text[starts[i] : starts[i + 1]]. Empty starts mean no text at all.

    The arrays may be read-only memory maps; `starts` is of the narrowest of uint32 and int64.
    """

    text: NDArray[np.uint8]
    starts: NDArray[Any]

    @classmethod
    def of(cls, texts: Iterable[bytes]) -> "Texts":
        """Pack texts."""
        packed, ends = bytearray(), array("q", [0])
        for text in texts:
            packed += text
            ends.append(len(packed))
        return cls.packed(packed, np.frombuffer(ends, dtype=np.int64))

    @classmethod
    def packed(cls, text: bytes | bytearray, starts: NDArray[np.int64]) -> "Texts":
        """Texts that are packed already."""
        narrow = starts.astype(np.uint32) if len(text) < 2**32 else starts
        return cls(np.frombuffer(text, dtype=np.uint8), narrow)

    @classmethod
    def none(cls) -> "Texts":
        """No texts."""
        return cls(np.empty(0, dtype=np.uint8), np.empty(0, dtype=np.uint32))

    def __len__(self) -> int:
        return max(len(self.starts) - 1, 0)

    def get(self, position: int) -> bytes:
        """One text; empty if there is none at this position."""
        if position >= len(self):
            return b""
        return self.text[int(self.starts[position]) : int(self.starts[position + 1])].tobytes()

    def find(self, text: bytes) -> int | None:
        """The position of a text among sorted ones; None if it is not there."""
        position = self.insertion(text)
        return position if position < len(self) and self.get(position) == text else None

    def insertion(self, text: bytes) -> int:
        """How many of the texts, which are sorted, come before this one."""
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.get(middle) < text:
                low = middle + 1
            else:
                high = middle
        return low
