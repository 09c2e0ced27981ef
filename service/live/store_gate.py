"""Keeps requests from waiting for a store that is known to be away."""

from collections.abc import Callable
from typing import Any

from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from service.live.snapshots import LiveSnapshots


def gated(redis: Redis, live: LiveSnapshots) -> Redis:
    """A client whose commands fail at once while the thread that follows the store finds it away."""
    pool = redis.connection_pool
    take: Callable[..., Any] = pool.get_connection

    def take_if_connected(*arguments: Any, **options: Any) -> Any:
        if not live.freshness.connected:
            raise RedisConnectionError("the store is away")
        return take(*arguments, **options)

    pool.get_connection = take_if_connected  # type: ignore[method-assign]
    return redis
