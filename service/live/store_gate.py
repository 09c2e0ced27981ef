"""Keeps requests from waiting for a store that is known to be away."""

from typing import Any

from redis import ConnectionPool, Redis
from redis.connection import Connection
from redis.exceptions import ConnectionError as RedisConnectionError

from service.live.snapshots import LiveSnapshots
from snapshot.store.health.replicas import demand_replicas, demanded_replicas


class GatedPool(ConnectionPool):
    """Connections like those of another pool, but none while the thread that follows the store finds it away."""

    def __init__(self, like: ConnectionPool, live: LiveSnapshots) -> None:
        super().__init__(like.connection_class, like.max_connections, **like.connection_kwargs)
        self._live = live

    def get_connection(self, command_name: str | None = None, *keys: Any, **options: Any) -> Connection:  # noqa: ARG002 - as in redis
        """Called by redis for every command; redis itself passes these arguments over."""
        if not self._live.freshness.connected:
            raise RedisConnectionError("the store is away")
        return super().get_connection()


def gated(redis: Redis, live: LiveSnapshots) -> Redis:
    """A client of the same store whose commands fail at once while that is known to be away.

    It confirms by as many replicas as the other one.
    """
    client = Redis.from_pool(GatedPool(redis.connection_pool, live))
    demand_replicas(client, demanded_replicas(redis))
    return client
