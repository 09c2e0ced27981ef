"""Clients that behave badly: slow heads, slow readers, silent connections, and many that ask for slow things.

python -m bench.service.serving.clients PORT '{"counts": {"heads": 500, "silent": 500}}'   # until standard input ends
"""

import http.client
import json
import socket
import sys
import threading
from contextlib import ExitStack
from types import TracebackType
from typing import Final, Self

PACE_SECONDS: Final = 1.0
"""A slow client sends or reads one byte, and then waits this long."""

SMALL_BUFFER: Final = 2048
"""Bytes that the kernel of a slow reader may take for it."""

PIPELINED: Final = 40
"""A slow reader asks for this many answers at once, more than the kernel of the server takes for it."""

ASK_SECONDS: Final = 5.0
ASK_PAUSE: Final = 0.05

HEAD: Final = b"GET / HTTP/1.1\r\nHost: bench\r\nX-Slow: "


class BadClients(threading.Thread):
    """Many connections at once. One that the server closes is opened again, so that their number stays."""

    opening = b""
    """What each sends first."""

    def __init__(self, port: int, count: int) -> None:
        super().__init__(daemon=True)
        self._port = port
        self._connections: list[socket.socket | None] = [None] * count
        self._stopping = threading.Event()
        self._opened = threading.Event()
        self.closed = 0
        """Connections that the server closed."""

    def __enter__(self) -> Self:
        self.start()
        self._opened.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self.join()
        for connection in self._connections:
            if connection is not None:
                connection.close()

    def run(self) -> None:
        """Open all, then one byte of each at a time."""
        while not self._stopping.is_set():
            for number, connection in enumerate(self._connections):
                self._connections[number] = self._kept(connection) or self._open()
            self._opened.set()
            self._stopping.wait(PACE_SECONDS)

    def step(self, connection: socket.socket) -> bool:
        """Do a little; False if the server has closed the connection."""
        return connection.recv(1) != b""

    def prepare(self, connection: socket.socket) -> None:
        """Options of a socket that is not connected yet."""

    def _open(self) -> socket.socket | None:
        connection = socket.socket()
        self.prepare(connection)
        connection.settimeout(PACE_SECONDS)
        try:
            connection.connect(("127.0.0.1", self._port))
            if self.opening:
                connection.sendall(self.opening)
        except OSError:
            connection.close()
            return None
        connection.setblocking(False)
        return connection

    def _kept(self, connection: socket.socket | None) -> socket.socket | None:
        if connection is None:
            return None
        try:
            alive = self.step(connection)
        except BlockingIOError:
            alive = True
        except OSError:
            alive = False
        if alive:
            return connection
        self.closed += 1
        connection.close()
        return None


class Silent(BadClients):
    """They connect and say nothing."""


class SlowHeads(BadClients):
    """They send the head of a request byte by byte, without end."""

    opening = HEAD

    def step(self, connection: socket.socket) -> bool:
        """One more byte; an answer means that the server gave up on this request."""
        connection.send(b"a")
        return super().step(connection)


class SlowReaders(BadClients):
    """They ask for large answers and read a byte at a time."""

    def __init__(self, port: int, count: int, path: str) -> None:
        super().__init__(port, count)
        self.opening = f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode() * PIPELINED

    def prepare(self, connection: socket.socket) -> None:
        """Take little ahead of reading."""
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)


class Askers(BadClients):
    """They ask for the same few paths over and over, each on its own connection, and wait for the answers."""

    def __init__(self, port: int, count: int, paths: list[str]) -> None:
        super().__init__(port, 0)
        self._threads = [threading.Thread(target=self._ask, args=(paths[n % len(paths)],)) for n in range(count)]

    def run(self) -> None:
        """Until the end."""
        for thread in self._threads:
            thread.start()
        self._opened.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, path: str) -> None:
        while not self._stopping.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=ASK_SECONDS)
            try:
                connection.request("GET", path)
                connection.getresponse().read()
            except (OSError, http.client.HTTPException):
                self.closed += 1
            connection.close()
            self._stopping.wait(ASK_PAUSE)


def main() -> None:
    """Behave badly until standard input ends, so that the end of the parent ends this process, too."""
    port, wanted = int(sys.argv[1]), json.loads(sys.argv[2])
    with ExitStack() as stack:
        for kind, count in wanted.get("counts", {}).items():
            stack.enter_context({"heads": SlowHeads, "silent": Silent}[kind](port, count))
        if "readers" in wanted:
            stack.enter_context(SlowReaders(port, wanted["readers"], wanted["large"]))
        if "askers" in wanted:
            stack.enter_context(Askers(port, wanted["askers"], wanted["paths"]))
        print("ready", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
