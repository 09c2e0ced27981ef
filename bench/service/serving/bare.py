"""A bare function that answers with constant bytes, under each server that could carry the service.

python -m bench.service.serving.bare uvicorn      # two processes on COTAG_PORT; BENCH_SIZES says how large answers are
"""

import os
import sys
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

import orjson
from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from uvicorn_worker import UvicornWorker  # type: ignore[import-untyped]

from bench.service.serving.hosting import Hosted

SIZES: Final = "BENCH_SIZES"
"""JSON: how large the answers are, by the last part of the path."""

SIZE: Final = 3000
"""Bytes of an answer whose path is not listed."""

JSON: Final = "application/json"
TEXT: Final = "text/plain"

COUNTED: Final = Counter("bench_counted", "Requests for /counted")
PROCESSES: Final = Gauge("bench_processes", "Processes that answered /counted", multiprocess_mode="livesum")

Message = dict[str, Any]


def _body(size: int) -> bytes:
    return orjson.dumps({"body": "x" * (size - 11)})


BODIES: Final = {path: _body(size) for path, size in orjson.loads(os.environ.get(SIZES, "{}")).items()}
BODY: Final = _body(SIZE)


def answer(path: str) -> tuple[bytes, str]:
    """The body for a path, and its type."""
    name = path.rpartition("/")[2]
    if name == "counted":
        COUNTED.inc()
        PROCESSES.set(1)
    elif name == "metrics":
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry), TEXT
    return BODIES.get(name, BODY), JSON


def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The function for servers with threads or greenlets."""
    body, kind = answer(environ["PATH_INFO"])
    start_response("200 OK", [("Content-Type", kind), ("Content-Length", str(len(body)))])
    return (body,)


async def asgi(
    scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
) -> None:
    """The function for event loops."""
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    body, kind = answer(scope["path"])
    headers = [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Uvicorn(UvicornWorker):  # type: ignore[misc]
    """uvicorn's worker without what the function does not need."""

    CONFIG_KWARGS: Final = {
        "loop": "uvloop",
        "http": "httptools",
        "ws": "none",
        "lifespan": "off",
        "proxy_headers": False,
        "access_log": False,
    }


WORKERS: Final[dict[str, tuple[str, Any, Any]]] = {
    "gthread": ("gunicorn gthread (today)", "gthread", wsgi),
    "gevent": ("gunicorn gevent", "gevent", wsgi),
    "asgi": ("gunicorn's own ASGI worker", "asgi", asgi),
    "uvicorn": ("uvicorn's worker under gunicorn", Uvicorn, asgi),
}
"""Name → how tables call it, gunicorn's worker class, and the function it runs."""

GRANIAN: Final = [
    "granian",
    *("--interface", "asgi"),
    *("--loop", "uvloop"),
    *("--http", "1"),
    *("--workers", "2"),
    *("--respawn-failed-workers", "--no-ws", "--no-log"),
    "bench.service.serving.bare:asgi",
]
"""Not under gunicorn: its own command, which takes a port."""


def main() -> None:
    """Serve."""
    _, worker, function = WORKERS[sys.argv[1]]
    Hosted(worker, lambda: function).run()


if __name__ == "__main__":
    main()
