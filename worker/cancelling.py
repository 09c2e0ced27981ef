"""Stops a run when its job is cancelled."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import structlog

from snapshot import StatusBoard, StoreUnavailable
from snapshot.log_writer import flush_logs

POLL_SECONDS: Final = 0.25
PATIENCE_SECONDS: Final = 0.5
"""How long a run may take to stop before its process is killed."""

log = structlog.get_logger()


class Cancelled(Exception):
    """Somebody cancelled the job of this run."""


@contextmanager
def cancellable(board: StatusBoard, job: str, on_kill: Callable[[], None]) -> Iterator[None]:
    """Raise Cancelled within a second after somebody cancels the job. Main thread only.

    A signal cannot interrupt a kernel: if the run does not stop in time, this calls `on_kill` and kills the process,
    which loses only unpublished work. At the edge of a kernel, foreign code may replace the exception by its own; that
    becomes Cancelled again.
    """
    ended, stopped = threading.Event(), threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        if not ended.is_set():
            stopped.set()
            raise Cancelled(job)

    previous_handler = signal.signal(signal.SIGUSR1, stop)
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
        signal.signal(signal.SIGUSR1, previous_handler)


def _watch(board: StatusBoard, job: str, ended: threading.Event, on_kill: Callable[[], None]) -> None:
    while not ended.wait(POLL_SECONDS):
        try:
            cancelled = board.cancelled(job)
        except StoreUnavailable:
            continue
        if cancelled:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
            if not ended.wait(PATIENCE_SECONDS):
                log.warning("cancelled during a kernel, killing the process", job=job)
                on_kill()
                flush_logs()
                os.kill(os.getpid(), signal.SIGKILL)
            return
