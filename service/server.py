"""Runs gunicorn, with one configuration for containers, tests and `cotag up`."""

import atexit
import logging
import os
import shutil
import socket
import struct
import sys
import tempfile
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import orjson
from gunicorn.app.base import BaseApplication
from gunicorn.config import Config
from gunicorn.glogging import Logger
from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine, ParseException
from gunicorn.workers.gthread import ThreadWorker

from service.settings import ServiceSettings
from snapshot.log_writer import LogWriter

METRICS_FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""prometheus_client reads this variable at its first import, so nothing here imports it before."""

READ_SECONDS: Final = 10
"""If a client sends nothing for this long within a request, the server closes the connection."""

LONGEST_LINE: Final = 8190
"""Bytes; a query of 500 characters may take 6,000 when encoded."""


class PassingLogger(Logger):
    """Passes gunicorn's records to the root logger, which the command line sets up."""

    loglevel = logging.INFO

    def setup(self, cfg: Config) -> None:  # noqa: ARG002 - gunicorn's signature
        """Called by gunicorn; adds no handlers of its own."""
        self.error_log.propagate = True

    def exception(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        """Log a client that stopped sending at debug level, everything else as an error."""
        if isinstance(sys.exc_info()[1], BlockingIOError):
            self.debug("a client stopped sending")
        else:
            super().exception(msg, *args, **kwargs)


class Worker(ThreadWorker):
    """A threaded worker that limits how long clients may be slow, and refuses requests with problem+json."""

    def init_process(self) -> None:
        """Accepted connections inherit the time limit of the listening socket."""
        for listener in self.sockets:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", READ_SECONDS, 0))
        super().init_process()

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:  # noqa: ARG002 - gunicorn's
        """Refuse a request that never reaches the application; log it without the client's address."""
        status = refusal(exc)
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            self.log.error("unexpected error outside the application", exc_info=exc)
        else:
            self.log.info("refused: %s", type(exc).__name__)
        body = orjson.dumps(
            {"type": "about:blank", "title": status.phrase, "status": status.value, "detail": "this is not a request"}
        )
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\nConnection: close\r\n"
            f"Content-Type: application/problem+json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        try:
            client.sendall(head.encode() + body)
        except OSError:
            self.log.debug("a refused client is gone")


def refusal(error: BaseException) -> HTTPStatus:
    """The status for a request that cannot be parsed."""
    if isinstance(error, LimitRequestLine):
        return HTTPStatus.REQUEST_URI_TOO_LONG
    if isinstance(error, LimitRequestHeaders):
        return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
    return HTTPStatus.BAD_REQUEST if isinstance(error, ParseException) else HTTPStatus.INTERNAL_SERVER_ERROR


def options(settings: ServiceSettings) -> dict[str, Any]:
    """Gunicorn's settings."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return {
        "bind": f"{host}:{settings.port}",
        "workers": settings.web_workers,
        "threads": settings.web_threads,
        "worker_class": Worker,
        "timeout": 30,
        "graceful_timeout": 3,
        "keepalive": 5,
        "limit_request_line": LONGEST_LINE,
        # Only the application trusts proxies, if the settings name any.
        "forwarded_allow_ips": "",
        # Heartbeat files on a disk that stalls would make gunicorn kill healthy processes.
        "worker_tmp_dir": "/dev/shm" if Path("/dev/shm").is_dir() else None,  # noqa: S108 - names only a directory
        "control_socket_disable": True,
        "logger_class": PassingLogger,
        "child_exit": drop_gauges,
    }


def drop_gauges(_: Any, worker: Any) -> None:
    """Remove the gauges of a process that has ended from the metrics; its counters stay."""
    from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415 - reads METRICS_FOLDER

    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def share_metrics() -> None:
    """Make a private folder where the processes of this server write their metrics; remove it at the end."""
    folder = tempfile.mkdtemp(prefix="cotag-metrics-")
    os.environ[METRICS_FOLDER] = folder
    owner = os.getpid()
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == owner else None)


class Server(BaseApplication):
    """gunicorn with the options above, run in this process."""

    def __init__(self, settings: ServiceSettings, writer: LogWriter) -> None:
        self._settings = settings
        self._writer = writer
        super().__init__()

    def load_config(self) -> None:
        """Called by gunicorn."""
        for name, value in options(self._settings).items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Called by gunicorn in each of its processes, so that each has its own snapshots."""
        from service.app import application  # noqa: PLC0415 - reads METRICS_FOLDER

        return application(self._writer)

    def run(self) -> None:
        """Serve until a signal ends it."""
        share_metrics()
        super().run()
