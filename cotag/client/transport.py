"""Sends the calls of a client, and tries again where that may help: the one place that knows HTTP.

A refusal with Retry-After (429, 503) is tried again after that time, a connection that failed after a short one. A
request that may have reached the service is sent again only if it changes nothing.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote

import httpx

from cotag.client.problem import NoAnswer, refusal

RETRIED: Final = {429, 503}
"""With Retry-After the service says that it did nothing, and when to come again."""

LONGEST_WAIT: Final = 60.0
"""Seconds. A service that asks for more is not waited for."""

FIRST_PAUSE: Final = 0.2
"""Seconds before a failed connection is tried again; doubled each time."""

Query = Mapping[str, Any]


def quoted(value: object) -> str:
    """A part of a path: slashes in it are quoted too."""
    return quote(str(value), safe="")


Outcome = httpx.Response | httpx.TransportError


@dataclass(frozen=True)
class Attempts:
    """Which outcomes are tried again, and after how long."""

    retries: int

    def settle(self, outcome: Outcome, tried: int, method: str) -> httpx.Response | float:
        """The answer, or the seconds to wait before the next try. Raises what is left if there is none."""
        pause = self._pause(outcome, method, tried) if tried < self.retries else None
        if pause is not None:
            return pause
        if isinstance(outcome, httpx.TransportError):
            message = f"no answer from {outcome.request.url.host} after {tried + 1} tries: {outcome!r}"
            raise NoAnswer(message) from outcome
        if not outcome.is_success:
            raise refusal(outcome)
        return outcome

    @staticmethod
    def _pause(outcome: Outcome, method: str, tried: int) -> float | None:
        if isinstance(outcome, httpx.Response):
            return _retry_after(outcome)
        if method == "GET" or isinstance(outcome, httpx.ConnectError | httpx.ConnectTimeout):
            return FIRST_PAUSE * 2.0**tried
        return None


def _retry_after(response: httpx.Response) -> float | None:
    if response.status_code not in RETRIED:
        return None
    try:
        seconds = float(response.headers.get("Retry-After", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds <= LONGEST_WAIT else None


def _options(url: str, key: str | None, timeout: float) -> dict[str, Any]:
    headers = {"Accept": "application/json, */*;q=0.5"} | ({"Authorization": f"Bearer {key}"} if key else {})
    return {"base_url": url, "headers": headers, "timeout": timeout}


def _present(values: Query | None) -> dict[str, Any]:
    return {name: value for name, value in (values or {}).items() if value is not None}


@dataclass(frozen=True)
class Sent:
    """What goes with a request beside its address."""

    body: Mapping[str, Any] | str | bytes | None = None
    media: str | None = None
    headers: Query | None = None

    def request(self, method: str, path: str, query: Query | None) -> dict[str, Any]:
        """What httpx sends. Parameters that are None are left out; lists are repeated."""
        headers = _present({"Content-Type": self.media}) | _present(self.headers)
        content = json.dumps(self.body) if isinstance(self.body, Mapping) else self.body
        return {"method": method, "url": path, "params": _present(query), "content": content, "headers": headers}


class Asking:
    """A connection to a service. `key`: an API key, where the service needs one."""

    def __init__(self, url: str, *, key: str | None = None, timeout: float = 10.0, retries: int = 3) -> None:
        self._http = httpx.Client(**_options(url, key, timeout))
        self._attempts = Attempts(retries)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def ask(self, method: str, path: str, query: Query | None = None, **sent: Any) -> httpx.Response:
        """Any request, also for other formats than JSON, such as a tree as SVG. See `Sent` for what may go with it."""
        request = Sent(**sent).request(method, path, query)
        for tried in count():
            outcome: Outcome
            try:
                outcome = self._http.request(**request)
            except httpx.TransportError as error:
                outcome = error
            settled = self._attempts.settle(outcome, tried, method)
            if isinstance(settled, httpx.Response):
                return settled
            time.sleep(settled)
        raise AssertionError

    def _json(self, method: str, path: str, query: Query | None = None, **sent: Any) -> Any:
        return self.ask(method, path, query, **sent).json()

    def _text(self, method: str, path: str, query: Query | None = None, **sent: Any) -> str:
        return self.ask(method, path, query, **sent).text

    def _content(self, method: str, path: str, query: Query | None = None, **sent: Any) -> bytes:
        return self.ask(method, path, query, **sent).content


class AsyncAsking:
    """The same, to be awaited."""

    def __init__(self, url: str, *, key: str | None = None, timeout: float = 10.0, retries: int = 3) -> None:
        self._http = httpx.AsyncClient(**_options(url, key, timeout))
        self._attempts = Attempts(retries)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close its connections."""
        await self._http.aclose()

    async def ask(self, method: str, path: str, query: Query | None = None, **sent: Any) -> httpx.Response:
        """Any request, also for other formats than JSON, such as a tree as SVG. See `Sent` for what may go with it."""
        request = Sent(**sent).request(method, path, query)
        for tried in count():
            outcome: Outcome
            try:
                outcome = await self._http.request(**request)
            except httpx.TransportError as error:
                outcome = error
            settled = self._attempts.settle(outcome, tried, method)
            if isinstance(settled, httpx.Response):
                return settled
            await asyncio.sleep(settled)
        raise AssertionError

    async def _json(self, method: str, path: str, query: Query | None = None, **sent: Any) -> Any:
        return (await self.ask(method, path, query, **sent)).json()

    async def _text(self, method: str, path: str, query: Query | None = None, **sent: Any) -> str:
        return (await self.ask(method, path, query, **sent)).text

    async def _content(self, method: str, path: str, query: Query | None = None, **sent: Any) -> bytes:
        return (await self.ask(method, path, query, **sent)).content
