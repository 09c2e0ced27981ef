"""The requests of the last day: samples of the counters of all processes, and their difference from those of now.

Every ten minutes one process takes a sample. Under gunicorn the samples are in a file beside the counters, so that all
processes show the same, also one that was started anew.
"""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson
from prometheus_client import CollectorRegistry

DAY_SECONDS: Final = 86_400.0
SAMPLE_SECONDS: Final = 600.0
FILE: Final = "day.json"

MACHINES: Final = frozenset({"/healthz", "/readyz", "/metrics"})
"""Routes left out: machines poll them, and a 503 of /readyz is no error."""


@dataclass(frozen=True)
class Totals:
    """Counters since the start: requests up to each bound of the histogram, by status, and everything else by name."""

    buckets: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    counters: Counter[str] = field(default_factory=Counter)

    def since(self, earlier: "Totals") -> "Totals":
        """What was added since earlier totals."""
        return Totals(
            self.buckets - earlier.buckets, self.statuses - earlier.statuses, self.counters - earlier.counters
        )


def read_totals(registry: CollectorRegistry) -> Totals:
    """The counters of a registry, without those of machines."""
    totals = Totals()
    for family in registry.collect():
        for sample in family.samples:
            if sample.labels.get("route") in MACHINES:
                continue
            if sample.name == "cotag_request_seconds_bucket":
                totals.buckets[sample.labels["le"]] += int(sample.value)
            elif sample.name == "cotag_request_seconds_count":
                totals.statuses[sample.labels["status"]] += int(sample.value)
            elif sample.name.endswith("_total"):
                totals.counters[f"{sample.name} {sample.labels.get('result', '')}".strip()] += int(sample.value)
    return totals


class DayWindow:
    """Takes samples, and tells what was counted in the last day."""

    def __init__(self, gather: Callable[[], CollectorRegistry], folder: Path | None = None) -> None:
        self._gather = gather
        self._file = None if folder is None else folder / FILE
        self._samples: list[tuple[float, Totals]] = []
        self._next = 0.0

    def note(self, now: float) -> None:
        """Take a sample if it is time to and no other process has."""
        if now < self._next <= now + SAMPLE_SECONDS:
            return
        self._next = now + SAMPLE_SECONDS
        self._load()
        if not self._samples or not 0 <= now - self._samples[-1][0] < SAMPLE_SECONDS:
            totals = read_totals(self._gather()) if self._samples else Totals()  # the first one is of the start
            recent = [sample for sample in self._samples if now - sample[0] <= DAY_SECONDS + SAMPLE_SECONDS]
            self._samples = [*recent, (now, totals)]
            self._save()

    def last_day(self, now: float) -> tuple[Totals, float]:
        """What was counted in the last day, and for how many seconds: fewer after a start."""
        self._load()
        totals = read_totals(self._gather())
        if not self._samples:
            return totals, 0.0
        old = [sample for sample in self._samples if now - sample[0] >= DAY_SECONDS]
        since, earlier = old[-1] if old else self._samples[0]
        return totals.since(earlier), max(now - since, 0.0)

    def _load(self) -> None:
        """Read the samples of all processes; a file that is missing or damaged has none."""
        if self._file is None:
            return
        try:
            stored: list[Any] = orjson.loads(self._file.read_bytes())
            self._samples = [(float(at), Totals(*(Counter(each) for each in parts))) for at, *parts in stored]
        except (OSError, ValueError, TypeError):
            return

    def _save(self) -> None:
        if self._file is None:
            return
        stored = [(at, totals.buckets, totals.statuses, totals.counters) for at, totals in self._samples]
        unfinished = self._file.with_name(f".{FILE}.{os.getpid()}")
        try:
            unfinished.write_bytes(orjson.dumps(stored))
            unfinished.replace(self._file)
        except OSError:
            return  # a full disk costs the other processes this sample
