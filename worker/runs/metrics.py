"""The metrics of runs for Prometheus, which the scheduler serves."""

import math
import time
from collections.abc import Callable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis import Redis

from runtime.log_writer import LogWriter
from snapshot import (
    CorpusRegister,
    SnapshotError,
    SnapshotStore,
    StoreUnavailable,
    connect,
)
from snapshot.store.operation.counters import read_counters

STORE_SECONDS: Final = 1.0
"""How long a scrape waits for the store; Prometheus gives up after ten."""


def serve_metrics(url: str, host: str, port: int, writer: LogWriter) -> None:
    """Serve Prometheus on an address and port, from a thread, as long as the process lives."""
    registry = CollectorRegistry()
    registry.register(RunCollector(connect(url, timeout=STORE_SECONDS), time.time))
    registry.register(LogCollector(writer))
    start_http_server(port, addr=host, registry=registry)


class RunCollector(Collector):
    """The metrics for Prometheus: runs, time by stage, age and drift of the served snapshots.

    While the store is away, it says this alone.
    """

    def __init__(self, redis: Redis, clock: Callable[[], float]) -> None:
        self._redis = redis
        self._clock = clock

    def collect(self) -> Iterator[Metric]:
        """The current metrics; prometheus_client calls this at every scrape."""
        try:
            stored = [*self._run_metrics(), *self._snapshot_metrics()]
        except StoreUnavailable:
            stored = []
        yield GaugeMetricFamily("cotag_store_up", "1 if the store answers", value=float(bool(stored)))
        yield from stored

    def _run_metrics(self) -> Iterator[Metric]:
        counters = read_counters(self._redis)
        runs = CounterMetricFamily("cotag_runs", "Runs by how they ended", labels=["corpus", "state"])
        seconds = CounterMetricFamily("cotag_stage_seconds", "Time spent by stage", labels=["corpus", "stage"])
        bad = CounterMetricFamily("cotag_bad_records", "Records of the store that make no sense", labels=["kind"])
        sent = CounterMetricFamily("cotag_notices", "Notices by what became of them", labels=["corpus", "result"])
        families = {"runs": runs, "seconds": seconds, "notices": sent}
        for (kind, first, second), value in sorted(counters.items()):
            if kind == "bad_records":
                bad.add_metric([first], value)
            elif kind in families:
                families[kind].add_metric([first, second], value)
        yield from families.values()
        yield bad

    def _snapshot_metrics(self) -> Iterator[Metric]:
        store = SnapshotStore(self._redis)
        age = GaugeMetricFamily("cotag_snapshot_age_seconds", "Age of the served snapshot", labels=["corpus"])
        drift = GaugeMetricFamily("cotag_snapshot_drift", "Share of tags that changed cluster", labels=["corpus"])
        recall = GaugeMetricFamily(
            "cotag_suggestions_recall", "Share of hidden tags among the first ten suggestions", labels=["corpus"]
        )
        unreadable = GaugeMetricFamily(
            "cotag_snapshot_unreadable", "1 if the meta of the served snapshot cannot be read", labels=["corpus"]
        )
        for corpus in sorted({*store.corpora(), *(declared := CorpusRegister(self._redis).read())}):
            version = store.current(corpus)
            if version is None and corpus in declared:
                age.add_metric([corpus], math.inf)
            if version is not None:
                try:
                    meta = store.meta(corpus, version)
                except StoreUnavailable:
                    raise
                except SnapshotError:
                    unreadable.add_metric([corpus], 1.0)
                    continue
                unreadable.add_metric([corpus], 0.0)
                age.add_metric([corpus], self._clock() - meta.created.timestamp())
                drift.add_metric([corpus], meta.lineage.moved)
                if "recall" in meta.suggestions:
                    recall.add_metric([corpus], meta.suggestions["recall"])
        yield age
        yield drift
        yield recall
        yield unreadable


class LogCollector(Collector):
    """What became of the log lines of this process."""

    def __init__(self, writer: LogWriter) -> None:
        self._writer = writer

    def collect(self) -> Iterator[Metric]:
        """Called by prometheus_client."""
        yield CounterMetricFamily(
            "cotag_log_lines_dropped", "Log lines dropped because nothing took them", value=self._writer.dropped
        )
