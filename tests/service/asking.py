"""Asks the ASGI application in this process, without a server in between."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import unquote

import orjson


@dataclass(frozen=True)
class Answered:
    """What the application sent."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return orjson.loads(self.body)


def scope_of(method, address, headers):
    path, _, query = address.partition("?")
    return {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "server": ("localhost", 80),
        "client": ("127.0.0.1", 50_000),
        "headers": [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()],
    }


async def ask_async(app, address, *, method="GET", headers=None, body=b""):
    """Ask from within an event loop. `body` may be a list of pieces; the client is gone after a piece that is None."""
    pieces = list(body) if isinstance(body, list) else [body]
    sent = []

    async def receive():
        piece = pieces.pop(0)
        if piece is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

    async def send(message):
        sent.append(message)

    await app(scope_of(method, address, headers), receive, send)
    if not sent:
        return None
    start, *parts = sent
    named = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
    return Answered(start["status"], named, b"".join(part["body"] for part in parts))


def run(coroutine):
    """Run a coroutine in a thread of its own: the browser tests keep an event loop in the main one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


def ask(app, address, **options):
    """Ask, and wait for the answer; None if the application sent none."""
    return run(ask_async(app, address, **options))
