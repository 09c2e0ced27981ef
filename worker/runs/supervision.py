"""Supervises one run: its lock, its status in the store, cancellation and time limit. The run itself needs none."""

import time
from typing import Any, Final

import structlog
from redis import Redis

from snapshot import RunStatus, StatusBoard
from snapshot.store.operation.corpus_lock import RENEW_SECONDS, CorpusLock
from worker.corpora.declaration import Corpus
from worker.corpora.schedules import seconds
from worker.runs.outcome import record_outcome
from worker.runs.process import RunProcess

READING: Final = ("", "load")
"""Stages of a run that wait for its source."""

WAITING_SECONDS: Final = 5.0
"""A run that has read nothing for so long waits for its source: its worker may begin another one."""

LOOK_SECONDS: Final = 0.5
COMPUTING: Final = 0.05
"""The share of a core from which on a process computes."""

log = structlog.get_logger()


class SupervisedRun:
    """A run in a process of its own. Killing the process at any point loses only what it has not published."""

    def __init__(
        self,
        redis: Redis,
        status: RunStatus,
        lock: CorpusLock,
        process: RunProcess,
        *,
        time_limit: str,
        source_timeout: str = "10m",
        declared: Corpus | None = None,
    ) -> None:
        self._redis = redis
        self._board = StatusBoard(redis)
        self._status = status
        self._lock = lock
        self._process = process
        self._time_limit = time_limit
        self._declared = declared
        self._deadline = time.monotonic() + seconds(time_limit)
        self._source_timeout = source_timeout
        self._heard = self._looked = time.monotonic()
        self._processor = 0.0
        self._next_renewal = time.monotonic() + RENEW_SECONDS
        self._timings: dict[str, float] = {}
        self._outcome: dict[str, Any] | None = None
        self._unwritten = True
        self._lost_lock = False
        self._logger = log.bind(corpus=status.corpus, job=status.job)

    @property
    def ended(self) -> bool:
        """Whether the run has ended, perhaps without the store's knowledge."""
        return self._outcome is not None

    @property
    def waits_for_source(self) -> bool:
        """Whether it computes nothing, because its source is silent."""
        reads = self._outcome is None and self._status.stage in READING
        return reads and self._silent_seconds > WAITING_SECONDS

    @property
    def job(self) -> str:
        """Its id."""
        return self._status.job

    def follow(self, wait: float) -> None:
        """Take in what the process reports, waiting for it at most so many seconds; stop it if its time is over."""
        for message in self._process.receive(wait):
            self._take_in(message)
        self._look_at_processor()
        if self._outcome is None and self._process.exit_code is not None:
            self._stop(state="failed", error=_unexpected_end(self._process.exit_code), transient=True)
        if self._outcome is None and time.monotonic() > self._deadline:
            limit = f"stopped because it took longer than its time_limit of {self._time_limit}"
            self._stop(state="failed", error=limit)
        if (
            self._outcome is None
            and self._status.stage in READING
            and self._silent_seconds > seconds(self._source_timeout)
        ):
            silence = f"SourceUnavailable: the source gave nothing for {self._source_timeout} (source_timeout)"
            self._stop(state="failed", error=silence, transient=True)

    @property
    def _silent_seconds(self) -> float:
        """Since the process last reported progress, or was seen to compute."""
        return time.monotonic() - self._heard

    def _look_at_processor(self) -> None:
        """A process that computes is not silent, although it has nothing to report."""
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS or self._outcome is not None:
            return
        used = self._process.processor_seconds()
        if used - self._processor > COMPUTING * (now - self._looked):
            self._heard = now
        self._looked, self._processor = now, used

    def settle(self) -> bool:
        """Do what needs the store: renew the lock, obey a cancellation, write the status; whether all is done.

        Raises:
            StoreUnavailable: do it again when the store is back.
        """
        if time.monotonic() >= self._next_renewal:
            self._lost_lock = not self._lock.renew()
            self._next_renewal = time.monotonic() + RENEW_SECONDS
            if self._lost_lock and self._outcome is None:
                self._stop(state="cancelled", error=f"another run of {self._status.corpus} is under way")
        if self._outcome is None and self._board.cancelled(self._status.job):
            self._stop(state="cancelled")
        if self._unwritten or self._outcome is not None:
            self._write()
        if self._outcome is None:
            return False
        record_outcome(self._redis, self._status.corpus, self._status, self._timings, self._declared)
        return True

    def close(self) -> None:
        """Kill what is left of the process, and release the lock. A run that has not ended counts as interrupted."""
        self._process.kill()
        self._lock.release()

    def _take_in(self, message: dict[str, Any]) -> None:
        self._heard = time.monotonic()
        self._timings = message.pop("timings")
        self._outcome = message.pop("outcome", None)
        self._status = self._status.at(time.time(), **message, **(self._outcome or {}))
        self._unwritten = True

    def _stop(self, **outcome: Any) -> None:
        self._process.kill()
        self._take_in({"timings": self._timings, "outcome": outcome})
        self._logger.warning(outcome["state"], reason=outcome.get("error", "somebody cancelled it"))

    def _write(self) -> None:
        """Write the status; that of the corpus is another run's if the lock is."""
        if self._lost_lock:
            self._board.write_job(self._status)
        else:
            self._board.write(self._status.corpus, self._status)
        self._unwritten = False


def _unexpected_end(exit_code: int) -> str:
    how = f"was killed by signal {-exit_code}" if exit_code < 0 else f"ended with exit code {exit_code}"
    return f"the process of the run {how}"
