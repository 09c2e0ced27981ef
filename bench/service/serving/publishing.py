"""What a new version costs: until all processes serve it, and for those who ask meanwhile."""

import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Final

import psutil

from bench.service.serving.corpora import Served
from bench.service.serving.loading import Target
from bench.service.serving.processes import PROCESSES, free_port, process, workers
from snapshot import EncodedSnapshot, SnapshotStore, connect

TIMES: Final = 3
POLL_SECONDS: Final = 0.005
SERVED_SECONDS: Final = 60.0


def publish(store: str, encoded: EncodedSnapshot) -> None:
    """Make a version current."""
    client = connect(store)
    SnapshotStore(client).publish(encoded)
    client.close()


def connections(target: Target) -> list[http.client.HTTPConnection]:
    """One connection to each process. The kernel knows which one holds the other end."""
    found: dict[int, http.client.HTTPConnection] = {}
    while len(found) < PROCESSES:
        connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=SERVED_SECONDS)
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        own = connection.sock.getsockname()
        holder = next(
            (each.pid for each in workers(target.pid) if own in [end.raddr for end in each.net_connections("tcp")]),
            None,
        )
        if holder is None or holder in found:
            connection.close()
        else:
            found[holder] = connection
    return list(found.values())


def seconds_until_served(target: Target, store: str, corpus: Served, path: str) -> float:
    """From the publication of a version until every process answers with it; the median of a few times."""
    taken = []
    for _ in range(TIMES):
        encoded = corpus.encoded()
        waiting = connections(target)
        publish(store, encoded)
        began = time.monotonic()
        while {_version(connection, path) for connection in waiting} != {encoded.version}:
            if time.monotonic() - began > SERVED_SECONDS:
                raise TimeoutError(f"{encoded.version} is not served")
            time.sleep(POLL_SECONDS)
        taken.append(time.monotonic() - began)
        for connection in waiting:
            connection.close()
    return median(taken)


def _version(connection: http.client.HTTPConnection, path: str) -> str | None:
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    return answer.getheader("Cotag-Version")


@contextmanager
def published_each_second(store: str, corpus: Served, times: int) -> Iterator[None]:
    """New versions meanwhile, from which processes make answers ready."""
    versions = []
    for _ in range(times):
        versions.append(corpus.encoded())
        time.sleep(0.002)  # versions are named by the millisecond

    def publish_all() -> None:
        for encoded in versions:
            publish(store, encoded)
            time.sleep(1.0)

    publisher = threading.Thread(target=publish_all)
    publisher.start()
    try:
        yield
    finally:
        publisher.join()


def start(store: str) -> tuple[float, float]:
    """Processor seconds and seconds from the start of a service of one process until it is ready."""
    port = free_port()
    settings = {"COTAG_REDIS_URL": store, "COTAG_WEB_WORKERS": "1"}
    began = time.monotonic()
    with process(["cotag", "serve"], port, settings, ready="/readyz") as server:
        seconds = time.monotonic() - began
        family = [psutil.Process(server.pid), *workers(server.pid)]
        processor = sum(sum(each.cpu_times()[:2]) for each in family)
    return processor, seconds
