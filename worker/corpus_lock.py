"""One run of a corpus at a time, on all machines."""

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
"""How long a run that died keeps others out. A living one renews its lease three times as often."""

log = structlog.get_logger()


@contextmanager
def corpus_lock(redis: Redis, corpus: str) -> Iterator[None]:
    """Be the only run of a corpus, on all machines, or raise AlreadyRunning."""
    lock = Lock(redis, keys.lock(corpus), timeout=LEASE_SECONDS, thread_local=False)
    if not lock.acquire(blocking=False):
        raise AlreadyRunning(f"another run of {corpus} is under way")
    ended = threading.Event()
    renewal = threading.Thread(target=_renew, args=(lock, ended, corpus), daemon=True)
    renewal.start()
    try:
        yield
    finally:
        ended.set()
        renewal.join()
        try:
            lock.release()
        except (LockError, RedisError) as error:
            log.warning("the lock was gone before the run ended", corpus=corpus, reason=str(error))


def _renew(lock: Lock, ended: threading.Event, corpus: str) -> None:
    while not ended.wait(LEASE_SECONDS / 3):
        try:
            renewed(lock, corpus)
        except (LockError, RedisError) as error:
            log.warning("the lock could not be renewed", corpus=corpus, reason=str(error))


def renewed(lock: Lock, corpus: str) -> None:
    """The lease begins anew; one that ran out, because the machine stood still, is taken again if nobody else has it.

    Raises:
        LockError: another run has the lock.
    """
    try:
        lock.reacquire()
    except LockNotOwnedError:
        if not lock.acquire(blocking=False, token=lock.local.token):
            raise
        log.warning("the lock had run out and was taken again", corpus=corpus)
