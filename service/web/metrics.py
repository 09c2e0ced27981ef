"""The Prometheus metrics: of all processes together under gunicorn, otherwise of this process."""

import os
from functools import lru_cache
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from service.web.day_window import DayWindow

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""prometheus_client reads this variable at its first import; `service.server.gunicorn` sets it before."""

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OBSERVED: Final = 4096
"""Combinations of route, method and status that are remembered."""

WAITING: Final = "waiting"
"""The status under which a 503 is counted if it is no fault: the first run of the corpus is under way or comes next."""

BUCKETS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)


class Metrics:
    """All metrics of the service."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self._requests = Histogram(
            "cotag_request_seconds",
            "Time to answer, by route, method and status",
            ["route", "method", "status"],
            registry=registry,
            buckets=BUCKETS,
        )
        self.observed = lru_cache(OBSERVED)(self._observed)
        cached = Counter("cotag_answer_cache", "Answers found in memory or not", ["result"], registry=registry)
        self.cache_hits, self.cache_misses = cached.labels("hit"), cached.labels("miss")
        self.limited = Counter("cotag_rate_limited", "Requests refused with 429", registry=registry)
        self.log_lines_dropped = Counter(
            "cotag_log_lines_dropped", "Log lines dropped because nothing took them", registry=registry
        )
        self.loads = Counter("cotag_snapshot_loads", "Snapshots taken up", ["corpus"], registry=registry)
        self.refused = Counter(
            "cotag_snapshots_refused", "Snapshots not taken up, and why", ["corpus", "reason"], registry=registry
        )
        self._bad_records = Counter(
            "cotag_bad_records", "Records of the store that make no sense", ["kind"], registry=registry
        )
        self.created = Gauge(
            "cotag_snapshot_created_seconds",
            "When the oldest snapshot served by any process was made, in seconds since the epoch",
            ["corpus"],
            registry=registry,
            multiprocess_mode="livemin",
        )
        self.stale = Gauge(
            "cotag_stale",
            "1 while a process serves a version that the store does not confirm as current",
            ["corpus"],
            registry=registry,
            multiprocess_mode="livemax",
        )

        self.fresh = Gauge(
            "cotag_fresh_documents",
            "Documents that were pushed after the version that is served was made, and are served with it",
            ["corpus"],
            registry=registry,
            multiprocess_mode="livemax",
        )
        self.edits = Gauge(
            "cotag_edits",
            "Editors' decisions that are active, waiting for a run, or inactive in the version that is served",
            ["corpus", "state"],
            registry=registry,
            multiprocess_mode="livemax",
        )
        folder = os.environ.get(FOLDER)
        self.day = DayWindow(self.gathered, Path(folder) if folder else None)

    def _observed(self, route: str, method: str, status: int | str) -> Histogram:
        """Invented methods share one name: otherwise anybody could make as many time series as they like."""
        return self._requests.labels(route, method if method in METHODS else "other", status)

    def count_bad_record(self, kind: str) -> None:
        """Count one record of the store that cannot be read."""
        self._bad_records.labels(kind).inc()

    def gathered(self) -> CollectorRegistry:
        """The metrics of all processes, or of this one if it is alone."""
        if not os.environ.get(FOLDER):
            return self.registry
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return registry

    def exposition(self, operating: Collector) -> bytes:
        """All metrics as text, with what the answering process knows about the operation."""
        own = CollectorRegistry()
        own.register(operating)
        return generate_latest(self.gathered()) + generate_latest(own)
