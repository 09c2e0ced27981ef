"""Chooses the next run of a worker: the first on the queue whose corpus has no run, so that short runs never wait."""

from typing import Final

from redis import Redis

from snapshot import Heartbeats, RunRequest, SnapshotError, SnapshotStore, StatusBoard, StoreUnavailable
from snapshot.store.operation.corpus_lock import CorpusLock
from snapshot.store.operation.counters import count_bad_record
from snapshot.store.operation.heartbeats import Pulse
from snapshot.store.operation.queue import job_queue

LONG_SECONDS: Final = 60.0
"""Runs of a corpus are long if its served version took longer than this."""

Claim = tuple[RunRequest, CorpusLock]


class Claims:
    """Takes runs off the queue.

    A worker locks the corpus first and takes the run off the queue then. So a run always waits on the queue or holds a
    lock: if the worker dies in between, the lock expires and the run still waits.

    Of several workers, one is always left for short runs: the last one that is free takes no long run.
    """

    def __init__(self, redis: Redis, pulse: Pulse) -> None:
        self._redis = redis
        self._pulse = pulse
        self._queue = job_queue(redis, lambda kind: count_bad_record(redis, kind))
        self._board = StatusBoard(redis)
        self._store = SnapshotStore(redis)
        self._heartbeats = Heartbeats(redis)

    def next(self) -> Claim | None:
        """The next run with the lock of its corpus, or None. The heartbeat of the worker names it."""
        for raw, request in self._queue.read():
            lock = CorpusLock(self._redis, request.corpus)
            long = self.is_long(request.corpus)
            if (long and not self.leaves_room()) or not lock.acquire():
                continue
            self._pulse.beat(request.job)
            # Others may have taken long runs at the same moment; now that all have said so, look again.
            if (not long or self.leaves_room()) and self._queue.remove(raw):
                return request, lock
            lock.release()
            self._pulse.beat("")
        return None

    def is_long(self, corpus: str) -> bool:
        """Whether runs of a corpus take long. One that was never published counts as short."""
        version = self._store.current(corpus)
        try:
            return version is not None and sum(self._store.meta(corpus, version).timings.values()) > LONG_SECONDS
        except StoreUnavailable:
            raise
        except SnapshotError:  # damaged, or of another schema
            return False

    def leaves_room(self) -> bool:
        """Whether a short run could begin beside a long one of this worker, or there is no other worker anyway."""
        others = [each for each in self._heartbeats.read() if each.part == "worker" and each.name != self._pulse.name]
        return not others or not all(self._runs_long(other.job) for other in others)

    def _runs_long(self, job: str) -> bool:
        status = self._board.job(job) if job else None
        return status is not None and self.is_long(status.corpus)
