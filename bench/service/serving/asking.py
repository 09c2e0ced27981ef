"""Asks as wrk does where wrk is not installed. Latencies are those of lock step: ask on all connections, read all."""

import socket
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from itertools import cycle
from statistics import quantiles
from typing import Final

READ_BYTES: Final = 65536


def ask(port: int, paths: Iterable[str], headers: Mapping[str, str], seconds: int, connections: int) -> str:
    """Ask for all paths in turn for some seconds; the report in the words of wrk."""
    sent = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    requests = cycle([f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{sent}\r\n".encode() for path in paths])
    latencies: list[float] = []
    failed = 0
    with ExitStack() as stack:
        opened = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(connections)]
        began = time.perf_counter()
        while time.perf_counter() - began < seconds:
            asked = time.perf_counter()
            for connection in opened:
                connection.sendall(next(requests))
            for connection in opened:
                failed += not _answered(connection)
                latencies.append(1000 * (time.perf_counter() - asked))
        spent = time.perf_counter() - began
    cuts = quantiles(latencies, n=100)
    return (
        f"     50% {cuts[49]:.3f}ms\n     99% {cuts[98]:.3f}ms\n  {len(latencies)} requests in {spent:.2f}s\n"
        f"  Non-2xx or 3xx responses: {failed}\nRequests/sec: {len(latencies) / spent:.2f}\n"
    )


def _answered(connection: socket.socket) -> bool:
    """Read one answer to its end; whether it is a good one."""
    received = connection.recv(READ_BYTES)
    while (end := received.find(b"\r\n\r\n")) < 0:
        received += connection.recv(READ_BYTES)
    head = received[:end].lower()
    length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
    missing = length - (len(received) - end - 4)
    while missing > 0:
        missing -= len(connection.recv(READ_BYTES))
    return head[9:10] in b"23"
