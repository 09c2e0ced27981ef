"""What operators see of a corpus beside its versions: runs of the last day, changes, pauses, pins; and of workers."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from redis import Redis

from runtime.durations import duration
from runtime.schedule_words import MANUAL, schedule_words
from service.live.absence import StoreState
from snapshot import RunStatus
from snapshot.store.change_log import ChangeLog
from snapshot.store.operation.run_history import DAY_SECONDS, PastRun, RunHistory
from snapshot.version.changes import Step, is_renamed

STEPS: Final = 12
NAMED: Final = 8
"""Tags and concepts that a step names."""

LONG_WAIT_SECONDS: Final = 600.0
"""A run that waits longer, while every worker is busy, needs another worker."""

BUSY_SHARE: Final = 0.7
"""If runs took more than this share of the day of all workers, another worker is needed."""


@dataclass(frozen=True)
class ShownStep:
    """How a version differs from the one before, for people: counts, and some names."""

    version: str
    previous: str
    came: list[str]
    went: list[str]
    moved: int
    renamed: list[tuple[str, str]]
    new: list[str]
    gone: list[str]

    @property
    def summary(self) -> str:
        """In one line."""
        parts = [
            f"{len(found):,} {what}"
            for found, what in (
                (self.new, "concepts new"),
                (self.gone, "concepts gone"),
                (self.renamed, "concepts renamed"),
                (self.came, "tags came"),
                (self.went, "tags went"),
            )
            if found
        ]
        parts += [f"{self.moved:,} tags moved"] if self.moved else []
        return ", ".join(parts) or "nothing changed"


@dataclass(frozen=True)
class OperatingPart:
    """One corpus."""

    day: list[tuple[str, int]]
    """How many runs of the last day ended in each state."""

    seconds: float
    """How long these runs took together."""

    steps: list[ShownStep]
    """How the last versions differ from those before, newest first, also of versions that are no longer stored."""


NOTHING: Final = OperatingPart([], 0.0, [])


def operating_part(redis: Redis, corpus: str, current: str | None, now: float) -> OperatingPart:
    """Read it from the store."""
    past = RunHistory(redis).since(corpus, now - DAY_SECONDS)
    counts: Counter[str] = Counter()
    for run in past:
        counts[run.state] += run.times
    steps = [] if current is None else ChangeLog(redis).latest(corpus, current, STEPS)
    return OperatingPart(sorted(counts.items()), _seconds(past), [shown_step(step) for step in steps])


class DayOfRuns:
    """How long the runs of the last day took. The runs of a corpus are read again when its status has changed."""

    def __init__(self, redis: Redis) -> None:
        self._history = RunHistory(redis)
        self._known: dict[str, tuple[RunStatus, list[PastRun]]] = {}

    def seconds(self, statuses: Mapping[str, RunStatus | None], now: float) -> float:
        """Of all these corpora together; those that had no run take no time."""
        total = 0.0
        for corpus, status in statuses.items():
            if status is None:
                continue
            known = self._known.get(corpus)
            if known is None or known[0] != status:
                known = status, self._history.since(corpus, now - DAY_SECONDS)
                self._known[corpus] = known
            total += _seconds([run for run in known[1] if run.ended >= now - DAY_SECONDS])
        return total


def _seconds(past: list[PastRun]) -> float:
    return sum(run.seconds for run in past)


def shown_step(step: Step) -> ShownStep:
    """A step for people."""
    before, after = step.names_before, step.names_after
    return ShownStep(
        version=step.version,
        previous=step.previous,
        came=sorted(tag.name for tag in step.came),
        went=sorted(tag.name for tag in step.went),
        moved=len(step.moved),
        renamed=sorted(
            (before[number], name)
            for number, name in after.items()
            if number in before and is_renamed(before[number], name)
        ),
        new=sorted(name for number, name in after.items() if number not in before),
        gone=sorted(name for number, name in before.items() if number not in after),
    )


def schedule_of(state: StoreState, corpus: str) -> str:
    """The schedule in words, and since when it is paused."""
    declared = state.declared[corpus]
    return schedule_words(declared.schedule) + (", pushed documents" if declared.pushed else "")


def next_run_of(state: StoreState, corpus: str, now: float) -> str:
    """When the next run is due, in words."""
    if corpus in state.operating.paused:
        return f"paused for {duration(now - state.operating.paused[corpus])}"
    due = state.next_run(corpus)
    if due is None:
        return "when asked" if state.declared[corpus].schedule == MANUAL else "–"
    return f"in {duration(due - now)}" if due > now else "due"


def worker_wanted(state: StoreState, seconds: float, now: float) -> str | None:
    """Why another worker is needed; None if the living ones suffice, or if none lives.

    `seconds` is how long all runs of the last day took together.
    """
    workers = state.parts.workers
    if not workers:
        return None
    waits = max((now - since for since in state.waiting_since), default=0.0)
    if waits > LONG_WAIT_SECONDS and all(worker.job for worker in workers):
        return f"A run waits for {duration(waits)} because every worker is busy"
    if seconds > BUSY_SHARE * DAY_SECONDS * len(workers):
        number = "the worker" if len(workers) == 1 else f"{len(workers)} workers"
        return f"Runs took {duration(seconds)} of the last day of {number}"
    return None
