"""A lock that allows one run of a corpus at a time, on all machines."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import structlog
from redis import Redis
from redis.exceptions import LockError, LockNotOwnedError, RedisError
from redis.lock import Lock

from snapshot import keys
from worker.errors import AlreadyRunning

LEASE_SECONDS: Final = 15.0
"""The lock of a dead run expires after this long. A living run renews it three times as often."""

log = structlog.get_logger()


@contextmanager
def corpus_lock(redis: Redis, corpus: str) -> Iterator[None]:
    """Hold the lock of a corpus, or raise AlreadyRunning."""
    lock = Lock(redis, keys.lock(corpus), timeout=LEASE_SECONDS, thread_local=False)
    if not lock.acquire(blocking=False):
        raise AlreadyRunning(f"another run of {corpus} is under way")
    ended = threading.Event()
    renewal = threading.Thread(target=_keep_renewing, args=(lock, ended, corpus), daemon=True)
    renewal.start()
    try:
        yield
    finally:
        ended.set()
        renewal.join()
        try:
            lock.release()
        except (LockError, RedisError) as error:
            log.warning("lost the lock before the run ended", corpus=corpus, reason=str(error))


def _keep_renewing(lock: Lock, ended: threading.Event, corpus: str) -> None:
    while not ended.wait(LEASE_SECONDS / 3):
        try:
            renew(lock, corpus)
        except (LockError, RedisError) as error:
            log.warning("cannot renew the lock", corpus=corpus, reason=str(error))


def renew(lock: Lock, corpus: str) -> None:
    """Renew the lease. If it expired because the machine stood still, acquire it again unless somebody else has it.

    Raises:
        LockError: another run has the lock.
    """
    try:
        lock.reacquire()
    except LockNotOwnedError:
        if not lock.acquire(blocking=False, token=lock.local.token):
            raise
        log.warning("the lock expired, acquired it again", corpus=corpus)
