"""Webhooks of the corpora file: where to send notices, and how they are signed.

Messages follow the Standard Webhooks convention: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
"""

import binascii
import hashlib
import hmac
import os
import re
from base64 import b64decode, b64encode
from typing import Final
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from snapshot.store.operation.outbox import Event
from worker.errors import CorpusError

VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
PREFIX: Final = "whsec_"
USUAL_EVENTS: Final[tuple[Event, ...]] = ("published", "held", "failed")
"""What a webhook is told unless it says otherwise."""

SHORTEST: Final = 24
"""Bytes of a secret."""


class Webhook(BaseModel):
    """One receiver of notices. URL and secret may name environment variables of the scheduler: `${NAME}`."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    url: str = Field(repr=False)
    secret: str = Field(repr=False)
    events: tuple[Event, ...] = USUAL_EVENTS
    concepts: tuple[int, ...] = ()
    """The concepts whose trends are told, by their ids; all if empty."""

    @field_validator("url")
    @classmethod
    def _check_url(cls, url: str) -> str:
        return url if VARIABLE.search(url) else check_url(url)

    @field_validator("secret")
    @classmethod
    def _check_secret(cls, secret: str) -> str:
        if not VARIABLE.search(secret):
            secret_bytes(secret)
        return secret

    @property
    def digest(self) -> str:
        """What names the webhook in the store, instead of its URL."""
        return hashlib.sha256(self.url.encode()).hexdigest()[:16]

    def address(self) -> str:
        """The URL with its variables filled in, or CorpusError without them."""
        try:
            return check_url(_filled(self.url))
        except ValueError as error:
            raise CorpusError(f"webhooks.url: {error}") from None

    def signature(self, notice: str, timestamp: int, body: bytes) -> str:
        """The signature over id, timestamp and body, or CorpusError if the secret is none."""
        try:
            key = secret_bytes(_filled(self.secret))
        except ValueError as error:
            raise CorpusError(f"webhooks.secret: {error}") from None
        signed = hmac.digest(key, f"{notice}.{timestamp}.".encode() + body, "sha256")
        return f"v1,{b64encode(signed).decode()}"


def check_url(url: str) -> str:
    """The same URL, or ValueError. Messages repeat nothing: it may hold a token."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None:
        raise ValueError("this is no URL such as https://example.org/hook; it must not hold a user")
    return url


def secret_bytes(secret: str) -> bytes:
    """The key that a secret stands for, or ValueError."""
    try:
        key = b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(PREFIX) or len(key) < SHORTEST:
        raise ValueError(
            f"a secret is {PREFIX} and at least {SHORTEST} random bytes in base64 (openssl rand -base64 32)"
        )
    return key


def host_of(url: str) -> str:
    """What messages show of a URL: its host."""
    return urlsplit(url).hostname or "?"


def _filled(declared: str) -> str:
    """A text with its environment variables filled in."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            raise ValueError(f"the environment variable {match[1]} is not set")
        return os.environ[match[1]]

    return VARIABLE.sub(value, declared)
