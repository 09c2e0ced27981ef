"""Counters over all runs, in the store: workers and schedulers add, the scheduler serves them to Prometheus."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, cast

from redis import Redis

from snapshot.errors import WrongType
from snapshot.store import keys
from snapshot.store.operation.control import add_success
from snapshot.store.snapshots import translate_errors

SEPARATOR: Final = "|"


def count_run(
    redis: Redis,
    corpus: str,
    state: str,
    timings: Mapping[str, float],
    *,
    succeeded: bool = False,
    clock: Callable[[], float] = time.time,
) -> None:
    """Add one run that ended in `state` and the seconds it spent in each stage; note when one succeeded."""
    with translate_errors():
        pipe = redis.pipeline(transaction=True)
        pipe.hincrby(keys.METRICS, SEPARATOR.join(("runs", corpus, state)))
        for stage, seconds in timings.items():
            pipe.hincrbyfloat(keys.METRICS, SEPARATOR.join(("seconds", corpus, stage)), seconds)
        if succeeded:
            add_success(pipe, corpus, clock())
        pipe.execute()


def count_bad_record(redis: Redis, kind: str) -> None:
    """Add one invalid record of the store."""
    with translate_errors():
        redis.hincrby(keys.METRICS, SEPARATOR.join(("bad_records", kind, "")))


def count_notice(redis: Redis, corpus: str, result: str) -> None:
    """Add one notice, by what became of it."""
    with translate_errors():
        redis.hincrby(keys.METRICS, SEPARATOR.join(("notices", corpus, result)))


def read_counters(redis: Redis) -> dict[tuple[str, str, str], float]:
    """All counters: kind and two names → value. Leaves out those that make no sense."""
    try:
        with translate_errors():
            stored = cast("dict[bytes, bytes]", redis.hgetall(keys.METRICS))
    except WrongType:
        return {}
    counters = {}
    for field, value in stored.items():
        with suppress(ValueError):
            kind, first, second = field.decode().split(SEPARATOR)
            counters[kind, first, second] = float(value)
    return counters
