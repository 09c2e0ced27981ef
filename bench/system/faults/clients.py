"""Clients that read and push all the time, and note what fails and what was acknowledged."""

import http.client
import itertools
import json
import threading
import time
from dataclasses import dataclass, field
from typing import Final

READ_SECONDS: Final = 5.0
"""A read that takes longer has failed."""

READS_A_CONNECTION: Final = 20


@dataclass
class Counts:
    """What clients have seen so far."""

    sent: int = 0
    failed: int = 0
    slowest: float = 0.0
    reasons: list[str] = field(default_factory=list)


class Reader(threading.Thread):
    """Asks for paths in turn at a steady pace, over connections that it keeps for a while.

    A kept connection that closes without an answer is no failed read: like every client, it asks again with a new one.
    Nor is a service that refuses the connection, if another answers: a proxy in front of both would ask that one.
    """

    def __init__(self, ports: tuple[int, ...], paths: list[str], pace: float) -> None:
        super().__init__(daemon=True)
        self.counts = Counts()
        self._ports = list(ports)
        self._paths = itertools.cycle(paths)
        self._pace = pace
        self._stopping = threading.Event()
        self._connection: http.client.HTTPConnection | None = None
        self._used = 0

    def run(self) -> None:
        """Until it is stopped."""
        while not self._stopping.is_set():
            began = time.monotonic()
            path = next(self._paths)
            reason = self._read(path)
            if reason is not None and self._used > 0:
                self._close()
                reason = self._read(path)
            if isinstance(reason, ConnectionError) and len(self._ports) > 1:
                self._close()
                self._ports.append(self._ports.pop(0))
                reason = self._read(path)
            spent = time.monotonic() - began
            self.counts.sent += 1
            self.counts.slowest = max(self.counts.slowest, spent)
            self._used += 1
            if reason is not None:
                self.counts.failed += 1
                self.counts.reasons.append(f"{path}: {reason!r}")
            if reason is not None or self._used >= READS_A_CONNECTION:
                self._close()
            self._stopping.wait(max(self._pace - spent, 0.0))
        self._close()

    def stop(self) -> None:
        """End after the read under way."""
        self._stopping.set()
        self.join()

    def _read(self, path: str) -> Exception | str | None:
        """What went wrong, or None."""
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._ports[0], timeout=READ_SECONDS)
        try:
            self._connection.request("GET", path)
            answer = self._connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            return error
        if answer.status == http.client.OK:
            return None
        self._used = 0  # it was answered: asking again is no remedy
        return f"{answer.status} {text[:200].decode(errors='replace')}"

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection, self._used = None, 0


class Pusher(threading.Thread):
    """Pushes one document after the other, to each service in turn, and notes the ids of those that were accepted."""

    def __init__(self, ports: tuple[int, ...], corpus: str, key: str, pace: float) -> None:
        super().__init__(daemon=True)
        self.accepted: list[str] = []
        self.refused = 0
        self._ports = ports
        self._path = f"/v1/corpora/{corpus}/documents"
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/x-ndjson"}
        self._pace = pace
        self._stopping = threading.Event()

    def run(self) -> None:
        """Until it is stopped."""
        for number in itertools.count():
            if self._stopping.wait(self._pace):
                return
            name = f"p{number}"
            body = json.dumps({"id": name, "tags": [f"tag{number % 20}", f"tag{(number + 1) % 20}"]})
            connection = http.client.HTTPConnection(
                "127.0.0.1", self._ports[number % len(self._ports)], timeout=2 * READ_SECONDS
            )
            try:
                connection.request("POST", self._path, body, self._headers)
                accepted = connection.getresponse().status < http.client.MULTIPLE_CHOICES
            except (OSError, http.client.HTTPException):
                accepted = False
            finally:
                connection.close()
            if accepted:
                self.accepted.append(name)
            else:
                self.refused += 1

    def stop(self) -> None:
        """End after the push under way."""
        self._stopping.set()
        self.join()
