"""Clients that read all the time and note every read that fails."""

import http.client
import threading
import time

from tests.waiting import DEADLINE, wait_until


class Readers:
    """Several clients, every second one with a new connection for each read."""

    def __init__(self, port, path, clients=4):
        self._port = port
        self._path = path
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number % 2 == 0,)) for number in range(clients)]
        self.sent = 0
        self.failed = []
        self.slowest = 0.0

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        self.go_on()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def go_on(self, reads=50):
        """Wait for so many reads more."""
        goal = self.sent + reads
        wait_until(lambda: self.sent >= goal, f"{reads} more reads")

    def _run(self, keeps):
        connection = None
        while not self._stop.is_set():
            began = time.monotonic()
            connection = connection or http.client.HTTPConnection("127.0.0.1", self._port, timeout=DEADLINE)
            try:
                connection.request("GET", self._path)
                answer = connection.getresponse()
                text = answer.read()
                if answer.status != http.client.OK:
                    self.failed.append((answer.status, text))
                closes = answer.will_close
            except (OSError, http.client.HTTPException) as error:
                self.failed.append(repr(error))
                closes = True
            self.slowest = max(self.slowest, time.monotonic() - began)
            self.sent += 1
            if closes or not keeps:
                connection.close()
                connection = None
            time.sleep(0.01)
        if connection is not None:
            connection.close()
