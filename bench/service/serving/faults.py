"""What the service does to those who read while something is wrong.

python -m bench.service.serving.faults           # a Markdown table, also in bench/results/faults.md
python -m bench.service.serving.faults --seconds 10 --faults none "500 slow heads"
"""

import argparse
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import IO, Any, Final

from bench.places import RESULTS, ROOT
from bench.service.serving.corpora import served
from bench.service.serving.loading import Target, hammer
from bench.service.serving.mix import mixed
from bench.service.serving.processes import free_port, memory, process, store
from bench.service.serving.publishing import publish
from bench.service.serving.readers import READ_SECONDS, Reads, observed

TABLE: Final = RESULTS / "faults.md"
CORPUS: Final = "demo"
PREFIX: Final = f"/v1/corpora/{CORPUS}"
FLOOD_SECONDS: Final = 5
ROUNDS: Final = 5
"""Turns of the faulty and the sound service. The median of their ratios counts, because the machine is never quiet."""

WARM_SECONDS: Final = 2.0
LARGE: Final = f"{PREFIX}/clusters?format=csv"
STORE_PATHS: Final = (
    "/v1/jobs/x",
    f"{PREFIX}/snapshots",
    "/ops",
    f"{PREFIX}/dendrogram?side=documents",
)


COLUMNS: Final = (
    "fault",
    "reads sent",
    "failed",
    "p50 ms",
    "p99 ms",
    "p99 ÷ sound",
    "/healthz answered",
    "slowest ms",
    "MB before",
    "MB after",
)


@dataclass(frozen=True)
class Fault:
    """Something wrong: clients that behave badly, a signal for the store, or a sink of the log."""

    name: str
    clients: Mapping[str, Any] = field(default_factory=dict)
    store: signal.Signals | None = None
    sink: str | None = None
    flood: bool = False
    """Whether wrk asks as fast as it can afterwards, so that a log that piles up shows in the memory."""


ASKERS: Final = {"askers": 20, "paths": STORE_PATHS}
FAULTS: Final = (
    Fault("none", flood=True),
    Fault("500 slow heads", {"counts": {"heads": 500}}),
    Fault("100 slow readers", {"readers": 100, "large": LARGE}),
    Fault("500 silent connections", {"counts": {"silent": 500}}),
    Fault("all three", {"counts": {"heads": 500, "silent": 500}, "readers": 100, "large": LARGE}),
    Fault("store hung, 20 ask for it", ASKERS, store=signal.SIGSTOP),
    Fault("store away, 20 ask for it", ASKERS, store=signal.SIGKILL),
    Fault("log to a pipe that nobody reads", sink="pipe", flood=True),
    Fault("log to a full disk", sink="/dev/full", flood=True),
)


@contextmanager
def misbehaving(port: int, clients: Mapping[str, Any]) -> Iterator[None]:
    """The bad clients of a fault, in a process of their own."""
    if not clients:
        yield
        return
    command = [sys.executable, "-m", "bench.service.serving.clients", str(port), json.dumps(clients)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as running:
        try:
            if running.stdout is not None:
                running.stdout.readline()
            yield
        finally:
            if running.stdin is not None:
                running.stdin.close()
            try:
                running.wait(2 * READ_SECONDS)
            except subprocess.TimeoutExpired:
                running.kill()


@contextmanager
def sink(name: str | None) -> Iterator[IO[bytes] | int]:
    """Where the service writes its log."""
    if name is None:
        yield subprocess.DEVNULL
    elif name == "pipe":
        reading, writing = os.pipe()
        try:
            with os.fdopen(writing, "wb") as file:
                yield file
        finally:
            os.close(reading)
    else:
        with Path(name).open("wb", buffering=0) as file:
            yield file


@dataclass(frozen=True)
class Outcome:
    """What a fault did."""

    reads: Reads
    health: Reads
    ratio: float
    """The p99 of the reads beside that of a sound service at the same time."""

    before: float
    after: float
    """MB of a process."""


@dataclass(frozen=True)
class Running:
    """A service of its own, its store, and what normal clients ask it."""

    port: int
    service: int
    """The pid of the process that started the others."""

    store: subprocess.Popen[bytes]
    paths: list[str]


@contextmanager
def running(folder: Path, log_sink: str | None = None) -> Iterator[Running]:
    """A fresh service and a fresh store, asked for a while already."""
    corpus = served(CORPUS)
    paths = [query.path(question, PREFIX) for query in mixed(corpus).of("one") for question in ("related", "cloud")]
    with ExitStack() as stack:
        url, server = stack.enter_context(store(folder))
        publish(url, corpus.encoded())
        port = free_port()
        settings = {"COTAG_REDIS_URL": url, "COTAG_LOG_FORMAT": "json"}
        log = stack.enter_context(sink(log_sink))
        service = stack.enter_context(process(["cotag", "serve"], port, settings, stdout=log, ready="/readyz"))
        observed(port, paths, WARM_SECONDS)
        yield Running(port, service.pid, server, paths)


def outcome(fault: Fault, sound: Running, folder: Path, seconds: float) -> Outcome:
    """What normal clients see while one thing is wrong. They ask this service and a sound one in turns."""
    with ExitStack() as stack:
        target = stack.enter_context(running(folder / fault.name.replace(" ", "-"), fault.sink))
        before = memory(target.service)
        if fault.store is not None:
            target.store.send_signal(fault.store)
            stack.callback(target.store.send_signal, signal.SIGCONT)
        stack.enter_context(misbehaving(target.port, fault.clients))
        reads, health, ratios = Reads(), Reads(), []
        for _ in range(ROUNDS):
            usual, _ = observed(sound.port, sound.paths, seconds / ROUNDS)
            seen, checks = observed(target.port, target.paths, seconds / ROUNDS)
            ratios.append(seen.percentile(0.99) / usual.percentile(0.99))
            reads, health = reads.with_more(seen), health.with_more(checks)
        if fault.flood:
            hammer(Target(target.port, target.service), target.paths, FLOOD_SECONDS, folder)
        return Outcome(reads, health, median(ratios), before, memory(target.service))


def table(faults: list[Fault], seconds: float) -> str:
    """A row for each fault."""
    lines = [f"| {' | '.join(COLUMNS)} |", "|---|" + "--:|" * (len(COLUMNS) - 1)]
    with tempfile.TemporaryDirectory(prefix="cotag-") as temporary, running(Path(temporary) / "sound") as sound:
        for fault in faults:
            print(f"  {fault.name}", file=sys.stderr, flush=True)
            found = outcome(fault, sound, Path(temporary), seconds)
            reads, health = found.reads, found.health
            lines.append(
                f"| {fault.name} | {reads.sent:,} | {reads.failed:,} | {_figure(reads.percentile(0.5))} "
                f"| {_figure(reads.percentile(0.99))} | {_figure(found.ratio)} "
                f"| {len(health.seconds)} of {health.sent} | {_figure(health.percentile(1.0))} "
                f"| {found.before:.0f} | {found.after:.0f} |"
            )
    return "\n".join(lines)


def _figure(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.1f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0)
    names = [fault.name for fault in FAULTS]
    parser.add_argument("--faults", nargs="*", choices=names, default=names)
    given = parser.parse_args()
    wanted = [fault for fault in FAULTS if fault.name in given.faults]
    text = table(wanted, given.seconds)
    TABLE.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
