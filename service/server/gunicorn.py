"""Runs gunicorn, with one configuration for containers, tests and `cotag up`."""

import atexit
import logging
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from gunicorn.app.base import BaseApplication
from gunicorn.config import Config
from gunicorn.glogging import Logger

from runtime.log_writer import LogWriter
from service.server.private_folder import private_folder
from service.settings import ServiceSettings
from snapshot import SettingsError

METRICS_FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""prometheus_client reads this variable at its first import, so nothing here imports it before."""


BLAS_THREADS: Final = "OPENBLAS_NUM_THREADS"
"""numpy's linear algebra reads this variable when numpy is loaded."""

GRACE_SECONDS: Final = 4
"""A process that is told to end may take this long; the requests under way get a second less."""


def use_one_blas_thread() -> None:
    """Start this program anew with one thread for linear algebra, unless the environment says how many.

    The products of a cloud are so small that several threads only cost processor time.
    """
    if BLAS_THREADS not in os.environ:
        os.environ[BLAS_THREADS] = "1"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - the very same command


def require_socket(number: int | None) -> None:
    """SettingsError if a number is not that of an open socket. Gunicorn takes it over, so only its start can tell."""
    try:
        is_socket = number is None or stat.S_ISSOCK(os.fstat(number).st_mode)
    except OSError:
        is_socket = False
    if not is_socket:
        raise SettingsError(f"COTAG_LISTEN_FD={number}: this is not the number of an open socket")


class PassingLogger(Logger):
    """Passes gunicorn's records to the root logger, which the command line sets up."""

    loglevel = logging.INFO

    def setup(self, cfg: Config) -> None:  # noqa: ARG002 - gunicorn's signature
        """Called by gunicorn; adds no handlers of its own."""
        self.error_log.propagate = True


def options(settings: ServiceSettings) -> dict[str, Any]:
    """Gunicorn's settings."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return {
        "bind": f"{host}:{settings.port}" if settings.listen_fd is None else f"fd://{settings.listen_fd}",
        "workers": settings.web_workers,
        "worker_class": "service.server.event_loop.EventLoopWorker",
        "timeout": 30,
        "graceful_timeout": GRACE_SECONDS,
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

    _document_folder: Path

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

        return application(self._writer, self._document_folder)

    def run(self) -> None:
        """Serve until a signal ends it."""
        require_socket(self._settings.listen_fd)
        share_metrics()
        self._document_folder = self._settings.cache_dir or private_folder()
        super().run()
