"""The process that computes one run. It reports through a pipe, and can be killed at any point."""

import os
import select
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import FrameType
from typing import Any, Final

import orjson
import psutil

from runtime.log_writer import flush_logs

READ_BYTES: Final = 65536

Send = Callable[[Mapping[str, Any]], None]
"""Reports one message, a JSON object."""


class RunProcess:
    """A fork of the worker, with a process group of its own for all that it starts.

    It is forked and not started anew, so that it has the declarations that the worker has read. It holds the only
    writing end of the pipe: the pipe ends when the process does.
    """

    def __init__(self, compute: Callable[[Send], None]) -> None:
        self.exit_code: int | None = None
        """None while it lives; negative if a signal ended it."""
        reader, writer = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(reader)
            _compute(compute, writer)
        os.close(writer)
        _lead_group(self._pid)
        self._reader = reader
        self._unfinished = b""

    def receive(self, seconds: float) -> list[dict[str, Any]]:
        """The messages that arrived; waits for the first of them, but not for longer than this."""
        if self.exit_code is not None or not select.select([self._reader], [], [], seconds)[0]:
            return []
        received = os.read(self._reader, READ_BYTES)
        if not received:
            self.kill()
        *lines, self._unfinished = (self._unfinished + received).split(b"\n")
        return [orjson.loads(line) for line in lines]

    def processor_seconds(self) -> float:
        """Processor time that it and its children have used; 0 if it has ended."""
        try:
            process = psutil.Process(self._pid)
            family = [process, *process.children(recursive=True)]
            return sum(sum(each.cpu_times()[:4]) for each in family)  # with children that have ended
        except psutil.NoSuchProcess:
            return 0.0

    def kill(self) -> None:
        """Kill it if it lives, and end the processes that it started.

        These get SIGTERM, which joblib's own cleaners ignore: they remove what it left in shared memory, then end.
        """
        if self.exit_code is None:
            os.kill(self._pid, signal.SIGKILL)  # it is there, as a zombie at least
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, signal.SIGTERM)
            self.exit_code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
            os.close(self._reader)


def _lead_group(pid: int) -> None:
    """Make a process the leader of its group. Both sides do so, because either may come first."""
    with suppress(ProcessLookupError, PermissionError):
        os.setpgid(pid, pid)


def _compute(compute: Callable[[Send], None], writer: int) -> None:
    """What the process does. Signals are for the worker, which decides what becomes of the run."""
    code = 1
    try:
        _lead_group(os.getpid())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _ignore)
        compute(lambda message: _send(writer, message))
        code = 0
    finally:
        flush_logs()
        os._exit(code)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Unlike SIG_IGN, this is not passed on to the programs that the process starts."""


def _send(writer: int, message: Mapping[str, Any]) -> None:
    """Write one message. If the worker has died, end at once: somebody else does the run again."""
    line = orjson.dumps(message) + b"\n"
    try:
        while line:
            line = line[os.write(writer, line) :]
    except BrokenPipeError:
        flush_logs()
        os._exit(1)
