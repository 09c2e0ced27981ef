"""Confirms that the store has written to its append-only file, so that what was accepted survives its death."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, cast

from redis import Redis
from redis.exceptions import ResponseError

from snapshot.errors import StoreUnavailable
from snapshot.store.health.replicas import demanded_replicas
from snapshot.store.snapshots import translate_errors

PATIENCE_MS: Final = 1500
"""A server that writes to its disk every second has then done so."""


class _Reconnections:
    """Counts how often a connection was made anew. A new one knows nothing of the writes of the one before."""

    def __init__(self, client: Redis) -> None:
        self.count = 0
        self._connection = cast("Any", client.connection)
        self._connection.register_connect_callback(self._count)

    def end(self) -> None:
        """Count no more."""
        self._connection.deregister_connect_callback(self._count)

    def _count(self, _: object) -> None:
        self.count += 1


@contextmanager
def confirmed_writes(redis: Redis) -> Iterator[Redis]:
    """A client with a single connection; all that was written with it is confirmed at the end.

    WAIT and WAITAOF speak of the writes of their own connection. Asked over another one, because redis-py has made a
    new one, perhaps to another server, they would confirm at once what they do not know of.

    Raises:
        StoreUnavailable: the writes are not confirmed; they may be lost.
    """
    with translate_errors(), redis.client() as connection:
        reconnections = _Reconnections(connection)
        try:
            yield connection
            confirm_written(connection)
            if reconnections.count:
                raise StoreUnavailable("the connection to the store was lost before it confirmed the change")
        finally:
            reconnections.end()


def confirm_written(connection: Redis) -> None:
    """Return when all earlier writes of this connection are in the file of the store, if it can say so.

    With replicas demanded (COTAG_CONFIRM_REPLICAS), so many have them then, too.

    Args:
        connection: a client with a single connection, which made the writes.

    Raises:
        StoreUnavailable: they are not in its file in time.
    """
    replicas = demanded_replicas(connection)
    if replicas:
        with translate_errors():
            having = int(cast("Any", connection.wait(replicas, PATIENCE_MS)))
        if having < replicas:
            _leave(connection)
            raise StoreUnavailable(f"only {having} of {replicas} replicas have the change; it may be lost")
    if confirmation_warning(connection) is not None:
        return
    with translate_errors():
        written = connection.waitaof(1, 0, PATIENCE_MS)
    if not written[0]:
        raise StoreUnavailable("the store did not confirm in time that it wrote the change to its disk; it may be lost")


def _leave(connection: Redis) -> None:
    """Connect anew for the next command: if Sentinels watch the store, another server may be the master."""
    if connection.connection is not None:
        connection.connection.disconnect()
    connection.connection_pool.disconnect(inuse_connections=False)


def confirmation_warning(redis: Redis) -> str | None:
    """Why the store cannot confirm that it has written to its file; None if it can."""
    lost = "documents that were pushed may be lost when it dies"
    with translate_errors():
        if not redis.info("persistence").get("aof_enabled"):
            return f"the store has no append-only file (appendonly no): {lost}"
        try:
            redis.waitaof(0, 0, 1)
        except ResponseError as error:
            if "unknown command" not in str(error):
                raise
            return f"the store has no WAITAOF (Redis 7.2, Valkey): {lost} within a second"
    return None
