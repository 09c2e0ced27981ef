"""gunicorn for the contestants of a measurement, with the limits of the service."""

import os
from collections.abc import Callable
from typing import Any, Final

from gunicorn.app.base import BaseApplication
from prometheus_client.multiprocess import mark_process_dead

THREADS: Final = 8
"""Of a process with threads."""


class Hosted(BaseApplication):
    """An application under one of gunicorn's workers, two processes on COTAG_PORT."""

    def __init__(self, worker: Any, load: Callable[[], Any]) -> None:
        self._worker = worker
        self._load = load
        super().__init__()

    def load_config(self) -> None:
        """Called by gunicorn."""
        options = {
            "bind": f"127.0.0.1:{os.environ['COTAG_PORT']}",
            "workers": 2,
            "threads": THREADS if self._worker == "gthread" else 1,
            "worker_class": self._worker,
            "timeout": 30,
            "graceful_timeout": 3,
            "keepalive": 5,
            "limit_request_line": 8190,
            "control_socket_disable": True,
            "loglevel": "error",
        }
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            options["child_exit"] = lambda _, worker: mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Called by gunicorn in each of its processes."""
        return self._load()
