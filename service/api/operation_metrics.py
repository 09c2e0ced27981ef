"""The metrics of the operation, as the answering process knows them: versions, runs, queue, workers, store.

Processes agree within two seconds. While the store is away, nobody knows what runs, waits or lives; then these metrics
are missing.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from service.live.absence import StoreState
from service.live.snapshots import LiveSnapshots
from snapshot import RegisteredCorpus


@dataclass(frozen=True)
class ServedVersion:
    """A version that this process serves: its age, and the bytes of its file of documents."""

    version: str
    age_seconds: float
    index_bytes: int


def operating_metrics(live: LiveSnapshots, now: float) -> "OperatingCollector":
    """The metrics at this moment."""
    versions = {
        name: ServedVersion(view.snapshot.version, round(now - view.snapshot.created.timestamp(), 1), view.index_bytes)
        for name, view in live.views().items()
    }
    state = live.state if live.freshness.connected else None
    return OperatingCollector(versions, live.declarations(), state, now)


class OperatingCollector(Collector):
    """Collects them for prometheus_client."""

    def __init__(
        self,
        versions: dict[str, ServedVersion],
        declared: dict[str, RegisteredCorpus],
        state: StoreState | None,
        now: float,
    ) -> None:
        self._versions = versions
        self._declared = declared
        self._state = state
        self._now = now

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Called by prometheus_client."""
        yield from self._version_metrics()
        yield _single("cotag_store_up", "1 if the store answers", float(self._state is not None))
        if self._state is not None:
            yield from self._part_metrics(self._state)
            yield from self._queue_metrics(self._state)
            yield from self._run_metrics(self._state)

    def _version_metrics(self) -> Iterator[GaugeMetricFamily]:
        info = GaugeMetricFamily("cotag_snapshot_info", "The version that is served", labels=["corpus", "version"])
        age = GaugeMetricFamily("cotag_snapshot_age_seconds", "How long ago it was made", labels=["corpus"])
        size = GaugeMetricFamily("cotag_index_bytes", "Bytes of its file of documents", labels=["corpus"])
        for corpus, served in self._versions.items():
            info.add_metric([corpus, served.version], 1.0)
            age.add_metric([corpus], served.age_seconds)
            size.add_metric([corpus], served.index_bytes)
        for corpus in sorted(self._declared.keys() - self._versions.keys()):
            age.add_metric([corpus], math.inf)
        yield info
        yield age
        yield size

    def _part_metrics(self, state: StoreState) -> Iterator[GaugeMetricFamily]:
        workers = state.parts.workers
        yield _single("cotag_workers", "Workers that live", len(workers))
        yield _single("cotag_workers_busy", "Workers that run a job", sum(bool(worker.job) for worker in workers))
        yield _single("cotag_schedulers", "Schedulers that live", len(state.parts.schedulers))

    def _queue_metrics(self, state: StoreState) -> Iterator[GaugeMetricFamily]:
        waiting = state.waiting_since
        age = max((self._now - since for since in waiting), default=0.0)
        yield _single("cotag_queue_length", "Runs that wait for a worker", len(waiting))
        yield _single("cotag_outbox_length", "Notices that wait to be sent", state.operating.notices)
        yield _single("cotag_queue_age_seconds", "How long the first of them waits", round(max(age, 0.0), 1))

    def _run_metrics(self, state: StoreState) -> Iterator[GaugeMetricFamily]:
        under_way = GaugeMetricFamily(
            "cotag_run_seconds", "How long the run under way has taken, with its stage", labels=["corpus", "stage"]
        )
        last = GaugeMetricFamily("cotag_last_run", "1 for the state of the latest run", labels=["corpus", "state"])
        success = GaugeMetricFamily(
            "cotag_last_success_timestamp_seconds",
            "When a run last ended as done or unchanged; 0 if none did",
            labels=["corpus"],
        )
        overdue = GaugeMetricFamily(
            "cotag_overdue_seconds", "How long ago a run should have been queued; 0 if none is due", labels=["corpus"]
        )
        for corpus, run in sorted(state.runs.items()):
            success.add_metric([corpus], state.operating.successes.get(corpus, 0.0))
            if run is not None:
                last.add_metric([corpus, run.state], 1.0)
                if state.parts.progress(run, self._now) == "clustering":
                    under_way.add_metric([corpus, run.stage], round(max(self._now - run.started, 0.0), 1))
        paused = GaugeMetricFamily("cotag_paused", "1 if the schedule is paused", labels=["corpus"])
        pinned = GaugeMetricFamily("cotag_pinned", "1 if a version is pinned", labels=["corpus"])
        for corpus in sorted(self._declared):
            due = state.next_run(corpus)
            overdue.add_metric([corpus], 0.0 if due is None else round(max(self._now - due, 0.0), 1))
            paused.add_metric([corpus], float(corpus in state.operating.paused))
            pinned.add_metric([corpus], float(corpus in state.operating.pinned))
        yield from (under_way, last, success, overdue, paused, pinned)


def _single(name: str, description: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, description, value=value)
