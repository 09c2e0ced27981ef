"""The connections of a process: how many there may be, and which of them close first."""

import asyncio
import resource
from typing import TYPE_CHECKING, Final

import structlog

if TYPE_CHECKING:
    from service.server.connections import Connection

SWEEP_SECONDS: Final = 1.0
RESERVED_FILES: Final = 64
"""Files that a process needs for other things than connections."""

log = structlog.get_logger()


class ConnectionLimits:
    """The connections of a process. Those that wait for their client are kept in order, the oldest first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: dict[Connection, None] = {}
        self._all: set[Connection] = set()

    def add(self, connection: "Connection") -> None:
        """Count a new connection; beyond the limit, the oldest that waits for its client is closed."""
        self._all.add(connection)
        self._waiting[connection] = None
        if len(self._all) > self._most:
            oldest = next(iter(self._waiting))
            self.discard(oldest)
            oldest.transport.abort()

    def discard(self, connection: "Connection") -> None:
        """Forget a connection that has ended."""
        self._all.discard(connection)
        self._waiting.pop(connection, None)

    def protect(self, connection: "Connection") -> None:
        """Do not close a connection: its client waits for us."""
        self._waiting.pop(connection, None)

    def release(self, connection: "Connection") -> None:
        """A connection that waits for its client again, the youngest of them."""
        self._waiting.pop(connection, None)
        self._waiting[connection] = None

    async def sweep(self) -> None:
        """Look for clients that take too long, for ever."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            now = loop.time()
            for connection in list(self._all):
                connection.check(now)


def affordable(connections: int) -> int:
    """As many of these connections as the limit of open files allows; raises that limit where it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = connections + RESERVED_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return connections
    fewer = max(soft - RESERVED_FILES, 1)
    log.warning("fewer connections, because the limit of open files is low", connections=fewer, files=soft)
    return fewer
