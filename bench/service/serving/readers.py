"""Normal clients: they read at a steady pace, and note how long each answer takes."""

import http.client
import itertools
import threading
import time
from dataclasses import dataclass, field
from functools import reduce
from typing import Final

READERS: Final = 8
PACE_SECONDS: Final = 0.04
"""Each connection sends a read this often."""

READS_A_CONNECTION: Final = 20
"""Then it is opened again, as other visitors would."""

READ_SECONDS: Final = 5.0
"""A read that takes longer has failed."""

HEALTH_SECONDS: Final = 0.25


@dataclass
class Reads:
    """What normal clients see."""

    seconds: list[float] = field(default_factory=list)
    failed: int = 0

    @property
    def sent(self) -> int:
        """All of them."""
        return len(self.seconds) + self.failed

    def with_more(self, others: "Reads") -> "Reads":
        """These and others together."""
        return Reads([*self.seconds, *others.seconds], self.failed + others.failed)

    def percentile(self, share: float) -> float:
        """Of the answered reads, in milliseconds."""
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else float("nan")


class Reader(threading.Thread):
    """Asks for paths in turn at a steady pace, and notes how long each takes."""

    def __init__(self, port: int, paths: list[str], pace: float, reads_a_connection: int) -> None:
        super().__init__(daemon=True)
        self.reads = Reads()
        self._port = port
        self._paths = itertools.cycle(paths)
        self._pace = pace
        self._renew = reads_a_connection
        self._stopping = threading.Event()

    def run(self) -> None:
        """Until it is stopped."""
        connection = self._connection()
        for number in itertools.count(1):
            began = time.monotonic()
            try:
                connection.request("GET", next(self._paths))
                answer = connection.getresponse()
                answer.read()
                failed = answer.status != http.client.OK
            except (OSError, http.client.HTTPException):
                failed = True
            spent = time.monotonic() - began
            if failed:
                self.reads.failed += 1
            else:
                self.reads.seconds.append(spent)
            if failed or number % self._renew == 0:
                connection.close()
                connection = self._connection()
            if self._stopping.wait(max(self._pace - spent, 0.0)):
                connection.close()
                return

    def stop(self) -> Reads:
        """What it saw."""
        self._stopping.set()
        self.join()
        return self.reads

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=READ_SECONDS)


def observed(port: int, paths: list[str], seconds: float) -> tuple[Reads, Reads]:
    """The reads of normal clients for some time, and the requests for /healthz beside them."""
    step = len(paths) // READERS
    readers = [Reader(port, paths[n * step :], PACE_SECONDS, READS_A_CONNECTION) for n in range(READERS)]
    health = Reader(port, ["/healthz"], HEALTH_SECONDS, 1)
    for reader in (*readers, health):
        reader.start()
    time.sleep(seconds)
    every = [reader.stop() for reader in readers]
    return reduce(Reads.with_more, every), health.stop()
