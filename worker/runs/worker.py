"""The worker: takes runs off the queue and supervises each in a process of its own, through outages of the store."""

import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import structlog

from runtime.alive import AliveFile
from snapshot import RunRequest, RunStatus, StoreUnavailable, connect, translate_errors
from snapshot.store.health.confirmation import confirmation_warning
from snapshot.store.health.eviction import eviction_warning
from snapshot.store.health.reconnection import is_away
from snapshot.store.operation.corpus_lock import CorpusLock
from snapshot.store.operation.heartbeats import Pulse
from worker.corpora.current import Declarations
from worker.runs.claims import Claims
from worker.runs.process import RunProcess, Send
from worker.runs.supervision import SupervisedRun

POLL_SECONDS: Final = 0.25
"""How often a worker looks for a run, or after the run that it supervises."""

AWAY_SECONDS: Final = 1.0
"""Pause between two checks whether the store is back."""

MOST_RUNS: Final = 8
"""Runs of one worker, of which all but one wait for their sources."""

MOST_STOPS: Final = 2
"""The first signal lets the runs under way finish; the second one ends them."""

UNDECLARED_LIMIT: Final = "1m"
"""Time limit of a run that can only fail, because its corpus is not declared."""

T = TypeVar("T")
log = structlog.get_logger()


def work(url: str, corpora: Path, dask: str | None, copies: Path | None) -> None:
    """Run what is on the queue until a signal arrives; after the first a run may finish, a second one stops it."""
    worker = Worker(url, corpora, dask, copies)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: worker.stop())
    worker.work()


class Worker:
    """One run at a time, and beside it others that wait for their sources.

    This process never computes: it has no thread, and no moment when it does not listen.
    """

    def __init__(self, url: str, corpora: Path, dask: str | None = None, copies: Path | None = None) -> None:
        self._url = url
        self._dask = dask
        self._redis = connect(url)
        self._pulse = Pulse(self._redis, "worker")
        self._alive = AliveFile("worker")
        self._claims = Claims(self._redis, self._pulse)
        self._declarations = Declarations(corpora, copies)
        self._runs: list[SupervisedRun] = []
        self._stops = 0
        self._away = False
        self._warned = False

    def stop(self) -> None:
        """End after the run under way; called again, end at once."""
        self._stops += 1

    def work(self) -> None:
        """Run what is on the queue until told to stop.

        Raises:
            StoreUnavailable: the store refuses the worker for good.
        """
        self._declarations.refresh()
        try:
            while not self._stops:
                if self._has_room():
                    claim = self._ask_store(self._look_for_run)
                    if claim is not None:
                        self._start(*claim)
                self._settle()
                self._wait()
            self._finish()
        finally:
            self._close(self._runs)
        self._alive.remove()
        with suppress(StoreUnavailable):
            self._pulse.end()

    def run(self, request: RunRequest, lock: CorpusLock) -> None:
        """Supervise a run until it has ended and the store knows."""
        self._start(request, lock)
        try:
            while self._runs and self._stops < MOST_STOPS:
                self._settle()
                self._wait()
        finally:
            self._close(self._runs)

    def _start(self, request: RunRequest, lock: CorpusLock) -> None:
        self._declarations.refresh()  # here, so that the process inherits the last good ones
        declared = self._declarations.corpora.get(request.corpus)
        now = time.time()
        run = SupervisedRun(
            self._redis,
            RunStatus(request.job, "running", now, now, request.corpus, fresh=request.fresh),
            lock,
            RunProcess(partial(self._compute, request)),
            time_limit=declared.time_limit if declared else UNDECLARED_LIMIT,
            source_timeout=declared.source_timeout if declared else UNDECLARED_LIMIT,
            declared=declared,
        )
        self._runs.append(run)

    def _has_room(self) -> bool:
        """Whether another run may begin: all that are under way wait for their sources, and they are not many."""
        return len(self._runs) < MOST_RUNS and all(run.waits_for_source for run in self._runs)

    def _finish(self) -> None:
        """Supervise what is under way until it has ended, or until told again to stop."""
        if self._runs:
            log.info("ending after this run; a second signal ends it at once")
        while self._runs and self._stops < MOST_STOPS:
            self._settle()
            self._close([run for run in self._runs if run.ended])  # without the store, if that is away
            self._wait()

    def _settle(self) -> None:
        """Do for every run what needs the store."""
        for run in list(self._runs):
            if self._ask_store(partial(self._look_after, run)):
                self._close([run])

    def _wait(self) -> None:
        """Take in what the runs report, for a moment."""
        busy = [run for run in self._runs if not run.ended]
        for run in busy:
            run.follow(POLL_SECONDS / len(busy))
        if not busy:
            time.sleep(AWAY_SECONDS if self._away else POLL_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311

    def _close(self, runs: list[SupervisedRun]) -> None:
        for run in list(runs):
            run.close()
            self._runs.remove(run)

    def _look_for_run(self) -> tuple[RunRequest, CorpusLock] | None:
        self._pulse.beat(self._runs[-1].job if self._runs else "")
        if not self._warned:
            for remark in filter(None, (eviction_warning(self._redis), confirmation_warning(self._redis))):
                log.warning(remark)
            self._warned = True
        return self._claims.next()

    def _look_after(self, run: SupervisedRun) -> bool:
        self._pulse.beat()
        return run.settle()

    def _ask_store(self, action: Callable[[], T]) -> T | None:
        """What an action on the store returns; None while the store is away, or takes no writes, which is logged."""
        self._alive.touch()
        try:
            with translate_errors():
                result = action()
        except StoreUnavailable as error:
            if not is_away(error):
                raise
            if not self._away:
                log.warning("the store is away, waiting for it", reason=str(error))
            self._away = True
            return None
        if self._away:
            log.info("the store is back")
        self._away = False
        return result

    def _compute(self, request: RunRequest, send: Send) -> None:
        """What the process of a run does."""
        from worker.runs.job import recluster  # noqa: PLC0415 - only this process loads the libraries that compute

        recluster(request, self._declarations, self._url, self._dask, send)
