"""The URL of a store that Sentinels watch: redis+sentinel://user:password@host:26379,host:26379/NAME/0."""

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from redis.connection import parse_url

SCHEMES: Final = {"redis+sentinel": "redis", "rediss+sentinel": "rediss"}
DEFAULT_PORT: Final = 26379
EXAMPLE: Final = "redis+sentinel://user:password@host:26379,host:26379,host:26379/NAME/0"


@dataclass(frozen=True)
class SentinelUrl:
    """The Sentinels, the name by which they know the store, and how to sign in at the store and at them."""

    sentinels: tuple[tuple[str, int], ...]
    name: str
    store: dict[str, Any]
    """Options of a connection to the store, as redis-py names them."""

    own: dict[str, Any]
    """Options of a connection to a Sentinel."""


def is_sentinel_url(url: str) -> bool:
    """Whether a URL names Sentinels."""
    return url.partition("://")[0].lower() in SCHEMES


def parse_sentinel_url(url: str) -> SentinelUrl:
    """What a URL says; ValueError if it is none. Messages repeat nothing of it."""
    scheme, _, rest = url.partition("://")
    rest, _, query = rest.partition("?")
    login, _, places = rest.partition("/")[0].rpartition("@")
    name, _, database = rest.partition("/")[2].partition("/")
    if not name or "/" in database or not all(places.split(",")):
        raise ValueError(f"this is no URL such as {EXAMPLE}")
    signing = f"{login}@" if login else ""
    plain = f"{SCHEMES[scheme.lower()]}://{signing}one:1/{database or 0}{'?' if query else ''}{query}"
    options: dict[str, Any] = dict(parse_url(plain))
    own = {
        option: options.pop(f"sentinel_{option}")
        for option in ("username", "password")
        if f"sentinel_{option}" in options
    }
    for key in ("host", "port"):
        options.pop(key, None)
    kind = options.pop("connection_class", None)
    secured = {key: value for key, value in options.items() if key.startswith("ssl_")} if kind is not None else {}
    if kind is not None:
        options["ssl"] = own["ssl"] = True
    return SentinelUrl(tuple(_place(place) for place in places.split(",")), unquote(name), options, {**secured, **own})


def _place(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        return text.strip("[]"), DEFAULT_PORT
    return host.strip("[]"), int(port)
