"""Requests and responses as plain values, the same whether Flask or the event loop answers."""

import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl

import werkzeug.urls  # noqa: F401 - registers KEEP_INVALID

from service.api_keys import Scope

READ_HEADERS: Final = frozenset(
    {
        "accept",
        "accept-encoding",
        "access-control-request-method",
        "authorization",
        "if-none-match",
        "origin",
        "x-api-key",
        "x-forwarded-for",
        "x-request-id",
    }
)
"""The headers that policy and negotiation read."""

REQUEST_ID: Final = re.compile(r"[\w.:-]{1,64}", re.ASCII)

KEEP_INVALID: Final = "werkzeug.url_quote"
"""What to do with bytes of a query string that are not UTF-8: keep them percent-encoded, as Flask does."""

Headers = dict[str, str]
"""Each name once, as responses spell it; none of ours needs the same header twice."""


@dataclass(slots=True)
class Request:
    """The head of one request. `headers` has the headers of READ_HEADERS that were sent, names in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    peer: str
    """The address at the other end of the connection."""

    began: float
    id: str
    key: str = ""
    """The name of the API key of a request that writes."""

    scope: Scope | None = None
    """What its key allows; None without a key of ours."""

    _parameters: list[tuple[str, str]] | None = None

    def parameters(self) -> list[tuple[str, str]]:
        """The parameters of the query string, decoded, in the order in which they were sent."""
        if self._parameters is None:
            self._parameters = parse_qsl(self.query, keep_blank_values=True, errors=KEEP_INVALID) if self.query else []
        return self._parameters


def request_id(given: str | None) -> str:
    """The id that the client or a proxy gave, if it is a sensible one, or a new one."""
    return given if given is not None and REQUEST_ID.fullmatch(given) else f"{random.getrandbits(64):016x}"


@dataclass(slots=True)
class HttpResponse:
    """A complete response: the one type that views, policy, gateway and connections share."""

    status: int
    headers: Headers
    body: bytes
    expected: bool = False
    """A 503 that is no fault: the first run of a corpus is under way or comes next."""

    @property
    def media_type(self) -> str:
        """Its type without parameters; empty without a body."""
        return self.headers.get("Content-Type", "").partition(";")[0]

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:  # noqa: ARG002
        """The response as a WSGI application, which is what Flask takes from a view."""
        start_response(f"{self.status} {HTTPStatus(self.status).phrase}", list(self.headers.items()))
        return [self.body]


def joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Headers by name; those that were sent several times are joined by commas (RFC 9110, 5.3)."""
    headers: dict[str, str] = {}
    for name, value in pairs:
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    return headers
