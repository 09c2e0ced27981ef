"""Child processes: starts each in a session of its own, records it on disk, and ends it with all its descendants."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import orjson
import psutil

KILL_SECONDS = 5.0
"""How long the kernel may take to remove a killed process."""

ROUND_SECONDS = 0.5
"""How long to wait for known members before looking for new ones. Zombies do not count as members."""


@dataclass(frozen=True)
class Session:
    """A process and all its descendants. The kernel reuses pids, but pid and creation time together are unique."""

    name: str
    pid: int
    created: float

    def members(self) -> list[psutil.Process]:
        """All living processes of the session, also those whose parents have died."""
        if self._pid_reused():
            return []
        members = []
        for process in psutil.process_iter():
            try:
                if os.getsid(process.pid) == self.pid and process.status() != psutil.STATUS_ZOMBIE:
                    members.append(process)
            except (ProcessLookupError, PermissionError, psutil.Error):
                continue
        return members

    def end(self, grace: float) -> None:
        """Ask the leader to end, ask again halfway, then kill whatever is left of the session."""
        _signal(self.pid, signal.SIGTERM, unless=self._pid_reused())
        if not self._wait_until_gone(grace / 2):
            _signal(self.pid, signal.SIGTERM, unless=self._pid_reused())
            self._wait_until_gone(grace / 2)
        for process in self.members():
            _signal(process.pid, signal.SIGKILL)
        self._wait_until_gone(KILL_SECONDS)

    def _wait_until_gone(self, seconds: float) -> bool:
        """Whether all members end in time, also those that start meanwhile."""
        deadline = time.monotonic() + seconds
        while members := self.members():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            psutil.wait_procs(members, timeout=min(left, ROUND_SECONDS))
        return True

    def _pid_reused(self) -> bool:
        try:
            return abs(psutil.Process(self.pid).create_time() - self.created) > 1.0
        except psutil.NoSuchProcess:
            return False


class Child:
    """A running part of Cotag; every line of its output is given to `forward`, which must not wait."""

    def __init__(
        self, name: str, command: list[str], environment: dict[str, str], forward: Callable[[str, bytes], None]
    ) -> None:
        self.name = name
        self.process = subprocess.Popen(  # noqa: S603 - our own commands
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.session = Session(name, self.process.pid, _created(self.process.pid))
        self.started = time.monotonic()
        self._reader = threading.Thread(target=self._forward, args=(forward,), daemon=True)
        self._reader.start()

    def ended(self) -> int | None:
        """Exit code, or None while it runs."""
        return self.process.poll()

    def end(self, grace: float) -> None:
        """End it and its descendants."""
        self.session.end(grace)
        self.process.wait()
        self._reader.join()

    def _forward(self, forward: Callable[[str, bytes], None]) -> None:
        lines = self.process.stdout
        if lines is None:
            return
        with lines:
            for line in lines:
                forward(self.name, line)


def remember(path: Path, sessions: Iterable[Session]) -> None:
    """Record which processes are ours, so that the next start can end them if this one was killed."""
    records = [{"name": session.name, "pid": session.pid, "created": session.created} for session in sessions]
    temporary = path.with_suffix(".new")
    temporary.write_bytes(orjson.dumps(records))
    temporary.replace(path)


def leftovers(path: Path) -> list[Session]:
    """The recorded sessions that still run: a killed launcher left them behind."""
    try:
        records = orjson.loads(path.read_bytes())
    except (FileNotFoundError, orjson.JSONDecodeError):
        return []
    return [session for record in records if (session := Session(**record)).members()]


def _created(pid: int) -> float:
    try:
        return float(psutil.Process(pid).create_time())
    except psutil.NoSuchProcess:
        return time.time()


def _signal(pid: int, number: signal.Signals, *, unless: bool = False) -> None:
    if not unless:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
