"""Asks the ASGI application that is served, in this process, without sockets in between."""

import asyncio
import threading
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from urllib.parse import quote_from_bytes, unquote

import orjson
from werkzeug.test import Client


@dataclass(frozen=True)
class Answered:
    """What the application sent."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return orjson.loads(self.body)


def scope_of(method, address, headers, client="127.0.0.1", scheme="http"):
    path, _, query = address.partition("?")
    return {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": scheme,
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode("latin-1"),
        "server": ("localhost", 80),
        "client": (client, 50_000),
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in (headers or {}).items()
        ],
    }


async def ask_scope(app, scope, body=b""):
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

    await app(scope, receive, send)
    if not sent:
        return None
    start, *parts = sent
    named = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
    body = b"".join(part["body"] for part in parts) if scope["method"] != "HEAD" else b""
    return Answered(start["status"], named, body)


async def ask_async(app, address, *, method="GET", headers=None, body=b""):
    return await ask_scope(app, scope_of(method, address, headers), body)


@cache
def loop():
    """One event loop for all tests, in a thread of its own: the browser tests keep another in the main one."""
    made = asyncio.new_event_loop()
    threading.Thread(target=made.run_forever, daemon=True).start()
    return made


def run(coroutine):
    return asyncio.run_coroutine_threadsafe(coroutine, loop()).result()


def ask(app, address, **options):
    """Ask, and wait for the answer; None if the application sent none."""
    return run(ask_async(app, address, **options))


class Served:
    """A gateway as a WSGI application, so that WSGI clients ask what is served: policy, event loop, threads and all."""

    def __init__(self, gateway):
        self.gateway = gateway

    def __call__(self, environ, start_response):
        path = quote_from_bytes(environ["PATH_INFO"].encode("latin-1"), safe="/:%")
        query = environ.get("QUERY_STRING", "")
        headers = {
            key.removeprefix("HTTP_").replace("_", "-"): value
            for key, value in environ.items()
            if key.startswith("HTTP_") or (key in {"CONTENT_TYPE", "CONTENT_LENGTH"} and value)
        }
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        address = f"{path}?{query}" if query else path
        scope = scope_of(environ["REQUEST_METHOD"], address, headers, environ.get("REMOTE_ADDR", ""))
        scope["path"] = environ["PATH_INFO"].encode("latin-1").decode(errors="replace")
        answered = run(ask_scope(self.gateway, scope, body))
        start_response(f"{answered.status} {HTTPStatus(answered.status).phrase}", list(answered.headers.items()))
        return [answered.body]

    def test_client(self):
        return GatewayClient(self)


class GatewayClient(Client):
    """A client of a gateway; `environ_base` is part of every request."""

    def __init__(self, served):
        super().__init__(served)
        self.environ_base = {"REMOTE_ADDR": "127.0.0.1"}

    def open(self, *arguments, environ_base=None, **options):
        return super().open(*arguments, environ_base={**self.environ_base, **(environ_base or {})}, **options)
