import gzip
import threading
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final, Literal

import brotli  # type: ignore[import-untyped]

Coding = Literal["identity", "gzip", "br"]

SMALLEST: Final = 700
"""Bytes; shorter bodies fit one packet anyway and are not compressed."""

GZIP_LEVEL: Final = 5
BROTLI_QUALITY: Final = 5
"""Where brotli takes as long as gzip and is smaller: 1,190 bytes for 1,307 of a cloud of 4,647."""


@dataclass(slots=True)
class CachedResponse:
    """The bytes of one answer, with the compressed forms that somebody asked for."""

    body: bytes
    tag: str
    mimetype: str = "application/json"
    _coded: dict[Coding, bytes] = field(default_factory=dict)

    def coded(self, coding: Coding) -> bytes:
        """The body in a content coding; compressed once."""
        if coding == "identity":
            return self.body
        found = self._coded.get(coding)
        if found is None:
            found = self._coded[coding] = compressed(self.body, coding)
        return found


def compressed(body: bytes, coding: Coding) -> bytes:
    """A body in gzip or brotli."""
    if coding == "br":
        return bytes(brotli.compress(body, quality=BROTLI_QUALITY))
    return gzip.compress(body, GZIP_LEVEL, mtime=0)


class ResponseCache:
    """Answers given before, until they fill `capacity` bytes; then the oldest go first.

    Belongs to one view of one snapshot, so there is nothing to invalidate. Compressed forms are counted as the body
    again, which is more than they can be.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._kept: dict[Hashable, CachedResponse] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> CachedResponse | None:
        """The answer given before to the same question."""
        return self._kept.get(key)

    def put(self, key: Hashable, answer: CachedResponse) -> None:
        """Remember an answer."""
        cost = _cost(answer)
        if cost > self._capacity // 8:
            return
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = answer
            self._bytes += cost
            while self._bytes > self._capacity:
                oldest = next(iter(self._kept))
                self._bytes -= _cost(self._kept.pop(oldest))

    @property
    def bytes(self) -> int:
        """How much is kept."""
        return self._bytes


def _cost(answer: CachedResponse) -> int:
    return 3 * len(answer.body) + 500
