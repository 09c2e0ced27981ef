"""Tries faults on a running system under reads and pushes, and makes a table of what they cost."""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.system.faults.catalogue import Fault
from bench.system.faults.clients import Pusher, Reader
from bench.system.faults.system import KEY, PATHS, PUSHED, System

READERS: Final = 4
READ_PACE: Final = 0.05
PUSH_PACE: Final = 0.25

COLUMNS: Final = ("fault", "before", "reads", "failed", "slowest read", "acknowledged", "lost", "healed after")


@dataclass(frozen=True)
class Outcome:
    """What one fault cost."""

    fault: Fault
    reads: int
    failed: int
    slowest: float
    acknowledged: int
    lost: int
    healed: float
    reasons: tuple[str, ...] = ()


class Trial:
    """A system with its clients, on which faults are tried one after the other."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._pusher = Pusher(system.ports, PUSHED, KEY, PUSH_PACE)
        self._pusher.start()
        self._lost: set[str] = set()

    def close(self) -> None:
        """End the clients."""
        self._pusher.stop()

    def outcome(self, fault: Fault) -> Outcome:
        """Bring a fault about, undo it, and wait until everything works again."""
        ports = self.system.ports
        readers = [
            Reader((*ports[number % len(ports) :], *ports[: number % len(ports)]), list(PATHS[number:]), READ_PACE)
            for number in range(READERS)
        ]
        acknowledged = len(self._pusher.accepted)
        for reader in readers:
            reader.start()
        try:
            undo = fault.inject(self.system)
            time.sleep(fault.seconds)
            undo()
            began = time.monotonic()
            self._wait_until_healed()
            healed = time.monotonic() - began
        finally:
            for reader in readers:
                reader.stop()
        counts = [reader.counts for reader in readers]
        accepted = list(self._pusher.accepted)
        lost = set(accepted) - self.system.stored() - self._lost
        self._lost |= lost
        return Outcome(
            fault,
            sum(each.sent for each in counts),
            sum(each.failed for each in counts),
            max(each.slowest for each in counts),
            len(accepted) - acknowledged,
            len(lost),
            healed,
            tuple(reason for each in counts for reason in each.reasons),
        )

    def _wait_until_healed(self) -> None:
        """All corpora are current, a changed file is served, and a push is accepted."""
        self.system.wait(self.system.ready, "a healthy system")
        self.system.publish_change("made")
        accepted = len(self._pusher.accepted)
        self.system.wait(lambda: len(self._pusher.accepted) > accepted, "an accepted push")


@contextmanager
def trial(folder: Path, schedule: str = "1h") -> Iterator[Trial]:
    """A fresh system with clients."""
    system = System(folder, schedule)
    with clients(system) as trying:
        yield trying


@contextmanager
def clients(system: System) -> Iterator[Trial]:
    """The clients of a system, which ends with them."""
    try:
        trying = Trial(system)
        try:
            yield trying
        finally:
            trying.close()
    finally:
        system.stop()


def possible(faults: Iterable[Fault], system: System) -> list[Fault]:
    """Those that can be tried here; says which cannot."""
    chosen = []
    for fault in faults:
        if fault.own_disk and not system.own_disk:
            print(f"left out: {fault.name} (this user may not mount a file system)", file=sys.stderr)
        else:
            chosen.append(fault)
    return chosen


def row(outcome: Outcome) -> str:
    """A line of the table."""
    return (
        f"| {outcome.fault.name} | {outcome.fault.before} | {outcome.reads:,} | {outcome.failed:,} "
        f"| {outcome.slowest:.2f} s | {outcome.acknowledged} | {outcome.lost} | {outcome.healed:.1f} s |"
    )


def table(rows: Iterable[str]) -> str:
    """A Markdown table."""
    heads = [f"| {' | '.join(COLUMNS)} |", "|---|---|" + "--:|" * (len(COLUMNS) - 2)]
    return "\n".join([*heads, *rows]) + "\n"
