"""The scheduler's metrics: also while the store is away, and for a corpus that has no snapshot."""

import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from snapshot import CorpusRegister, RegisteredCorpus, SnapshotStore, connect
from tests.clustered import published
from tests.e2e.launching import free_port
from tests.servers import Server
from tests.waiting import DEADLINE, wait_until
from worker.runs.metrics import RunCollector


def exposed(redis):
    registry = CollectorRegistry()
    registry.register(RunCollector(redis, time.time))
    return generate_latest(registry).decode()


def test_a_declared_corpus_without_a_snapshot_is_infinitely_old(redis):
    CorpusRegister(redis).write({"new": RegisteredCorpus("new", "New", "1h", 0.0)})
    SnapshotStore(redis).publish(published())
    text = exposed(redis)
    assert "cotag_store_up 1.0" in text
    assert 'cotag_snapshot_age_seconds{corpus="new"} +Inf' in text
    assert 'cotag_snapshot_age_seconds{corpus="small"} ' in text


def test_a_store_that_is_away_is_a_metric_and_no_error():
    assert exposed(connect("unix:///nowhere/store.sock", timeout=0.1)).splitlines()[-1] == "cotag_store_up 0.0"


@pytest.mark.slow
def test_the_scheduler_answers_prometheus_before_during_and_after_an_outage(tmp_path, corpora_file):
    """A stopped store accepts connections and never answers: the scrape waits a second or two, not forever."""
    server, port = Server(tmp_path / "s"), free_port()
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "cotag", "scheduler"],
        env={
            "PATH": str(Path(sys.executable).parent),
            "COTAG_REDIS_URL": server.url,
            "COTAG_CORPORA": str(corpora_file),
            "COTAG_METRICS_PORT": str(port),
        },
        stdout=subprocess.DEVNULL,
    )

    def scraped():
        try:
            return urlopen(f"http://127.0.0.1:{port}/metrics", timeout=DEADLINE).read().decode()
        except (TimeoutError, ConnectionError, OSError):
            return ""

    try:
        wait_until(lambda: "cotag_store_up 0.0" in scraped(), "metrics without a store")
        server.start()
        wait_until(lambda: 'cotag_snapshot_age_seconds{corpus="topics"} +Inf' in scraped(), "metrics with a store")
        server.process.send_signal(19)
        try:
            assert "cotag_store_up 0.0" in scraped()
        finally:
            server.process.send_signal(18)
        wait_until(lambda: "cotag_store_up 1.0" in scraped(), "metrics after the outage")
    finally:
        scheduler.terminate()
        scheduler.wait(DEADLINE)
        server.stop()
