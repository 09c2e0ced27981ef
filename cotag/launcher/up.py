"""`cotag up`: starts and supervises store, worker, scheduler and service on one machine."""

import os
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Final

from redis.exceptions import RedisError

from cotag.errors import StartError
from cotag.launcher.data_folder import keep_files_private, prepare_folder, single_instance, write_recognised_corpora
from cotag.launcher.embedded_store import EmbeddedStore
from cotag.launcher.output import Output
from cotag.launcher.settings import UpSettings
from cotag.launcher.store_server import START_SECONDS, socket_path, wait_for_store
from cotag.launcher.supervision import SupervisedPart, Supervisor
from runtime.log_writer import standard_output
from service.live.disk_cache import SUFFIX
from snapshot import CorpusRegister, SnapshotStore, StatusBoard, StoreUnavailable, connect, translate_errors
from snapshot.store.operation.corpus_lock import break_locks
from snapshot.store.operation.turns import Turns
from worker.corpora.current import registered
from worker.corpora.declaration import Corpus, read_sections
from worker.corpora.last_good import LastDeclarations
from worker.errors import CorpusError
from worker.recognition import Section

PATIENCE_SECONDS: Final = 5.0
"""How long a store that is not ours, or without which the service already answers, has to answer at start."""


def commands(workers: int) -> dict[str, str]:
    """The parts beside the store and their commands, in the order in which they start."""
    several = {f"worker-{number}": "worker" for number in range(2, workers + 1)}
    return {"worker": "worker", **several, "scheduler": "scheduler", "service": "serve"}


def up(settings: UpSettings, *, external_store: bool, sections: Sequence[Section] = ()) -> int:
    """Start everything and serve until a signal arrives; returns the exit code.

    With sections, which stand for files of the user, the corpora file is written to the data directory.
    """
    keep_files_private()
    folder = prepare_folder(settings.data_dir)
    settings = settings.model_copy(update={"cache_dir": settings.cache_dir or folder / "snapshots"})
    if not sections:
        corpora, broken = declared_corpora(settings)
        if broken is not None and not external_store and not (folder / "store").exists():
            raise broken
    with (
        single_instance(folder),
        stop_on_signal() as stop,
        closing(Output(settings.log_format, standard_output())) as output,
    ):
        if sections:
            settings = settings.model_copy(update={"corpora": write_recognised_corpora(folder, sections)})
            corpora, broken = declared_corpora(settings)
        for section in sections:
            output.say(f"{section.name}: {section.recognised.description}")
        return Launch(settings, folder, corpora, stop, output, external_store=external_store, broken=broken).run()


