"""Answers as bytes, and a cache for them."""

import gzip
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Literal

import brotli  # type: ignore[import-untyped]

Coding = Literal["identity", "gzip", "br"]

SMALLEST: Final = 700
"""Bytes; shorter bodies fit one packet anyway and are not compressed."""

GZIP_LEVEL: Final = 5
OVERHEAD: Final = 700
"""Bytes of an answer's objects, and of its key and place in a cache (measured with tracemalloc)."""

BROTLI_QUALITY: Final = 5
"""Takes as long as gzip and compresses better: a cloud of 4,647 bytes to 1,190 instead of 1,307."""


@dataclass(slots=True, eq=False)
class CachedResponse:
    """The bytes of one answer, with the compressed forms that clients requested so far."""

    body: bytes
    tag: str
    mimetype: str = "application/json"
    cache: "ResponseCache | None" = None
    """The cache that counts its bytes."""

    _coded: dict[Coding, bytes] = field(default_factory=dict)

    def has(self, coding: Coding) -> bool:
        """Whether the body is there in a content coding."""
        return coding == "identity" or coding in self._coded

    def coded(self, coding: Coding) -> bytes:
        """The body in a content coding; compressed once."""
        if coding == "identity":
            return self.body
        body = self._coded.get(coding)
        if body is None:
            body = self._coded[coding] = compress(self.body, coding)
            if self.cache is not None:
                self.cache.grow(len(body))
        return body

    @property
    def bytes(self) -> int:
        """The memory that it takes, with all its forms and its place in a cache."""
        return len(self.body) + sum(len(body) for body in self._coded.values()) + OVERHEAD


def compress(body: bytes, coding: Coding) -> bytes:
    """Compress a body with gzip or brotli."""
    if coding == "br":
        return bytes(brotli.compress(body, quality=BROTLI_QUALITY))
    return gzip.compress(body, GZIP_LEVEL, mtime=0)


class ResponseCache:
    """A cache of answers. Beyond `capacity` bytes it drops those first that were asked for longest ago.

    Answers that were made ready stay.

    It belongs to one view of one snapshot, so nothing in it ever becomes invalid.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._responses: OrderedDict[str, CachedResponse] = OrderedDict()
        self._prepared: dict[str, CachedResponse] = {}
        self._bytes = 0
        self.prepared_bytes = 0
        self._lock = threading.Lock()

    def get(self, key: str) -> CachedResponse | None:
        """The cached answer to a question."""
        answer = self._responses.get(key)
        if answer is None:
            return self._prepared.get(key)
        with suppress(KeyError):  # dropped meanwhile
            self._responses.move_to_end(key)
        return answer

    def put(self, key: str, answer: CachedResponse) -> None:
        """Store an answer, unless it is too large."""
        if answer.bytes > self.capacity // 8:
            return
        with self._lock:
            if key not in self._responses:
                self._responses[key] = answer
                self._count(answer)
                self._drop_unused()

    def put_prepared(self, key: str, answer: CachedResponse) -> None:
        """Store an answer for as long as the cache lives."""
        with self._lock:
            self._prepared[key] = answer
            self._count(answer)
            self.prepared_bytes += answer.bytes

    def grow(self, size: int) -> None:
        """Count a compressed form that an answer got later."""
        with self._lock:
            self._bytes += size
            self._drop_unused()

    @property
    def bytes(self) -> int:
        """The size of all stored answers."""
        return self._bytes

    def _count(self, answer: CachedResponse) -> None:
        self._bytes += answer.bytes
        answer.cache = self

    def _drop_unused(self) -> None:
        while self._bytes > self.capacity and self._responses:
            _, dropped = self._responses.popitem(last=False)
            dropped.cache = None
            self._bytes -= dropped.bytes
