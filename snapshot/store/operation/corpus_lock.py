"""A lock that allows one run of a corpus at a time, on all machines."""

from typing import Final

import structlog
from redis import Redis
from redis.exceptions import LockError, LockNotOwnedError, RedisError
from redis.lock import Lock

from snapshot.store import keys
from snapshot.store.snapshots import translate_errors

LEASE_SECONDS: Final = 15.0
"""The lock of a dead worker expires after this long. A living one renews it three times as often."""

RENEW_SECONDS: Final = LEASE_SECONDS / 3

log = structlog.get_logger()


def is_locked(redis: Redis, corpus: str) -> bool:
    """Whether a run of a corpus has its lock."""
    return bool(redis.exists(keys.lock(corpus)))


def break_locks(redis: Redis, corpora: list[str]) -> None:
    """Delete the locks of some corpora, whoever has them."""
    redis.delete(*map(keys.lock, corpora))


class CorpusLock:
    """The lock of a corpus. It expires unless its holder renews it."""

    def __init__(self, redis: Redis, corpus: str) -> None:
        self._corpus = corpus
        self._lock = Lock(redis, keys.lock(corpus), timeout=LEASE_SECONDS, thread_local=False)

    def acquire(self) -> bool:
        """Take the lock; False if another run has it."""
        with translate_errors():
            return bool(self._lock.acquire(blocking=False))

    def renew(self) -> bool:
        """Renew the lock. If it expired meanwhile, take it again; False if another run has it."""
        with translate_errors():
            try:
                self._lock.reacquire()
            except LockNotOwnedError:
                if not self._lock.acquire(blocking=False, token=self._lock.local.token):
                    return False
                log.warning("the lock expired, acquired it again", corpus=self._corpus)
            return True

    def release(self) -> None:
        """Give the lock back. If the store is away, it expires by itself; if another run has it, it stays there."""
        try:
            self._lock.release()
        except (LockError, RedisError) as error:
            log.warning("cannot release the lock of a corpus", corpus=self._corpus, reason=str(error))
