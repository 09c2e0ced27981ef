"""How many replicas must have what is confirmed. It is known by the pool of connections, which all clients share."""

from weakref import WeakKeyDictionary

from redis import ConnectionPool, Redis

_demanded: WeakKeyDictionary[ConnectionPool, int] = WeakKeyDictionary()


def demand_replicas(redis: Redis, count: int) -> None:
    """Confirm what is written over connections of this client only when so many replicas have it."""
    _demanded[redis.connection_pool] = count


def demanded_replicas(redis: Redis) -> int:
    """How many replicas must have a write before it is confirmed."""
    return _demanded.get(redis.connection_pool, 0)
