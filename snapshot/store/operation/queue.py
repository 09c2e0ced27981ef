"""Runs that wait in the store: requested ones, and the queue of the workers. They are data: nothing names code."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import structlog
from redis import Redis

from snapshot.errors import WrongType
from snapshot.store import keys
from snapshot.store.records import RecordReader, RunRequest, encode_record
from snapshot.store.snapshots import translate_errors

if TYPE_CHECKING:
    from redis.client import Pipeline

log = structlog.get_logger()


class RequestList:
    """A list of runs, first come first served."""

    def __init__(self, redis: Redis, key: str, count: Callable[[str], None]) -> None:
        self._redis = redis
        self._key = key
        self._records = RecordReader(count)

    def read(self) -> list[tuple[bytes, RunRequest]]:
        """The waiting runs, as stored and decoded; removes what is none."""
        requests: list[tuple[bytes, RunRequest]] = []
        for raw in self._stored():
            request = self._records.read(RunRequest, self._key, raw)
            if request is None:
                self.remove(raw)
            else:
                requests.append((raw, request))
        return requests

    def remove(self, raw: bytes) -> bool:
        """Take a run off the list; False if somebody else has."""
        with translate_errors():
            return bool(self._redis.lrem(self._key, 1, cast("Any", raw)))

    def _stored(self) -> list[bytes]:
        try:
            with translate_errors():
                return cast("list[bytes]", self._redis.lrange(self._key, 0, -1))
        except WrongType as error:
            log.error("deleted a list of runs that has another type", key=self._key, reason=str(error))  # noqa: TRY400
            self._redis.delete(self._key)
            return []


def enqueue(pipe: "Pipeline", request: RunRequest) -> None:
    """Put a run on the queue when the pipeline is executed."""
    pipe.rpush(keys.QUEUE, encode_record(request))


def requested_runs(redis: Redis, count: Callable[[str], None]) -> RequestList:
    """The runs that somebody asked for and no scheduler has queued yet."""
    return RequestList(redis, keys.REQUESTS, count)


def job_queue(redis: Redis, count: Callable[[str], None]) -> RequestList:
    """The queue of the workers."""
    return RequestList(redis, keys.QUEUE, count)