class Launch:
    """One run of `cotag up`."""

    def __init__(
        self,
        settings: UpSettings,
        folder: Path,
        corpora: Mapping[str, Corpus],
        stop: threading.Event,
        output: Output,
        *,
        external_store: bool,
        broken: CorpusError | None = None,
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._corpora = corpora
        self._names = list(corpora)
        self._broken = broken
        self._stop = stop
        self._output = output
        self._external = external_store
        socket = socket_path(folder)
        self._url = settings.redis_url if external_store else f"unix://{socket}"
        self._redis = connect(self._url, timeout=2.0)
        self._supervisor = Supervisor(folder / "processes.json", output)
        self._store = None if external_store else EmbeddedStore(folder / "store", socket, self._supervisor, output)

    def run(self) -> int:
        """Start the parts in order, supervise them, end them in reverse order.

        Parts that a killed launcher left behind go on serving: this one adopts them.
        """
        environment = self._environment()
        parts = [
            SupervisedPart(name, [sys.executable, "-m", "cotag", command], environment)
            for name, command in commands(self._settings.workers).items()
        ]
        service = parts[-1]
        every = parts if self._store is None else [self._store.part, *parts]
        adopted = {part.name for part in every if self._supervisor.adopt(part)}
        try:
            self._supervisor.end_left_over()
            with ExitStack() as stack:
                service.listening = stack.enter_context(
                    bound_socket(self._settings.host, self._settings.port, shared="service" in adopted)
                )
                self._open_store(adopted)
                for part in parts:
                    if part.child is None:
                        self._supervisor.start(part)
                return self._supervise()
        finally:
            self._supervisor.end()

    def _open_store(self, adopted: Collection[str]) -> None:
        """Wait until the store answers; if the service runs already, it goes on without."""
        patience = PATIENCE_SECONDS if self._store is None or "service" in adopted else START_SECONDS
        try:
            if self._store is None:
                wait_for_store(self._url, seconds=patience)
            else:
                self._store.open(patience)
            self._accept_broken_file()
            if self._store is not None:
                self._clear_traces(worker_runs=any(name.startswith("worker") for name in adopted))
                self._run_anew_if_repaired(self._store)
        except (StartError, StoreUnavailable) as error:
            if "service" not in adopted:
                raise
            self._output.say(f"{error}; the service goes on answering", "warning")

    def _accept_broken_file(self) -> None:
        """With a broken corpora file, serve what was declared before; raise its error if there is nothing to serve."""
        if self._broken is None:
            return
        store = SnapshotStore(self._redis)
        names = sorted({*self._names, *CorpusRegister(self._redis).read()})
        self._names = sorted(names, key=lambda name: store.current(name) is None)  # what is served comes first
        if not any(store.current(name) for name in self._names) and not self._copies():
            raise self._broken
        self._output.say(f"{self._broken}; the last good declarations stay in force", "error")

    def _copies(self) -> bool:
        """Whether the service has a copy of a snapshot on disk."""
        return self._settings.cache_dir is not None and any(self._settings.cache_dir.glob(f"*{SUFFIX}"))

    def _clear_traces(self, *, worker_runs: bool) -> None:
        """Delete the locks of dead runs, and write the register anew: nobody else uses this store."""
        with translate_errors():
            if not worker_runs:
                break_locks(self._redis, self._names)
        register = CorpusRegister(self._redis)
        known = register.read()
        new = {name: registered(corpus, time.time()) for name, corpus in self._corpora.items() if name not in known}
        register.write(new | {name: corpus for name, corpus in known.items() if name in self._names})

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "COTAG_REDIS_URL": self._url,
            "COTAG_CORPORA": str(self._settings.corpora.resolve()),
            "COTAG_LOG_FORMAT": self._settings.log_format,
            "COTAG_UNDECLARED": str(self._settings.undeclared),
            "COTAG_CACHE_DIR": str(self._settings.cache_dir),
            "PYTHONUNBUFFERED": "1",
        }

    def _supervise(self) -> int:
        announced = False
        while not self._stop.wait(0.2):
            self._supervisor.look_after()
            if self._store is not None:
                self._run_anew_if_repaired(self._store)
            if not announced:
                announced = self._is_ready()
                if announced:
                    self._print_address()
                elif (reason := self._fatal_reason()) is not None:
                    raise StartError(reason)
        return 0

    def _run_anew_if_repaired(self, store: EmbeddedStore) -> None:
        """If the store was damaged, forget the turns of all corpora: each runs at once and heals what is left."""
        if store.repaired:
            with suppress(RedisError):
                Turns(self._redis, lambda _: None).forget(self._names)
                store.repaired = False

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
        if served or len(failed) < len(statuses) or self._copies():
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


def declared_corpora(settings: UpSettings) -> tuple[dict[str, Corpus], CorpusError | None]:
    """The corpora that the corpora file declares, the last good ones where it is broken, and what is wrong with it."""
    last = LastDeclarations(settings.corpora, settings.cache_dir)
    try:
        sections = read_sections(settings.corpora)
    except CorpusError as error:
        return last.read(), error
    known = last.read() if sections.broken else {}
    return sections.corpora | {name: known[name] for name in sections.broken & known.keys()}, sections.error


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


@contextmanager
def bound_socket(host: str, port: int, *, shared: bool) -> Iterator[socket.socket]:
    """The socket of the service, which listens on it; StartError if it cannot.

    The launcher keeps it open, so that connections wait instead of failing while the service starts again. An adopted
    service listens on another one, with which this one shares the port.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe, socket.socket(family, socket.SOCK_STREAM) as bound:
        try:
            if not shared:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((host, port))  # fails if anybody has the port
                port = probe.getsockname()[1]
            probe.close()
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            bound.bind((host, port))
        except (OSError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise StartError(f"cannot listen on {host} port {port}: {reason} (COTAG_HOST, COTAG_PORT)") from error
        yield bound
