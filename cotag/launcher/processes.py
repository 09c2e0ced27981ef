"""Child processes: each in a session of its own, recorded on disk, ended with all its descendants, or adopted."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

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
    origin: str = ""
    """A digest of what it was started with; another one means other settings."""

    directory: str = field(default="", compare=False)
    """The data directory whose launcher started it: device and inode, which a copy does not share."""

    def leader_runs(self) -> bool:
        """Whether the process itself runs, not only descendants."""
        try:
            leader = psutil.Process(self.pid)
            return not self._pid_reused() and leader.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

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

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to all members."""
        for process in self.members():
            _signal(process.pid, number)

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


class Child(ABC):
    """A running part of Cotag; every line of its output is given to `forward`, which must not wait."""

    def __init__(self, session: Session, output: IO[bytes] | None, forward: Callable[[str, bytes], None]) -> None:
        self.session = session
        self.started = time.monotonic()
        self._reader = _forwarding(session.name, output, forward)

    @property
    @abstractmethod
    def exit_code(self) -> int | None:
        """Its exit code; None while it runs, or if nobody can know it."""

    @abstractmethod
    def ended(self) -> bool:
        """Whether it has ended; descendants may still run."""

    def end(self, grace: float) -> None:
        """End it and its descendants."""
        self.session.end(grace)
        self._reader.join()


class StartedChild(Child):
    """A part that this process has started."""

    def __init__(
        self,
        name: str,
        command: list[str],
        environment: dict[str, str],
        forward: Callable[[str, bytes], None],
        *,
        origin: str = "",
        pass_fds: tuple[int, ...] = (),
    ) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own commands
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=pass_fds,
        )
        session = Session(name, self._process.pid, _created(self._process.pid), origin)
        super().__init__(session, self._process.stdout, forward)

    @property
    def exit_code(self) -> int | None:
        """Its exit code; None while it runs."""
        return self._process.poll()

    def ended(self) -> bool:
        """Whether it has ended; descendants may still run."""
        return self.exit_code is not None

    def end(self, grace: float) -> None:
        """End it and its descendants."""
        super().end(grace)
        self._process.wait()


class AdoptedChild(Child):
    """A part that an earlier launcher started and left behind.

    Its output goes to a pipe whose reader has died. Linux lets us open that pipe again; elsewhere its lines are lost.
    """

    exit_code = None

    def __init__(self, session: Session, forward: Callable[[str, bytes], None]) -> None:
        output: IO[bytes] | None = None
        with contextlib.suppress(OSError):
            output = Path(f"/proc/{session.pid}/fd/1").open("rb")  # noqa: SIM115 - its reader closes it
        super().__init__(session, output, forward)

    def ended(self) -> bool:
        """Whether it has ended; descendants may still run."""
        return not self.session.leader_runs()


def _forwarding(name: str, output: IO[bytes] | None, forward: Callable[[str, bytes], None]) -> threading.Thread:
    """A thread that forwards all lines of a pipe, to its end."""

    def run() -> None:
        if output is not None:
            with output:
                for line in output:
                    forward(name, line)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def remember(path: Path, sessions: Iterable[Session]) -> None:
    """Record which processes are ours, so that the next start can adopt them if this one was killed."""
    temporary = path.with_suffix(".new")
    own = _identity(path.parent)
    temporary.write_bytes(orjson.dumps([replace(session, directory=own) for session in sessions]))
    temporary.replace(path)


def leftovers(path: Path) -> list[Session]:
    """The recorded sessions that still run: a killed launcher left them behind.

    A record that was copied with its directory is about processes of another launcher, which are none of ours.
    """
    try:
        sessions = [Session(**record) for record in orjson.loads(path.read_bytes())]
    except (FileNotFoundError, orjson.JSONDecodeError, TypeError):
        return []
    own = ("", _identity(path.parent))  # earlier releases recorded no directory
    return [session for session in sessions if session.directory in own and session.members()]


def _identity(folder: Path) -> str:
    found = folder.stat()
    return f"{found.st_dev}:{found.st_ino}"


def _created(pid: int) -> float:
    try:
        return float(psutil.Process(pid).create_time())
    except psutil.NoSuchProcess:
        return time.time()


def _signal(pid: int, number: signal.Signals, *, unless: bool = False) -> None:
    if not unless:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
