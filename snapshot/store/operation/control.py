"""What operators decide and watch beside the snapshots: pauses, pins, waiting requests and notices, last successes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from redis import Redis

from snapshot.errors import WrongType
from snapshot.store import keys
from snapshot.store.records import RecordReader, RunRequest, RunStatus
from snapshot.store.snapshots import translate_errors

if TYPE_CHECKING:
    from redis.client import Pipeline


@dataclass(frozen=True)
class Operating:
    """What the store knows about the operation of all corpora. Times are seconds since the epoch."""

    requested: tuple[float, ...] = ()
    """When each request that waits for the scheduler was made."""

    successes: Mapping[str, float] = field(default_factory=dict)
    """When a run of each corpus last ended well: `done` or `unchanged`."""

    paused: Mapping[str, float] = field(default_factory=dict)
    """Since when the schedules of corpora are paused."""

    pinned: Mapping[str, str] = field(default_factory=dict)
    """The versions that are pinned, by corpus."""

    notices: int = 0
    """How many notices wait to be sent."""


class Control:
    """Pauses and resumes the schedules of corpora, and unpins versions. `SnapshotStore.activate` pins one."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def pause(self, corpus: str, moment: float) -> None:
        """Queue no run of the corpus by itself until it is resumed. Requested runs go on."""
        with translate_errors():
            self._redis.set(keys.paused(corpus), str(moment), nx=True)

    def resume(self, corpus: str) -> None:
        """Run by the schedule again; a turn that was missed is due at once."""
        with translate_errors():
            self._redis.delete(keys.paused(corpus))

    def unpin(self, corpus: str) -> None:
        """Let the next run publish again. The pinned version stays current until then."""
        with translate_errors():
            self._redis.delete(keys.pinned(corpus))

    def paused(self, corpus: str) -> bool:
        """Whether the schedule of the corpus is paused."""
        with translate_errors():
            return bool(self._redis.exists(keys.paused(corpus)))

    def pinned(self, corpus: str) -> str | None:
        """The version that is pinned."""
        return _texts(self._redis, {corpus: keys.pinned(corpus)}).get(corpus)


def read_operating(redis: Redis, records: RecordReader, corpora: Iterable[str]) -> Operating:
    """Read it, for these corpora. What makes no sense is left out."""
    names = list(corpora)
    texts = _texts(redis, {key(name): key(name) for name in names for key in (keys.paused, keys.pinned)})
    paused = {name: texts[keys.paused(name)] for name in names if keys.paused(name) in texts}
    moments = {name: records.read_again(float, keys.paused(name), text.encode()) for name, text in paused.items()}
    try:
        with translate_errors():
            notices = redis.zcard(keys.OUTBOX)
    except WrongType:
        notices = 0
    return Operating(
        requested=_requested(redis, records),
        successes=_successes(redis, records),
        paused={name: moment or 0.0 for name, moment in moments.items()},
        pinned={name: texts[keys.pinned(name)] for name in names if keys.pinned(name) in texts},
        notices=notices,
    )


def add_success(pipe: "Pipeline", corpus: str, moment: float) -> None:
    """Note that a run ended well, when the pipeline is executed."""
    pipe.hset(keys.SUCCESSES, corpus, str(moment))


def _texts(redis: Redis, names: Mapping[str, str]) -> dict[str, str]:
    """The strings that exist under some keys. MGET takes a value of another type for a missing one."""
    if not names:
        return {}
    with translate_errors():
        stored = cast("list[bytes | None]", redis.mget(list(names.values())))
    return {name: raw.decode(errors="replace") for name, raw in zip(names, stored, strict=True) if raw is not None}


def _requested(redis: Redis, records: RecordReader) -> tuple[float, ...]:
    try:
        with translate_errors():
            waiting = cast("list[bytes]", redis.lrange(keys.REQUESTS, 0, -1))
            requests = [records.read(RunRequest, keys.REQUESTS, raw) for raw in waiting]
            jobs = [keys.job(request.job) for request in requests if request is not None]
            statuses = cast("list[bytes | None]", redis.mget(jobs)) if jobs else []
    except WrongType:
        return ()
    found = (records.read(RunStatus, key, raw) for key, raw in zip(jobs, statuses, strict=True))
    return tuple(status.started for status in found if status is not None)


def _successes(redis: Redis, records: RecordReader) -> dict[str, float]:
    try:
        with translate_errors():
            stored = cast("dict[bytes, Any]", redis.hgetall(keys.SUCCESSES))
    except WrongType:
        return {}
    read = (
        (text, records.read_again(float, f"{keys.SUCCESSES} {text}", raw))
        for text, raw in ((name.decode(), raw) for name, raw in stored.items())
    )
    return {name: moment for name, moment in read if moment is not None}
