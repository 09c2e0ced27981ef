"""Reports the progress of a run to its worker and to the log."""

import time
from collections.abc import Mapping
from typing import Any, Final

from worker.runs.process import Send

REPORT_SECONDS: Final = 0.25
"""Progress within a stage is reported at most this often."""


class Progress:
    """Sends the progress of a run to its worker, with the seconds that each stage took so far."""

    def __init__(self, send: Send, timings: Mapping[str, float], logger: Any) -> None:
        self._send = send
        self._timings = timings
        self._logger = logger
        self._stage = ""
        self._sent = 0.0
        self._logged = 0

    def report(self, stage: str, done: int, total: int) -> None:
        """Send a new stage at once, and progress within it from time to time."""
        now = time.monotonic()
        entered, self._stage = stage != self._stage, stage
        if entered or done == total or now - self._sent >= REPORT_SECONDS:
            self._sent = now
            self._send({"stage": stage, "done": done, "total": total, "timings": self._timings})
        tenths = 10 * done // max(total, 1)
        if entered:
            self._logged = tenths
            self._logger.info(stage)
        elif tenths > self._logged and total > 10:
            self._logged = tenths
            self._logger.info(stage, percent=10 * tenths)
