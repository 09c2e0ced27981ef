"""The gateway behind real sockets, with the connections that are served."""

import asyncio
import socket
import threading
from contextlib import closing
from functools import partial

import uvicorn

from service.server.connection_limits import ConnectionLimits
from service.server.connections import Connection
from tests.waiting import DEADLINE


class Server:
    """The gateway behind real sockets, on an event loop in a thread."""

    def __init__(self, gateway, most=2000):
        self.limits = ConnectionLimits(most)
        self.gateway = gateway
        self.port = 0
        self._stopped = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self._thread.start()
        assert self._ready.wait(DEADLINE)

    async def _serve(self):
        config = uvicorn.Config(self.gateway, log_config=None, ws="none", lifespan="off")
        config.load()
        state = uvicorn.server.ServerState()
        loop = asyncio.get_running_loop()
        self._loop, self._stopped = loop, asyncio.Event()
        make = partial(Connection, self.limits, config=config, server_state=state, app_state={}, _loop=loop)
        server = await loop.create_server(make, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        sweep = loop.create_task(self.limits.sweep())
        self._ready.set()
        await self._stopped.wait()
        sweep.cancel()
        server.close()
        for connection in list(state.connections):
            connection.transport.abort()
        while state.connections:
            await asyncio.sleep(0.01)

    def stop(self):
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()

    def open(self):
        return closing(socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE))

    def talk(self, data, *, half_close=False):
        """Everything the server says to some bytes, until it closes."""
        with self.open() as client:
            client.sendall(data)
            if half_close:
                client.shutdown(socket.SHUT_WR)
            return read_all(client)


def read_all(client):
    parts = []
    try:
        while part := client.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)
