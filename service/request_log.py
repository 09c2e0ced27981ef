"""One log line for every request."""

import atexit
import os
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

import orjson
import structlog

from service.settings import ServiceSettings

FLUSH_SECONDS: Final = 0.2

log = structlog.get_logger()

Note = Callable[[dict[str, Any]], None]


def told(fields: dict[str, Any]) -> None:
    """One request, through the log that the command line has set up."""
    log.info("request", **fields)


class JsonLines:
    """The same as JSON lines to standard output, several at a time, a fraction of a second later.

    It costs a tenth; a write would also release the interpreter lock, which every request would then wait for.
    """

    def __init__(self, descriptor: int = 1) -> None:
        self._descriptor = descriptor
        self._lines: list[bytes] = []
        threading.Thread(target=self._run, name="log", daemon=True).start()
        atexit.register(self.flush)

    def __call__(self, fields: dict[str, Any]) -> None:
        """One request."""
        fields |= {"event": "request", "level": "info", "timestamp": datetime.now(UTC).isoformat(), "part": "service"}
        self._lines.append(orjson.dumps(fields))

    def flush(self) -> None:
        """Write what is waiting."""
        lines, self._lines = self._lines, []
        if lines:
            os.write(self._descriptor, b"\n".join([*lines, b""]))

    def _run(self) -> None:
        while True:
            time.sleep(FLUSH_SECONDS)
            self.flush()


def unsaid(fields: dict[str, Any]) -> None:
    """Discard a request, because the log level excludes requests."""


def note_for(settings: ServiceSettings) -> Note:
    """How requests are logged under these settings."""
    if settings.log_level in {"warning", "error"}:
        return unsaid
    return JsonLines() if settings.log_format == "json" else told
