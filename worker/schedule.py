"""When a corpus is due, and the loop that asks for runs.

A run is claimed and put on the queue in one Redis transaction, so any number of schedulers ask for it once.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event
from typing import Final, cast

import orjson
import structlog
from redis import Redis
from redis.exceptions import RedisError, WatchError

from snapshot import RunStatus, StatusBoard, StoreUnavailable, keys, new_job_id
from worker.corpora import Corpus, read_corpora
from worker.errors import CorpusError
from worker.exclusive import LEASE_SECONDS
from worker.queue import enqueue, job_queue

TICK_SECONDS: Final = 1.0
GRACE_SECONDS: Final = LEASE_SECONDS
"""A queued or running job that shows no sign of life for this long has died with its worker."""

MAX_INTERRUPTIONS: Final = 3
"""How often a run that died is started again before its next regular turn."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Turn:
    """The last time a corpus had its turn: when, as declared how, and how often that run died since."""

    at: float
    digest: str
    interruptions: int = 0


def due(corpus: Corpus, turn: Turn | None, died: bool, now: float) -> str | None:
    """Why the corpus should be run now, or None. Turns missed while nothing ran collapse into one."""
    if turn is None:
        return "first run"
    if turn.digest != corpus.digest():
        return "declaration changed"
    if now >= corpus.next_after(turn.at):
        return f"schedule {corpus.schedule}"
    if died and turn.interruptions < MAX_INTERRUPTIONS:
        return "the last run was interrupted"
    return None


class Scheduler:
    """Looks every second which corpora are due."""

    def __init__(self, redis: Redis, corpora: Path, clock: Callable[[], float] = time.time) -> None:
        self._redis = redis
        self._board = StatusBoard(redis)
        self._queue = job_queue(redis)
        self._clock = clock
        self._path = corpora
        self._declared: dict[str, Corpus] = read_corpora(corpora)
        self._stamp = corpora.stat().st_mtime_ns

    def run(self, stop: Event) -> None:
        """Tick until told to stop; a store that is away is waited for."""
        away = False
        while not stop.wait(TICK_SECONDS):
            try:
                self.tick()
                away = False
            except (StoreUnavailable, RedisError) as error:
                if not away:
                    log.warning("the store is away, waiting for it", reason=str(error))
                away = True

    def tick(self) -> list[str]:
        """Ask for every run that is due; returns the corpora asked for."""
        self._reload()
        return [name for name, corpus in self._declared.items() if self._claim(corpus)]

    def _claim(self, corpus: Corpus) -> bool:
        now = self._clock()
        status = self._board.read(corpus.name)
        alive = bool(self._redis.exists(keys.lock(corpus.name)))
        under_way = status is not None and status.state in {"queued", "running"}
        waiting = status is not None and status.state == "queued" and status.job in self._queue.get_job_ids()
        fresh = status is not None and now - status.updated < GRACE_SECONDS
        if alive or (under_way and (waiting or fresh)):
            return False
        with self._redis.pipeline() as pipe:
            try:
                pipe.watch(keys.schedule(corpus.name))
                turn = _turn(cast("bytes | None", pipe.get(keys.schedule(corpus.name))))
                reason = due(corpus, turn, under_way, now)
                if reason is None:
                    return False
                repeated = turn is not None and under_way and turn.digest == corpus.digest()
                interruptions = turn.interruptions + 1 if turn is not None and repeated else 0
                job = new_job_id(corpus.name)
                pipe.multi()
                pipe.set(keys.schedule(corpus.name), orjson.dumps(asdict(Turn(now, corpus.digest(), interruptions))))
                pipe.set(keys.run(corpus.name), orjson.dumps(asdict(RunStatus(job, "queued", now, now))))
                enqueue(self._queue, corpus, job, pipe)
                pipe.execute()
            except WatchError:  # another scheduler was faster
                return False
        log.info("queued", corpus=corpus.name, reason=reason)
        return True

    def _reload(self) -> None:
        """Take up a changed corpora file; a broken one is reported once and the old declarations stay."""
        try:
            stamp = self._path.stat().st_mtime_ns
            if stamp == self._stamp:
                return
            self._stamp = stamp
            self._declared = read_corpora(self._path)
            log.info("corpora file taken up", corpora=sorted(self._declared))
        except (CorpusError, OSError) as error:
            log.error("corpora file refused, the old one stays in force", reason=str(error))  # noqa: TRY400


def _turn(value: bytes | None) -> Turn | None:
    return None if value is None else Turn(**orjson.loads(value))
