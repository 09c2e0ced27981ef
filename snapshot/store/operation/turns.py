"""The turn of every corpus in the store, and the one step that takes a turn and queues its run."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from redis import Redis
from redis.exceptions import WatchError

from snapshot.store import keys
from snapshot.store.operation.queue import enqueue
from snapshot.store.operation.status import REMEMBERED_SECONDS
from snapshot.store.records import RecordReader, RunRequest, RunStatus, Turn, encode_record
from snapshot.store.snapshots import read_strings

if TYPE_CHECKING:
    from redis.client import Pipeline


@dataclass(frozen=True)
class Standing:
    """What decides whether a corpus is due, as read for all corpora together."""

    turn: Turn | None
    status: RunStatus | None
    paused: bool
    locked: bool


class Turns:
    """When each corpus was queued last, and why. Schedulers on several machines share them."""

    def __init__(self, redis: Redis, count_bad_record: Callable[[str], None]) -> None:
        self._redis = redis
        self._records = RecordReader(count_bad_record)

    def standings(self, corpora: Sequence[str]) -> dict[str, Standing]:
        """Where each corpus stands, read in one command. Only `watch` tells whether it is still so."""
        kinds = (keys.schedule, keys.run, keys.paused, keys.lock)
        stored = read_strings(self._redis, [key(corpus) for corpus in corpora for key in kinds])
        return {
            corpus: Standing(
                self._records.read_again(Turn, schedule := keys.schedule(corpus), stored[schedule]),
                self._records.read_again(RunStatus, run := keys.run(corpus), stored[run]),
                paused=stored[keys.paused(corpus)] is not None,
                locked=stored[keys.lock(corpus)] is not None,
            )
            for corpus in corpora
        }

    def decode(self, corpus: str, raw: bytes | None) -> Turn | None:
        """A turn as stored; None, counted and logged, if it makes no sense."""
        return self._records.read(Turn, keys.schedule(corpus), raw)

    def forget(self, corpora: list[str]) -> None:
        """Delete the turns of some corpora, so that each is due at once."""
        self._redis.delete(*map(keys.schedule, corpora))

    @contextmanager
    def watch(self, corpus: str, *, requests: bool = False) -> Iterator["WatchedTurn"]:
        """The turn of a corpus, watched: taking it fails if another scheduler takes it, or a request, meanwhile."""
        with self._redis.pipeline() as pipe:
            pipe.watch(keys.schedule(corpus), *([keys.REQUESTS] if requests else []))
            yield WatchedTurn(self, pipe, corpus)


class WatchedTurn:
    """The turn of one corpus while a scheduler decides whether to take it."""

    def __init__(self, turns: Turns, pipe: "Pipeline", corpus: str) -> None:
        self._turns = turns
        self._pipe = pipe
        self._corpus = corpus

    def read(self) -> Turn | None:
        """The last turn."""
        return self._turns.decode(self._corpus, cast("bytes | None", self._pipe.get(keys.schedule(self._corpus))))

    def is_requested(self, raw: bytes) -> bool:
        """Whether a request, as stored, still waits."""
        return raw in cast("list[bytes]", self._pipe.lrange(keys.REQUESTS, 0, -1))

    def take(self, turn: Turn, request: RunRequest, status: RunStatus, *, requested: bytes | None = None) -> bool:
        """Write turn, status and run, and take the request off its list, in one step; False if another was faster."""
        pipe = self._pipe
        pipe.multi()
        if requested is not None:
            pipe.lrem(keys.REQUESTS, 1, cast("Any", requested))
        pipe.set(keys.schedule(self._corpus), encode_record(turn))
        pipe.set(keys.run(self._corpus), encode_record(status))
        pipe.set(keys.job(request.job), encode_record(status), ex=REMEMBERED_SECONDS)
        enqueue(pipe, request)
        try:
            pipe.execute()
        except WatchError:
            return False
        return True
