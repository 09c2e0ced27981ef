"""API keys, stored only as SHA-256, and rate limits."""

import base64
import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Final, NamedTuple

from service.api_keys import SCOPES, ApiKey, Scope
from service.errors import KeyRequired, KeyTooNarrow, TooManyRequests, WritingDisabled

MOST_CLIENTS: Final = 10_000
"""The limiter tracks at most this many clients, and drops the one that has been idle longest."""

MOST_REMEMBERED: Final = 1000
"""So many ways to send our keys are remembered; a client may send the same key with other spaces around it."""

BURST_SECONDS: Final = 2.0
"""A client may spend the allowance of this long at once."""


def utc_now() -> datetime:
    """The time now."""
    return datetime.now(UTC)


class Access(NamedTuple):
    """The key of a request. `client` names a key of ours in the rate limit; it is empty for all others."""

    client: str = ""
    key: ApiKey | None = None


class ApiKeys:
    """The keys that may write, and those that may read if reading needs one. All are known by their digests only."""

    def __init__(self, keys: Iterable[ApiKey], clock: Callable[[], datetime] = utc_now) -> None:
        self._keys = tuple(keys)
        self._may_write = any(key.scope != "read" for key in self._keys)
        self._clock = clock
        self._remembered: dict[bytes, Access] = {}
        self._secret = secrets.token_bytes(32)
        self.private = any(key.scope == "read" for key in self._keys)
        """Whether reading needs a key."""

    def access(self, authorization: str, header: str) -> Access:
        """What the two headers of a request bring that may have a key.

        Headers with a key of ours are remembered, so that the key is not compared with all others each time. They are
        remembered by a digest, with a secret of this process: its memory never holds a key for longer than a request.
        """
        headers = blake2b(f"{authorization}\0{header}".encode(), key=self._secret, digest_size=16).digest()
        access = self._remembered.get(headers)
        if access is None:
            key = request_key(authorization, header)
            access = self._access(digest(key)) if key else Access()
            if access.client:
                if len(self._remembered) >= MOST_REMEMBERED:
                    self._remembered.clear()
                self._remembered[headers] = access
        return access

    def __bool__(self) -> bool:
        """Whether there are any keys."""
        return bool(self._keys)

    def check(self, access: Access, scope: Scope, *, closed: bool = False) -> None:
        """Let a request pass, or raise KeyRequired, KeyTooNarrow or WritingDisabled.

        `closed`: reading this needs a key even where other reading does not.
        """
        if scope == "read" and not (self.private or closed):
            return
        if scope != "read" and not self._may_write:
            raise WritingDisabled("no API keys are configured here, so nothing can be written")
        key = access.key
        if key is None:
            raise KeyRequired("an API key is needed: Authorization: Bearer … or X-API-Key: …")
        if key.expires is not None and self._clock() >= key.expires:
            raise KeyRequired(f"the key {key.name!r} has expired")
        if not key.allows(scope):
            raise KeyTooNarrow(f"the key {key.name!r} has the scope {key.scope}; this needs {scope}")

    def scope(self, access: Access) -> Scope | None:
        """What the key of a request allows; None if it has none of ours, or one that has expired."""
        key = access.key
        return None if key is None or (key.expires is not None and self._clock() >= key.expires) else key.scope

    def _access(self, key_digest: str) -> Access:
        """Compare with every key in constant time, so that timing reveals nothing."""
        matches = [key for key in self._keys if hmac.compare_digest(key_digest, key.digest)]
        widest = max(matches, key=lambda key: SCOPES.index(key.scope), default=None)
        return Access() if widest is None else Access(f"key {key_digest}", widest)


def request_key(authorization: str, header: str) -> str:
    """The key of a request, from either of its headers."""
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    if scheme.lower() == "basic" and not header.strip():
        return _password(token.strip())
    return header.strip()


def is_basic(authorization: str) -> bool:
    """Whether a browser sends the key by itself, with every request to this host.

    It would do so for a form of another site as well, so such a key only reads.
    """
    return authorization[:6].lower() == "basic "


def _password(token: str) -> str:
    """The password of HTTP Basic (RFC 7617), which is the key; any user name goes with it."""
    try:
        return base64.b64decode(token, validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


def digest(key: str) -> str:
    """The SHA-256 of a key, which is all that the settings hold of it."""
    return hashlib.sha256(key.encode()).hexdigest()


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
