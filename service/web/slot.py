"""Lets few requests of a heavy kind in at once, so that they do not take all threads of a process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from service.errors import Busy


class Slot:
    """One request of a kind at a time in each process; another is refused at once."""

    def __init__(self, kind: str) -> None:
        """`kind` is what messages call such a request."""
        self._kind = kind
        self._taken = threading.Lock()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """The slot, for as long as the answer is made; Busy if another request has it."""
        if not self._taken.acquire(blocking=False):
            raise Busy(f"this process answers {self._kind} already, and one at a time")
        try:
            yield
        finally:
            self._taken.release()
