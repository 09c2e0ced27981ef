"""API keys, stored only as SHA-256, and rate limits."""

import hashlib
import hmac
import threading
import time
from collections.abc import Callable, Iterable
from typing import Final, Literal

from service.errors import KeyRequired, TooManyRequests, WritingDisabled

MOST_CLIENTS: Final = 10_000
"""The limiter tracks at most this many clients, and drops the one that has been idle longest."""

BURST_SECONDS: Final = 2.0
"""A client may spend the allowance of this long at once."""


Scope = Literal["read", "push", "edit", "operate"]
"""What a key allows."""


class ApiKeys:
    """The keys that may write, and those that may read if reading needs one. All are known by their digests only."""

    def __init__(self, writing: Iterable[str], reading: Iterable[str]) -> None:
        self._writing = tuple(writing)
        self._reading = tuple(reading)
        self._all = (*self._reading, *self._writing)

    @property
    def private(self) -> bool:
        """Whether reading needs a key."""
        return bool(self._reading)

    def known(self, key_digest: str) -> bool:
        """Whether this is one of our keys, of either kind."""
        return _known(key_digest, self._all)

    def check(self, key_digest: str, *, writes: bool) -> None:
        """Let a request pass, or raise KeyRequired or WritingDisabled."""
        if writes and not self._writing:
            raise WritingDisabled("no API keys are configured here, so nothing can be written")
        if (writes or self._reading) and not _known(key_digest, self._writing if writes else self._all):
            raise KeyRequired("an API key is needed: Authorization: Bearer … or X-API-Key: …")


def request_key(authorization: str, header: str) -> str:
    """The key of a request, from either of its headers."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else header.strip()


def digest(key: str) -> str:
    """The SHA-256 of a key, which is all that the settings hold of it."""
    return hashlib.sha256(key.encode()).hexdigest()


def _known(key_digest: str, allowed: tuple[str, ...]) -> bool:
    """Compare with every key in constant time, so that timing reveals nothing."""
    matches = [hmac.compare_digest(key_digest, other) for other in allowed]
    return any(matches)


class RateLimit:
    """A token bucket for each client, in the memory of this process, so that it works without the store.

    `rate` is the allowance of a client per second in this process; 0 is no limit.
    """

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate = rate
        self._burst = max(rate * BURST_SECONDS, 1.0)
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def take(self, client: str) -> None:
        """Count one request of a client, or raise TooManyRequests with the seconds to wait."""
        if not self.rate:
            return
        with self._lock:
            now = self._clock()
            left, since = self._left.pop(client, (self._burst, now))
            left = min(left + (now - since) * self.rate, self._burst)
            self._left[client] = (left - 1.0 if left >= 1.0 else left, now)
            if len(self._left) > MOST_CLIENTS:
                del self._left[next(iter(self._left))]
        if left < 1.0:
            raise TooManyRequests((1.0 - left) / self.rate)
