"""Stops a run that somebody asked to stop."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import structlog

from snapshot import StatusBoard, StoreUnavailable

POLL_SECONDS: Final = 0.25
PATIENCE_SECONDS: Final = 0.5
"""How long a run may take to notice that it is cancelled before its process ends without it."""

log = structlog.get_logger()


class Cancelled(Exception):
    """Somebody asked this run to stop."""


@contextmanager
def cancellable(board: StatusBoard, job: str, on_kill: Callable[[], None]) -> Iterator[None]:
    """Raise Cancelled within a second after the job was asked to stop. Main thread only.

    A kernel that is deep in its work does not notice; then `on_kill` is called and the process ends at once, which is
    safe because nothing it has not published yet is of any use. Where the request meets foreign code on its way into or
    out of a kernel, that code makes an error of its own of it, which is still Cancelled here.
    """
    ended, stopped = threading.Event(), threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        if not ended.is_set():
            stopped.set()
            raise Cancelled(job)

    before = signal.signal(signal.SIGUSR1, stop)
    watcher = threading.Thread(target=_watch, args=(board, job, ended, on_kill), daemon=True)
    watcher.start()
    try:
        yield
    except Exception as error:
        if stopped.is_set() and not isinstance(error, Cancelled):
            raise Cancelled(job) from error
        raise
    finally:
        ended.set()
        watcher.join()
        signal.signal(signal.SIGUSR1, before)


def _watch(board: StatusBoard, job: str, ended: threading.Event, on_kill: Callable[[], None]) -> None:
    while not ended.wait(POLL_SECONDS):
        try:
            wanted = board.cancelled(job)
        except StoreUnavailable:
            continue
        if wanted:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
            if not ended.wait(PATIENCE_SECONDS):
                log.warning("cancelled in the middle of a kernel, ending the process", job=job)
                on_kill()
                os.kill(os.getpid(), signal.SIGKILL)
            return
