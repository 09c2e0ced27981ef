"""The scheduler: queues a run of each corpus when it is due or requested.

It claims and queues a run in one Redis transaction, so any number of schedulers queue it once.
"""

import random
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Final

import structlog
from redis import Redis
from redis.exceptions import RedisError

from runtime.alive import AliveFile
from snapshot import (
    CorpusRegister,
    Heartbeats,
    RegisteredCorpus,
    RunRequest,
    RunStatus,
    SnapshotStore,
    StatusBoard,
    StoreUnavailable,
    Turn,
    is_trial,
    new_job_id,
)
from snapshot.store.edits import EditStore
from snapshot.store.operation.control import Control
from snapshot.store.operation.corpus_lock import is_locked
from snapshot.store.operation.counters import count_bad_record
from snapshot.store.operation.heartbeats import Pulse
from snapshot.store.operation.queue import job_queue, requested_runs
from snapshot.store.operation.turns import Standing, Turns, WatchedTurn
from worker.corpora.current import Declarations, registered
from worker.corpora.declaration import Corpus
from worker.corpora.schedules import seconds
from worker.runs.file_watch import files_state, settled

TICK_SECONDS: Final = 1.0
REUNION_SECONDS: Final = 3.0
"""Pause after an outage of the store, in which workers renew their locks: runs without one count as dead."""

SKEW_SECONDS: Final = 60.0
"""By how much the clocks of machines may differ. A turn dated further ahead was claimed with a wrong clock."""

MAX_ATTEMPTS: Final = 3
"""How often to retry a run that died or met a transient fault, before its next regular turn."""

BACK_OFF_SECONDS: Final = 5.0
"""Pause before the first retry after a transient fault; doubles each time."""

log = structlog.get_logger()


def next_turn(corpus: Corpus, turn: Turn) -> float:
    """When the corpus is due after a turn, in seconds since the epoch."""
    return corpus.next_after(turn.at) + turn.draw * seconds(corpus.jitter)


def due(corpus: Corpus, turn: Turn | None, status: RunStatus | None, now: float) -> str | None:
    """Why the corpus should be run now, or None. Turns missed while nothing ran collapse into one.

    `status` is that of the last run. No run is under way, so if it is `queued` or `running`, the run has died. A corpus
    that runs only when asked is due only to retry what was asked for.
    """
    if turn is None:
        return None if corpus.manual else "first run"
    if turn.digest != corpus.digest() and not corpus.manual:
        return "declaration changed"
    if (state := files_state(corpus)) and state != turn.files and settled(corpus, now):
        return "documents changed"
    if now >= next_turn(corpus, turn):
        return f"schedule {corpus.schedule}"
    if turn.at > now + SKEW_SECONDS:
        return "the last turn is dated in the future"
    return None if status is None or turn.attempts >= MAX_ATTEMPTS else retry_reason(turn, status, now)


def retry_reason(turn: Turn, status: RunStatus, now: float) -> str | None:
    """Why to retry the last run now: it died, or the pause after a transient fault is over.

    A status from further ahead than the pause was written with a wrong clock: no reason to wait. A trial is not
    retried: its editor asks again, and a run in its place would publish.
    """
    if is_trial(status.job):
        return None
    if status.state in {"queued", "running"}:
        return "the last run was interrupted"
    if status.transient and abs(now - status.updated) >= BACK_OFF_SECONDS * 2**turn.attempts:
        return f"trying again after {status.error}"
    return None


