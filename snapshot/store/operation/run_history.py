"""The runs of a corpus in the last year, one short record each."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, cast

from redis import Redis

from snapshot.errors import WrongType
from snapshot.store import keys
from snapshot.store.records import RecordReader, State, encode_record
from snapshot.store.snapshots import translate_errors

YEAR_SECONDS: Final = 366 * 86400
DAY_SECONDS: Final = 86400
MOST: Final = 20_000
"""Records of a corpus; a run that changes something every half hour makes fewer in a year."""

LONGEST_ERROR: Final = 300
PAGE: Final = 100


@dataclass(frozen=True)
class PastRun:
    """A run that ended. Runs in a row that found nothing to do, on one day, share a record."""

    job: str
    state: State
    ended: float
    """When the last of them ended, in seconds since the epoch."""

    seconds: float
    """How long they took together."""

    version: str = ""
    error: str = ""
    times: int = 1
    """How many runs the record stands for."""


class RunHistory:
    """The records in the store. One run of a corpus ends at a time, so nobody writes beside another."""

    def __init__(self, redis: Redis, count: Callable[[str], None] | None = None) -> None:
        self._redis = redis
        self._records = RecordReader(count)

    def add(self, corpus: str, run: PastRun) -> None:
        """Add a run, and drop those that ended more than a year before it."""
        key = keys.runs(corpus)
        with translate_errors():
            if self._redis.type(key) not in {b"list", b"none"}:
                self._redis.delete(key)
            latest = self._records.read(PastRun, key, cast("bytes | None", self._redis.lindex(key, 0)))
            run = replace(run, error=run.error[:LONGEST_ERROR])
            if latest is not None and _joins(latest, run):
                joined = replace(run, seconds=latest.seconds + run.seconds, times=latest.times + run.times)
                self._redis.lset(key, 0, encode_record(joined).decode())
                return
            pipe = self._redis.pipeline(transaction=True)
            pipe.lpush(key, encode_record(run))
            pipe.ltrim(key, 0, MOST - 1)
            pipe.execute()
            while (oldest := self._oldest(key)) is not None and oldest.ended < run.ended - YEAR_SECONDS:
                self._redis.rpop(key)

    def count(self, corpus: str) -> int:
        """How many records there are."""
        try:
            with translate_errors():
                return self._redis.llen(keys.runs(corpus))
        except WrongType:
            return 0

    def read(self, corpus: str, limit: int, offset: int = 0) -> list[PastRun]:
        """The records, newest first."""
        return self._read(corpus, self._stored(corpus, limit, offset))

    def _stored(self, corpus: str, limit: int, offset: int) -> list[bytes]:
        try:
            with translate_errors():
                return cast("list[bytes]", self._redis.lrange(keys.runs(corpus), offset, offset + limit - 1))
        except WrongType:
            return []

    def _read(self, corpus: str, stored: list[bytes]) -> list[PastRun]:
        runs = (self._records.read(PastRun, keys.runs(corpus), raw) for raw in stored)
        return [run for run in runs if run is not None]

    def since(self, corpus: str, moment: float) -> list[PastRun]:
        """The records of runs that ended after a moment, newest first."""
        found: list[PastRun] = []
        for offset in range(0, MOST, PAGE):
            page = self._stored(corpus, PAGE, offset)
            read = self._read(corpus, page)
            found += read
            if len(page) < PAGE or (read and read[-1].ended < moment):
                break
        return [run for run in found if run.ended >= moment]

    def _oldest(self, key: str) -> PastRun | None:
        return self._records.read(PastRun, key, cast("bytes | None", self._redis.lindex(key, -1)))


def _joins(latest: PastRun, run: PastRun) -> bool:
    """Whether both found nothing to do, on the same day (UTC)."""
    same_day = latest.ended // DAY_SECONDS == run.ended // DAY_SECONDS
    return latest.state == run.state == "unchanged" and same_day
