"""Reports the progress of a run."""

from collections.abc import Callable
from typing import Any, Final

from snapshot import RunStatus, StatusBoard

REPORT_SECONDS: Final = 0.25
"""Progress within a stage is written at most this often."""


class Progress:
    """Writes the progress of a run to the status board and the log."""

    def __init__(
        self, board: StatusBoard, corpus: str, status: RunStatus, clock: Callable[[], float], logger: Any
    ) -> None:
        self._board = board
        self._corpus = corpus
        self._status = status
        self._logged = 0
        self.clock = clock
        self.logger = logger

    def report(self, stage: str, done: int, total: int) -> None:
        """Write a new stage at once, and progress within it from time to time."""
        now = self.clock()
        entered = stage != self._status.stage
        if entered or done == total or abs(now - self._status.updated) >= REPORT_SECONDS:
            self._status = self._status.at(now, stage=stage, done=done, total=total)
            self._board.write(self._corpus, self._status)
        tenths = 10 * done // max(total, 1)
        if entered:
            self._logged = tenths
            self.logger.info(stage)
        elif tenths > self._logged and total > 10:
            self._logged = tenths
            self.logger.info(stage, percent=10 * tenths)

    def end(self, **outcome: object) -> None:
        """Write how the run ended."""
        self._status = self._status.at(self.clock(), **outcome)
        self._board.write(self._corpus, self._status)
