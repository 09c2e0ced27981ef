"""Supervises the parts of `cotag up`: starts them, starts them again when they end, and adopts those that still run."""

import hashlib
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

import orjson

from cotag.launcher.output import Output
from cotag.launcher.processes import AdoptedChild, Child, StartedChild, leftovers, remember

GRACE_SECONDS: Final = 4.0
"""How long a part may take to end before `cotag up` kills it."""

HANDOVER_SECONDS: Final = 10.0
"""How long the processes of a part that listens go on after its first process has died, until others answer."""

BACKLOG: Final = 2048
"""As many connections wait while a part that listens starts again, as gunicorn's default has it."""

LONGEST_PAUSE: Final = 10.0
"""Longest wait before a part that keeps ending is started again."""


@dataclass(eq=False)
class SupervisedPart:
    """A part of Cotag: its command, its process, and how often it ended by itself."""

    name: str
    command: list[str]
    environment: dict[str, str]
    listening: socket.socket | None = None
    """A socket that it gets from the launcher. Connections wait there while no process of the part runs."""

    on_end: Callable[[int | None], None] | None = None
    """Called with its exit code when it has ended by itself, before it is started again."""

    child: Child | None = None
    failures: int = 0
    not_before: float = 0.0

    @property
    def origin(self) -> str:
        """A digest of the command and the settings: a process that was started with others is not adopted."""
        settings = {name: value for name, value in self.environment.items() if name.startswith("COTAG_")}
        content = orjson.dumps([version("cotag"), self.command, settings], option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(content).hexdigest()


class Supervisor:
    """The parts of one `cotag up`. No error of its own ends a part, and no part that ends takes another with it."""

    def __init__(self, record: Path, output: Output) -> None:
        self._record = record
        self._output = output
        self._parts: list[SupervisedPart] = []
        self._recorded = True
        self._left_over = leftovers(record)
        self._retiring: list[tuple[Child, float]] = []
        """Parts whose first process has died and whose others still answer, and when to end them."""

    def adopt(self, part: SupervisedPart) -> bool:
        """Take over the part from a launcher that was killed, if it runs with the same settings."""
        candidates = [
            session for session in self._left_over if (session.name, session.origin) == (part.name, part.origin)
        ]
        session = next((session for session in candidates if session.leader_runs()), None)
        if session is None:
            return False
        self._left_over.remove(session)
        part.child = AdoptedChild(session, self._output.forward)
        self._parts.append(part)
        self._output.say(f"adopting {part.name} (pid {session.pid}), which still runs")
        return True

    def end_left_over(self) -> None:
        """End what an earlier launcher left behind and nobody adopted, the service first."""
        for session in reversed(self._left_over):
            self._output.say(f"ending {session.name} (pid {session.pid}), left over from an earlier start")
            session.end(GRACE_SECONDS)
        self._left_over = []

    def start(self, part: SupervisedPart) -> Child:
        """Start a part and record its process."""
        if part not in self._parts:
            self._parts.append(part)
        environment: dict[str, str] = part.environment
        fds: tuple[int, ...] = ()
        if part.listening is not None:
            fds = (part.listening.fileno(),)
            environment = {**environment, "COTAG_LISTEN_FD": str(fds[0])}
        part.child = StartedChild(
            part.name, part.command, environment, self._output.forward, origin=part.origin, pass_fds=fds
        )
        self.record()
        return part.child

    def record(self) -> None:
        """Record which processes are ours. If the disk is full, supervision goes on and tries again."""
        children = [child for child, _ in self._retiring] + [
            part.child for part in self._parts if part.child is not None
        ]
        try:
            remember(self._record, [*self._left_over, *(child.session for child in children)])
        except OSError as error:
            if self._recorded:
                self._output.say(f"cannot record the processes: {error}; a killed launcher leaves them", "warning")
            self._recorded = False
        else:
            self._recorded = True

    def look_after(self) -> None:
        """Start parts again that have ended."""
        for part in self._parts:
            self.restart_if_ended(part)
        for child, until in self._retiring[:]:
            if time.monotonic() >= until:
                self._retiring.remove((child, until))
                child.session.signal(signal.SIGTERM)  # they finish what they have begun to answer
                child.end(GRACE_SECONDS)
        if not self._recorded:
            self.record()

    def restart_if_ended(self, part: SupervisedPart) -> None:
        """Start a part again that has ended by itself, after a pause that grows while it keeps ending."""
        now = time.monotonic()
        old = part.child
        if old is not None and old.ended():
            part.failures = part.failures + 1 if now - old.started < 60 else 1
            pause = 0.0 if part.failures == 1 else min(0.5 * 2 ** (part.failures - 2), LONGEST_PAUSE)
            how = "" if old.exit_code is None else f" (exit code {old.exit_code})"
            when = f"in {pause:.1f} s" if pause else "at once"
            self._output.say(f"{part.name} ended{how}; starting it again {when}", "warning")
            if part.listening is None:
                old.end(grace=0.0)  # descendants that outlived it
            else:
                if not old.session.members():
                    part.listening.listen(BACKLOG)  # an adopted part had another socket, which is gone
                self._retiring.append((old, now + HANDOVER_SECONDS))
            if part.on_end is not None:
                part.on_end(old.exit_code)
            part.child, part.not_before = None, now + pause
        if part.child is None and now >= part.not_before:
            try:
                self.start(part)
            except OSError as error:
                part.not_before = now + LONGEST_PAUSE
                self._output.say(f"cannot start {part.name}: {error}; trying again in {LONGEST_PAUSE:.0f} s", "warning")

    def end(self) -> None:
        """End all parts, the last one first."""
        for child, _ in self._retiring:
            child.end(0.0)
        for part in reversed(self._parts):
            if part.child is not None:
                self._output.say(f"ending {part.name}")
                part.child.end(GRACE_SECONDS)
        with suppress(OSError):
            self._record.unlink(missing_ok=True)
