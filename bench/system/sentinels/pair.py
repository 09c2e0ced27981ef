"""Two of everything: two `cotag up`, each with a service, a worker and a scheduler, on a store that Sentinels watch."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil

from bench.service.serving.processes import free_port
from bench.system.faults.catalogue import FAULTS, UNKNOWN, Fault, Undo
from bench.system.faults.system import DEADLINE_SECONDS, System
from bench.system.sentinels.network import cut, join, plug, unplug
from bench.system.sentinels.store import Host, WatchedStore

OPTIONS: Final = ("--min-replicas-to-write", "1", "--min-replicas-max-lag", "3")
"""Of the servers, as high-availability.md advises."""

KEPT: Final = (
    "the file of one corpus is missing",
    "the corpora file is broken, worker and scheduler start",
    "meta of the current version is gone",
    "arrays of the current version is gone",
    "documents of the current version is gone",
    "current, corpora and declared have another type",
    "a version and a turn are dated a day ahead",
    "a rolling restart (SIGHUP)",
    "gunicorn is killed",
    "the launcher is killed and started again",
    "a process of the service is killed",
    "a file shrinks to a quarter",
    "foreign calls on the queue",
    "300 equal requests",
    "the worker is killed",
    "the scheduler is killed",
)
"""The faults of one machine that do not need its own store."""


class Pair(System):
    """Both `cotag up` have the same corpora file; faults of one machine are those of the first."""

    def __init__(self, folder: Path, schedule: str, hosts: list[Host], *, split: bool) -> None:
        self.split = split
        self.second_port, self.second_data = free_port(), folder / "second"
        self.second: subprocess.Popen[bytes] | None = None
        self.store = WatchedStore(folder, hosts, options=OPTIONS).start()
        try:
            super().__init__(folder, schedule, self.store.url)
            self.second = self.launch_at(self.second_data, self.second_port)
        except BaseException:
            self.store.stop()
            raise

    @property
    def ports(self) -> tuple[int, ...]:
        """Of both services."""
        return (self.port, self.second_port)

    def ready(self) -> bool:
        """Whether a master has both replicas, too."""
        return super().ready() and self.store.agreed() is not None

    def stop(self) -> None:
        """End everything."""
        try:
            if self.second is not None:
                self.second.terminate()
                self.second.wait(DEADLINE_SECONDS)
            super().stop()
        finally:
            self.store.stop()

    def master(self) -> Host:
        """The host of the master."""
        self.wait(self.store.agreed, "one master with two replicas")
        return self.store.agreed() or self.master()

    def faults(self) -> list[Fault]:
        """What can be tried on it."""
        chosen = [fault for fault in FAULTS if fault.name in KEPT]
        chosen += [fault for fault in WATCHED if self.split or fault not in SPLITS]
        return chosen


def on_pair(inject: Callable[[Pair], Undo]) -> Callable[[System], Undo]:
    """A fault that only such a system can have."""

    def injected(system: System) -> Undo:
        if not isinstance(system, Pair):
            raise TypeError("this fault needs a store that Sentinels watch")
        return inject(system)

    return injected


def kill_master(pair: Pair) -> Undo:
    """The server dies, and starts again when another one is the master."""
    master = pair.master()
    pair.store.kill(master, master.server)
    return lambda: pair.store.start_server(master)


def pause_master(pair: Pair) -> Undo:
    """The server hangs until another one is the master, and goes on as if it still were."""
    master = pair.master()
    process = pair.store.process(master, master.server)
    process.send_signal(signal.SIGSTOP)
    return lambda: process.send_signal(signal.SIGCONT)


def kill_replica(pair: Pair) -> Undo:
    """One of two replicas dies."""
    master = pair.master()
    replica = next(host for host in pair.store.hosts if host != master)
    pair.store.kill(replica, replica.server)
    return lambda: pair.store.start_server(replica, "--replicaof", master.address, str(master.server))


def kill_sentinel(pair: Pair) -> Undo:
    """The Sentinel that clients ask first dies."""
    host = pair.store.hosts[0]
    pair.store.kill(host, host.sentinel)
    return lambda: pair.store.start_sentinel(host)


def split_network(pair: Pair) -> Undo:
    """The host of the master loses the others; services reach all of them."""
    master = pair.master()
    others = [host for host in pair.store.hosts if host != master]
    cut(master, others)
    return lambda: join(master, others)


def unplug_master(pair: Pair) -> Undo:
    """Nothing reaches the host of the master."""
    master = pair.master()
    unplug(master)
    return lambda: plug(master)


def kill_machine(pair: Pair) -> Undo:
    """Everything of the first `cotag up` dies at once, and is started again."""
    parts = json.loads((pair.data / "processes.json").read_text())
    leaders = [pair.launcher.pid, *(part["pid"] for part in parts)]
    for leader in leaders:
        with suppress(psutil.NoSuchProcess):
            family = [psutil.Process(leader), *psutil.Process(leader).children(recursive=True)]
            for process in family:
                with suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL)
    pair.launcher.wait()

    def start_again() -> None:
        pair.launcher = pair.launch()

    return start_again


SPLITS: Final = (
    Fault("the master loses the others (split)", "131 documents and an edit lost", on_pair(split_network), 10.0),
    Fault("the host of the master is unplugged", UNKNOWN, on_pair(unplug_master), 10.0),
)
WATCHED: Final = (
    Fault("the master is killed", UNKNOWN, on_pair(kill_master), 6.0),
    Fault("the master hangs", UNKNOWN, on_pair(pause_master), 6.0),
    Fault("a replica is killed", UNKNOWN, on_pair(kill_replica), 6.0),
    Fault("a Sentinel is killed", UNKNOWN, on_pair(kill_sentinel), 6.0),
    Fault("one machine dies", UNKNOWN, on_pair(kill_machine), 6.0),
    *SPLITS,
)
