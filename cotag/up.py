"""`cotag up`: starts and supervises store, worker, scheduler and service on one machine."""

import os
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

from cotag.data_folder import prepare_folder, single_instance, write_corpora_file
from cotag.errors import StartError
from cotag.output import Output
from cotag.processes import Child, leftovers, remember
from cotag.settings import UpSettings
from cotag.store import LOG, server_binary, server_command, socket_path, wait_for_store
from snapshot import CorpusRegister, SnapshotStore, StatusBoard, StoreUnavailable, connect, keys
from snapshot.log_writer import standard_output
from worker.corpora import read_sections
from worker.errors import CorpusError
from worker.recognition import Section

GRACE_SECONDS: Final = 4.0
"""How long a part may take to end before `cotag up` kills it."""

LONGEST_PAUSE: Final = 10.0
"""Longest wait before a part that keeps ending is started again."""


def up(settings: UpSettings, *, external_store: bool, sections: Sequence[Section] = ()) -> int:
    """Start everything and serve until a signal arrives; returns the exit code.

    With sections, which stand for files of the user, the corpora file is written to the data directory.
    """
    names, broken = ([section.name for section in sections], None) if sections else declared_names(settings.corpora)
    folder = prepare_folder(settings.data_dir)
    if broken is not None and not external_store and not (folder / "store").exists():
        raise broken
    with (
        single_instance(folder),
        stop_on_signal() as stop,
        closing(Output(settings.log_format, standard_output())) as output,
    ):
        for session in leftovers(folder / "processes.json"):
            output.say(f"ending {session.name} (pid {session.pid}), left over from an earlier start")
            session.end(GRACE_SECONDS)
        require_free_port(settings.host, settings.port)
        if sections:
            settings = settings.model_copy(update={"corpora": write_corpora_file(folder, sections)})
        for section in sections:
            output.say(f"{section.name}: {section.recognised.description}")
        return Launch(settings, folder, names, stop, output, external_store=external_store, broken=broken).run()


@dataclass
class SupervisedPart:
    """A part of Cotag: its command, its process, and how often it ended by itself."""

    name: str
    command: list[str]
    environment: dict[str, str]
    child: Child | None = None
    failures: int = 0
    not_before: float = 0.0


