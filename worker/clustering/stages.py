"""The stages of a run: announces and times them."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

Report = Callable[[str, int, int], None]

STAGE_OF: Final = {
    "transition": "smooth",
    "smoothing": "smooth",
    "micro-clusters": "group",
    "micro-tags": "group",
    "agglomeration": "agglomerate",
    "cut": "cut",
}
"""The stage of the run for each stage of cocluster."""


@dataclass
class Stages:
    """Announces each stage and measures how long it takes."""

    report: Report
    timings: dict[str, float] = field(default_factory=dict)
    current: str = ""
    since: float = 0.0

    def enter(self, stage: str, done: int = 0, total: int = 1) -> None:
        """Report progress within a stage; leaving one for the next ends its measurement."""
        now = time.monotonic()
        if stage != self.current:
            self.close(now)
            self.current, self.since = stage, now
        self.report(stage, done, total)

    def close(self, now: float | None = None) -> None:
        """End the measurement of the current stage."""
        if self.current:
            spent = (time.monotonic() if now is None else now) - self.since
            self.timings[self.current] = round(self.timings.get(self.current, 0.0) + spent, 3)
        self.current = ""
