"""gunicorn, configured once for containers, tests and `cotag up` alike."""

import logging
from pathlib import Path
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.config import Config
from gunicorn.glogging import Logger

from service.app import application
from service.settings import ServiceSettings


class PassingLogger(Logger):
    """gunicorn's records go to the root logger, which the command line has set up."""

    loglevel = logging.INFO

    def setup(self, cfg: Config) -> None:  # noqa: ARG002 - gunicorn's signature
        """Called by gunicorn; adds no handlers of its own."""
        self.error_log.propagate = True


def options(settings: ServiceSettings) -> dict[str, Any]:
    """Gunicorn's settings."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return {
        "bind": f"{host}:{settings.port}",
        "workers": settings.web_workers,
        "threads": settings.web_threads,
        "worker_class": "gthread",
        "timeout": 30,
        "graceful_timeout": 3,
        "keepalive": 5,
        # Heartbeat files on a disk that stalls would make gunicorn kill healthy processes.
        "worker_tmp_dir": "/dev/shm" if Path("/dev/shm").is_dir() else None,  # noqa: S108 - names only a directory
        "control_socket_disable": True,
        "logger_class": PassingLogger,
    }


class Server(BaseApplication):
    """gunicorn with the options above, run in this process."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        super().__init__()

    def load_config(self) -> None:
        """Called by gunicorn."""
        for name, value in options(self._settings).items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Called by gunicorn in each of its processes, so that each has its own shelf."""
        return application()
