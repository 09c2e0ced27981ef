"""Runs Flask in bounded pools of threads, for requests that may take too long for the event loop."""

import asyncio
import io
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from service.errors import TooBusy
from service.http import HttpResponse, Request, joined

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

WAITING: Final = 128
"""Requests that may wait for a thread of one pool; more are refused at once."""

REQUEST_KEY: Final = "cotag.request"
"""Key of the WSGI environment: the request, if the event loop has let it pass already."""


class Pool:
    """A few threads, and a bounded line of requests in front of them. Only the event loop calls it."""

    def __init__(self, name: str, threads: int) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._places = threads + WAITING

    async def run(self, work: Callable[..., HttpResponse], *arguments: Any) -> HttpResponse:
        """The result of some work, done by one of the threads; raises TooBusy if too many wait already."""
        if not self._places:
            raise TooBusy("too many requests of this kind are waiting; come back a little later")
        self._places -= 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work, *arguments)
        finally:
            self._places += 1


def call_wsgi(app: Wsgi, environ: dict[str, Any]) -> HttpResponse:
    """The complete response of a WSGI application."""
    response = HttpResponse(500, {}, b"")

    def start_response(status: str, headers: list[tuple[str, str]], _: Any = None) -> Callable[[bytes], None]:
        response.status, response.headers = int(status[:3]), joined(headers)
        return lambda _: None

    parts = app(environ, start_response)
    try:
        response.body = b"".join(parts)
    finally:
        close = getattr(parts, "close", None)
        if close is not None:
            close()
    return response


def wsgi_environ(scope: dict[str, Any], request: Request, body: bytes, length: int) -> dict[str, Any]:
    """A request of the event loop as WSGI (PEP 3333); `length` is that of the whole body, which may be cut off."""
    host, port = scope["server"] or ("", None)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": request.query,
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": host,
        "SERVER_PORT": str(port or ""),
        "REMOTE_ADDR": request.peer,
        "CONTENT_LENGTH": str(length),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        REQUEST_KEY: request,
    }
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").upper(), raw_value.decode("latin-1")
        # A name with an underscore could pose as another header; the body is here, whatever its transfer coding was.
        if "_" in name or name in {"CONTENT-LENGTH", "TRANSFER-ENCODING"}:
            continue
        key = "CONTENT_TYPE" if name == "CONTENT-TYPE" else f"HTTP_{name.replace('-', '_')}"
        environ[key] = f"{environ[key]},{value}" if key in environ else value
    return environ