class Launch:
    """One run of `cotag up`."""

    def __init__(
        self,
        settings: UpSettings,
        folder: Path,
        names: Sequence[str],
        stop: threading.Event,
        output: Output,
        *,
        external_store: bool,
        broken: CorpusError | None = None,
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._names = list(names)
        self._broken = broken
        self._stop = stop
        self._output = output
        self._external = external_store
        self._parts: list[SupervisedPart] = []
        self._recorded = True
        self._url = settings.redis_url if external_store else f"unix://{socket_path(folder)}"
        self._redis = connect(self._url, timeout=2.0)

    def run(self) -> int:
        """Start the parts in order, supervise them, end them in reverse order."""
        try:
            self._start_store()
            for name, command in (("worker", "worker"), ("scheduler", "scheduler"), ("service", "serve")):
                self._start(SupervisedPart(name, [sys.executable, "-m", "cotag", command], self._environment()))
            return self._supervise()
        finally:
            for part in reversed(self._parts):
                if part.child is not None:
                    self._output.say(f"ending {part.name}")
                    part.child.end(GRACE_SECONDS)
            with suppress(OSError):
                (self._folder / "processes.json").unlink(missing_ok=True)

    def _start_store(self) -> None:
        if self._external:
            wait_for_store(self._url, seconds=5.0)
            self._accept_broken_file()
            return
        data = self._folder / "store"
        data.mkdir(exist_ok=True)
        path = Path(self._url.removeprefix("unix://"))
        store = SupervisedPart("store", server_command(server_binary(), data, path), dict(os.environ))
        self._start(store)
        try:
            wait_for_store(self._url, give_up=lambda: store.child is None or store.child.ended() is not None)
        except StartError as error:
            raise StartError(f"{error}; its log is {data / LOG}") from error
        self._accept_broken_file()
        self._clear_traces()

    def _accept_broken_file(self) -> None:
        """With a broken corpora file, serve what was declared before; raise its error if there is nothing to serve."""
        if self._broken is None:
            return
        store = SnapshotStore(self._redis)
        names = sorted({*self._names, *CorpusRegister(self._redis).read()})
        self._names = sorted(names, key=lambda name: store.current(name) is None)  # what is served comes first
        if not any(store.current(name) for name in self._names):
            raise self._broken
        self._output.say(f"{self._broken}; the last good declarations stay in force", "error")

    def _clear_traces(self) -> None:
        """Delete locks of dead runs and old declarations: nobody else uses this store, so nothing can be under way."""
        self._redis.delete(*(keys.lock(name) for name in self._names))
        register = CorpusRegister(self._redis)
        register.write({name: corpus for name, corpus in register.read().items() if name in self._names})

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "COTAG_REDIS_URL": self._url,
            "COTAG_CORPORA": str(self._settings.corpora.resolve()),
            "COTAG_LOG_FORMAT": self._settings.log_format,
            "COTAG_UNDECLARED": str(self._settings.undeclared),
            "COTAG_CACHE_DIR": str(self._settings.cache_dir or self._folder / "snapshots"),
            "PYTHONUNBUFFERED": "1",
        }

    def _start(self, part: SupervisedPart) -> None:
        if part not in self._parts:
            self._parts.append(part)
        part.child = Child(part.name, part.command, part.environment, self._output.forward)
        self._record_parts()

    def _record_parts(self) -> None:
        """Record which processes are ours. If the disk is full, supervision goes on and tries again."""
        sessions = [part.child.session for part in self._parts if part.child is not None]
        try:
            remember(self._folder / "processes.json", sessions)
        except OSError as error:
            if self._recorded:
                self._output.say(f"cannot record the processes: {error}; a killed launcher leaves them", "warning")
            self._recorded = False
        else:
            self._recorded = True

    def _supervise(self) -> int:
        announced = False
        while not self._stop.wait(0.2):
            for part in self._parts:
                self._restart_if_ended(part)
            if not self._recorded:
                self._record_parts()
            if not announced:
                announced = self._is_ready()
                if announced:
                    self._print_address()
                elif (reason := self._fatal_reason()) is not None:
                    raise StartError(reason)
        return 0

    def _restart_if_ended(self, part: SupervisedPart) -> None:
        """Restart a part that has ended by itself, after a pause that grows while it keeps ending."""
        now = time.monotonic()
        if part.child is not None and (code := part.child.ended()) is not None:
            lived = now - part.child.started
            part.failures = part.failures + 1 if lived < 60 else 1
            pause = min(0.5 * 2 ** (part.failures - 1), LONGEST_PAUSE)
            self._output.say(f"{part.name} ended (exit code {code}); starting it again in {pause:.1f} s", "warning")
            part.child.end(grace=0.0)  # descendants that outlived it
            part.child, part.not_before = None, now + pause
        if part.child is None and now >= part.not_before:
            try:
                self._start(part)
            except OSError as error:
                part.not_before = now + LONGEST_PAUSE
                self._output.say(f"cannot start {part.name}: {error}; trying again in {LONGEST_PAUSE:.0f} s", "warning")

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self._address()}/readyz", timeout=2) as response:  # noqa: S310 - http
                return bool(response.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _fatal_reason(self) -> str | None:
        """Why no corpus will be served: every run has failed and no corpus has an older snapshot."""
        board, store = StatusBoard(self._redis), SnapshotStore(self._redis)
        try:
            statuses = [board.read(name) for name in self._names]
            served = any(store.current(name) for name in self._names)
        except StoreUnavailable:
            return None
        failed = [status for status in statuses if status is not None and status.state == "failed"]
        if served or len(failed) < len(statuses):
            return None
        return "; ".join(status.error for status in failed)

    def _print_address(self) -> None:
        name = self._names[0]
        query = "payment" if name == "demo" else ""
        self._output.say(f"ready: {self._address()}/")
        self._output.say(f"try:   curl '{self._address()}/v1/corpora/{name}/cloud?q={query}'")

    def _address(self) -> str:
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self._settings.host, self._settings.host)  # noqa: S104
        return f"http://{host}:{self._settings.port}"


def declared_names(path: Path) -> tuple[list[str], CorpusError | None]:
    """The names of the corpora that a file declares, and what is wrong with it."""
    try:
        sections = read_sections(path)
    except CorpusError as error:
        return [], error
    return list(sections.corpora), sections.error


@contextmanager
def stop_on_signal() -> Iterator[threading.Event]:
    """An event that SIGINT, SIGTERM and SIGHUP set."""
    stop = threading.Event()

    def set_stop(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    previous = {number: signal.signal(number, set_stop) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def require_free_port(host: str, port: int) -> None:
    """StartError if the service cannot listen on this port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise StartError(f"cannot listen on {host} port {port}: {reason} (COTAG_HOST, COTAG_PORT)") from error
