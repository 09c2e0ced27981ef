"""Waits until the store answers: at start, or after an outage."""

import re
import time
from collections.abc import Callable
from typing import Final

from redis import Redis
from redis.exceptions import ConnectionError as ConnectionLost
from redis.exceptions import OutOfMemoryError, ReadOnlyError, ResponseError
from redis.exceptions import TimeoutError as NoAnswer

from snapshot.errors import StoreUnavailable
from snapshot.store.snapshots import translate_errors

AWAY: Final = (ConnectionLost, NoAnswer)
"""What redis-py raises while the store is down or still loads its data."""


REFUSED: Final = re.compile(
    r"\b(?:OOM|READONLY|NOREPLICAS|BUSY|MISCONF|MASTERDOWN|UNBLOCKED)\b|cannot be used with replica instances"
)
"""What a server answers that lives but takes no writes: memory or disk full, a replica, too few replicas, a script."""


def is_away(error: BaseException | None) -> bool:
    """Whether the store is away, or takes no writes; either may pass."""
    if isinstance(error, StoreUnavailable):
        return is_away(error.__cause__)
    if isinstance(error, ResponseError):
        known = isinstance(error, OutOfMemoryError | ReadOnlyError)
        return known or REFUSED.search(str(error)) is not None
    return isinstance(error, AWAY)


def wait_for_answer(
    redis: Redis,
    *,
    pause: float,
    seconds: float | None = None,
    on_away: Callable[[str], None] | None = None,
    give_up: Callable[[], bool] = lambda: False,
    ask: Callable[[Redis], object] = Redis.ping,
) -> None:
    """Return when the store answers.

    Args:
        redis: a client of the store.
        pause: seconds between two attempts.
        seconds: how long to wait; None without limit.
        on_away: called once with the reason, if the first attempt fails.
        give_up: asked after each failed attempt; True ends the wait.
        ask: what the store has to do.

    Raises:
        StoreUnavailable: the store did not answer in time, it refuses to, or `give_up` ended the wait.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    first = True
    while True:
        try:
            with translate_errors():
                ask(redis)
        except StoreUnavailable as error:
            late = deadline is not None and time.monotonic() > deadline
            if late or not is_away(error) or give_up():
                raise
            if first and on_away is not None:
                on_away(str(error))
            first = False
        else:
            return
        time.sleep(pause)
