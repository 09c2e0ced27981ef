"""Confirms that the store has written to its append-only file, so that what was accepted survives its death."""

from typing import Any, Final, cast

from redis import Redis
from redis.exceptions import ResponseError

from snapshot.errors import StoreUnavailable
from snapshot.store.health.replicas import demanded_replicas
from snapshot.store.snapshots import translate_errors

PATIENCE_MS: Final = 1500
"""A server that writes to its disk every second has then done so."""


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
