"""The living workers and schedulers, as their heartbeats tell."""

from dataclasses import dataclass
from typing import Literal

from snapshot import ENDED, EXPIRY_SECONDS, Heartbeat, RunStatus

Progress = Literal["clustering", "queued", "interrupted", "no-worker"]


@dataclass(frozen=True)
class Parts:
    """The workers and schedulers that wrote a heartbeat lately."""

    heartbeats: tuple[Heartbeat, ...] = ()

    @property
    def workers(self) -> list[Heartbeat]:
        """The living workers."""
        return [heartbeat for heartbeat in self.heartbeats if heartbeat.part == "worker"]

    @property
    def schedulers(self) -> list[Heartbeat]:
        """The living schedulers."""
        return [heartbeat for heartbeat in self.heartbeats if heartbeat.part == "scheduler"]

    def progress(self, run: RunStatus | None, now: float) -> Progress | None:
        """How far a run is; None if there is none, or if it has ended.

        A worker's heartbeat names the job that it runs. A status that was written lately is a sign of life, too: that
        of a run which has just begun.
        """
        if run is None or run.state in ENDED:
            return None
        alive = any(worker.job == run.job for worker in self.workers) or abs(now - run.updated) < EXPIRY_SECONDS
        if run.state == "running" and alive:
            return "clustering"
        if not self.workers:
            return "no-worker"
        return "queued" if run.state == "queued" else "interrupted"