class Scheduler:
    """Checks every second which corpora are due and which runs are requested."""

    def __init__(
        self,
        redis: Redis,
        corpora: Path,
        clock: Callable[[], float] = time.time,
        draw: Callable[[], float] = random.random,
        *,
        copies: Path | None = None,
    ) -> None:
        self._redis = redis
        self._board = StatusBoard(redis, self._count_bad_record)
        self._register = CorpusRegister(redis, self._count_bad_record)
        self._store = SnapshotStore(redis)
        self._turns = Turns(redis, self._count_bad_record)
        self._control = Control(redis)
        self._heartbeats = Heartbeats(redis)
        self._alive = AliveFile("scheduler")
        self._pulse = Pulse(redis, "scheduler", clock)
        self._requests = requested_runs(redis, self._count_bad_record)
        self._queue = job_queue(redis, self._count_bad_record)
        self._clock = clock
        self._draw = draw
        self._declarations = Declarations(corpora, copies)
        self._edits = EditStore(redis, self._count_bad_record)
        self._declared: dict[str, Corpus] = {}
        self._registered: dict[str, tuple[Corpus, RegisteredCorpus]] = {}

    def run(self, stop: Event) -> None:
        """Tick until `stop` is set; if the store is away, wait for it."""
        away = False
        while not stop.wait(TICK_SECONDS):
            self._alive.touch()
            try:
                if self._pulse.beat():
                    self._heartbeats.forget_dead()
                if away:
                    stop.wait(REUNION_SECONDS)
                self.tick()
                away = False
            except (StoreUnavailable, RedisError) as error:
                if not away:
                    log.warning("the store is away, waiting for it", reason=str(error))
                away = True
        self._alive.remove()
        with suppress(StoreUnavailable):
            self._pulse.end()

    @property
    def corpora(self) -> dict[str, Corpus]:
        """The declarations in force."""
        return self._declarations.corpora

    def tick(self) -> list[str]:
        """Queue every run that is due or requested; returns the names of their corpora."""
        self._declarations.refresh()
        queued = [request.corpus for raw, request in self._requests.read() if self._queue_request(raw, request)]
        standings = self._turns.standings(list(self.corpora))
        waiting = {request.corpus for _, request in self._queue.read()}
        queued += [
            name
            for name, corpus in self.corpora.items()
            if name not in waiting and self._may_be_due(corpus, standings[name]) and self._claim(corpus)
        ]
        self._store.repair_corpora()
        self._update_register(standings | self._turns.standings([name for name in queued if name in standings]))
        self._declare_edits()
        return queued

    def _may_be_due(self, corpus: Corpus, standing: Standing) -> bool:
        """Whether to look closer: nearly always nothing is due, and this was read for all corpora together."""
        if standing.paused or standing.locked:
            return False
        return due(corpus, standing.turn, standing.status, self._clock()) is not None

    def _claim(self, corpus: Corpus) -> bool:
        """Queue a corpus that is due, unless a run of it is under way or another scheduler was faster."""
        now = self._clock()
        if self._control.paused(corpus.name):
            return False
        with self._turns.watch(corpus.name) as watched:
            if self._under_way(corpus):
                return False
            status = self._board.read(corpus.name)
            turn = watched.read()
            reason = due(corpus, turn, status, now)
            if reason is None:
                return False
            fresh_turn = Turn(now, corpus.digest(), 0, self._draw(), files_state(corpus))
            same = turn is not None and (turn.digest, turn.files) == (fresh_turn.digest, fresh_turn.files)
            repeats = turn is not None and same and turn.at <= now + SKEW_SECONDS and now < next_turn(corpus, turn)
            # An attempt belongs to the turn it repeats: the next regular one does not move.
            used = replace(turn, attempts=turn.attempts + 1) if turn and repeats else fresh_turn
            return self._take(watched, used, RunRequest(new_job_id(corpus.name), corpus.name), reason=reason)

    def _queue_request(self, raw: bytes, request: RunRequest) -> bool:
        """Queue a requested run; it waits while another run of the corpus is under way.

        `raw` is the request as stored on the list, perhaps with fields of a newer Cotag.
        """
        corpus = self._declarations.corpora.get(request.corpus)
        now = self._clock()
        if corpus is None or self._board.cancelled(request.job):
            error = "" if corpus else f"no corpus {request.corpus} is declared"
            state = "failed" if corpus is None else "cancelled"
            ended = RunStatus(request.job, state, now, now, request.corpus, error=error)  # type: ignore[arg-type]
            self._board.write_job(ended)
            self._requests.remove(raw)
            return False
        with self._turns.watch(corpus.name, requests=True) as watched:
            if self._under_way(corpus) or not watched.is_requested(raw):
                return False
            turn = Turn(now, corpus.digest(), 0, self._draw(), files_state(corpus))
            if is_trial(request.job):  # it publishes nothing, so the next regular turn does not move
                turn = watched.read() or turn
            return self._take(watched, turn, request, reason="requested", requested=raw)

    def _take(
        self, watched: WatchedTurn, turn: Turn, request: RunRequest, *, reason: str, requested: bytes | None = None
    ) -> bool:
        """Queue a run; False if another scheduler was faster."""
        now = self._clock()
        status = RunStatus(request.job, "queued", now, now, request.corpus, fresh=request.fresh)
        if not watched.take(turn, request, status, requested=requested):
            return False
        log.info("queued", corpus=request.corpus, reason=reason, job=request.job)
        return True

    def _under_way(self, corpus: Corpus) -> bool:
        """Whether a run waits on the queue or has the lock of the corpus.

        Look at the queue first: a worker takes the lock, then takes the run off the queue. Read the status after this:
        a worker writes how a run ended, then releases the lock.
        """
        waits = any(request.corpus == corpus.name for _, request in self._queue.read())
        return waits or is_locked(self._redis, corpus.name)

    def _as_registered(self, corpus: Corpus) -> RegisteredCorpus:
        """What the register says about a corpus, apart from its next run; made once for each declaration."""
        known = self._registered.get(corpus.name)
        if known is None or known[0] is not corpus:
            known = self._registered[corpus.name] = corpus, registered(corpus, 0.0)
        return known[1]

    def _count_bad_record(self, kind: str) -> None:
        count_bad_record(self._redis, kind)

    def _declare_edits(self) -> None:
        """Write the edits of the corpora file to the store, if they changed or the store has lost them."""
        missing = set(self._edits.undeclared(list(self.corpora)))
        for name, corpus in self.corpora.items():
            if self._declared.get(name) is not corpus or name in missing:
                self._edits.declare(name, corpus.edits)
                self._declared[name] = corpus

    def _update_register(self, standings: Mapping[str, Standing]) -> None:
        """Write the declared corpora and their next turns to the register, if they changed."""
        corpora: dict[str, RegisteredCorpus] = {}
        for name, corpus in self._declarations.corpora.items():
            turn = standings[name].turn
            due_at = 0.0 if corpus.manual else next_turn(corpus, turn) if turn else self._clock()
            corpora[name] = replace(self._as_registered(corpus), next_run=due_at)
        known = self._register.read()
        if self._declarations.error is not None:  # what was declared by a part of the file that is broken now
            corpora = {**known, **corpora}
        if corpora != known:
            self._register.write(corpora)
