"""Writes the log lines of a process from one thread, so that a log that cannot be written harms nothing else."""

import logging
import os
import select
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

BUFFER_BYTES: Final = 1_000_000
"""At most so many bytes wait; at most as many more are being written."""

PAUSE_SECONDS: Final = 0.2
"""Lines that need not be written at once wait no longer than this; so does the next try after a failed one."""

FLUSH_SECONDS: Final = 1.0
"""How long a process that ends waits for its last lines."""

NO_DESCRIPTOR: Final = -1


class LogWriter:
    """Takes lines from any thread and writes them in order to a descriptor. Taking a line never waits and never fails.

    While the reader is stuck or gone, or the disk is full, lines wait until the buffer is full. New lines are then
    dropped and counted. When writing works again, the waiting lines are written, then one line that says how many were
    lost, then the new ones.

    A signal handler may write a line, too: the lock is reentrant, and so is waking the thread. After a fork the child
    has a thread and an empty buffer of its own; the lines that waited are the parent's to write.
    """

    def __init__(self, descriptor: int, lost_line: Callable[[int], bytes]) -> None:
        self.dropped = 0
        """Lines that this process has dropped so far."""
        self.on_drop: Callable[[], None] = _nothing
        """Called for each of them, in the thread that wrote the line."""
        self._descriptor = descriptor
        self._lost_line = lost_line
        self._lock = threading.RLock()
        self._closed = False
        self._begin()
        os.register_at_fork(
            before=self._lock.acquire, after_in_parent=self._lock.release, after_in_child=self._begin_in_child
        )

    def write(self, line: bytes, *, at_once: bool = True) -> None:
        """Take one line, with its newline. If it need not be written at once, it waits for others for a moment."""
        with self._lock:
            fits = len(self._buffer) + len(line) <= BUFFER_BYTES
            if fits:
                self._buffer += line
            else:
                self._lost += 1
                self.dropped += 1
        if not fits:
            self.on_drop()
        elif at_once or len(self._buffer) > BUFFER_BYTES // 2:
            self._wake_up()

    def flush(self) -> None:
        """Wait until all lines are written, but not for long."""
        deadline = time.monotonic() + FLUSH_SECONDS
        while self._has_work() and self._thread.is_alive() and time.monotonic() < deadline:
            self._wake_up()
            time.sleep(0.005)

    def close(self) -> None:
        """End the thread, unless it is stuck in a write; then it ends after that."""
        self._closed = True
        self._wake_up()

    def _begin(self) -> None:
        self._buffer = bytearray()
        self._lost = 0
        self._writing = False
        self._wake = threading.Lock()
        self._wake.acquire()
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        if not self._closed:
            self._thread.start()

    def _begin_in_child(self) -> None:
        try:
            self.dropped = 0
            self._begin()
        finally:
            self._lock.release()

    def _wake_up(self) -> None:
        with suppress(RuntimeError):  # it is awake
            self._wake.release()

    def _has_work(self) -> bool:
        with self._lock:
            return bool(self._buffer) or self._lost > 0 or self._writing

    def _run(self) -> None:
        while not self._closed:
            self._wake.acquire(timeout=PAUSE_SECONDS)
            self._write_all(self._take())
            self._writing = False

    def _take(self) -> bytearray:
        """All lines that wait, and how many were lost after them."""
        with self._lock:
            lines, self._buffer = self._buffer, bytearray()
            lost, self._lost = self._lost, 0
            self._writing = bool(lines) or bool(lost)
        if lost:
            lines += self._lost_line(lost)
        return lines

    def _write_all(self, lines: bytearray) -> None:
        """Write until all is written, however long that takes."""
        start = 0
        while start < len(lines) and not self._closed:
            try:
                start += os.write(self._descriptor, lines[start : _end_of_piece(lines, start)])
            except BlockingIOError:
                _wait_for_room(self._descriptor)
            except OSError:
                time.sleep(PAUSE_SECONDS)


def _end_of_piece(lines: bytearray, start: int) -> int:
    """The end of the last line that fits into one atomic write, or else of the first line.

    Several processes share a pipe: longer writes to a full one would mix their lines. Only a line that is longer by
    itself, such as a traceback, can still be mixed with others.
    """
    return lines.rfind(b"\n", start, start + select.PIPE_BUF) + 1 or lines.find(b"\n", start) + 1 or len(lines)


def _wait_for_room(descriptor: int) -> None:
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    poll.poll(1000 * PAUSE_SECONDS)


def _nothing() -> None:
    """Count drops nowhere else."""


def standard_output() -> int:
    """The descriptor of standard output.

    If it was closed when the process started, something else may have its number by now. Lines are then dropped.
    """
    return 1 if sys.stdout is not None else NO_DESCRIPTOR


def flush_logs() -> None:
    """Wait a moment for the last log lines, before a process ends in a way that runs no exit handlers."""
    for handler in logging.getLogger().handlers:
        handler.flush()
