"""After an upgrade that changed the stored layout: one run, and everything is served again."""

import time
from datetime import timedelta

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from structlog.testing import capture_logs

from service.live_snapshots import LiveSnapshots
from snapshot import SnapshotStore, StatusBoard
from tests.clustered import NOON, documents
from tests.conftest import write_jsonl
from tests.worker.schema_1 import publish_schema_1
from worker.corpora import Corpus
from worker.job import run
from worker.metrics import RunCollector

TOMORROW = (NOON + timedelta(days=1)).timestamp()


@pytest.fixture
def old(redis):
    """Corpus and version of the snapshot with another schema."""
    return publish_schema_1(redis)


@pytest.fixture
def corpus(tmp_path, old):
    """The same documents as in the old version, declared as before."""
    path = write_jsonl(tmp_path / "small.jsonl", documents())
    return Corpus(name=old[0], title="A small corpus", source=path.name, path=path)


def test_a_version_of_another_schema_is_no_predecessor(redis, corpus, old):
    """The documents have not changed either, and yet the run publishes."""
    with capture_logs() as logs:
        outcome = run(corpus, redis, "job-1", clock=lambda: TOMORROW)
    assert outcome["state"] == "done"
    (warning,) = (entry for entry in logs if entry["log_level"] == "warning")
    assert warning["event"] == "cannot inherit from the served version, starting fresh"
    assert "schema 1" in warning["reason"]
    store = SnapshotStore(redis)
    assert store.current("small") == outcome["version"] > old[1]
    snapshot = store.load("small", outcome["version"])
    assert (snapshot.lineage.previous, snapshot.lineage.runs_since_fresh) == (None, 0)
    assert {origin.kind for origin in snapshot.lineage.clusters.values()} == {"new"}
    assert run(corpus, redis, "job-2", clock=lambda: TOMORROW + 60)["state"] == "unchanged"


def test_a_store_of_another_schema_is_served_again_after_one_run(redis, corpus):
    live = LiveSnapshots(SnapshotStore(redis), StatusBoard(redis))
    live.refresh()
    assert live.views() == {}
    version = run(corpus, redis, "job-1", clock=lambda: TOMORROW)["version"]
    live.refresh()
    assert live.view("small").snapshot.version == version


def test_old_versions_of_another_schema_are_dropped_like_any_other(redis, corpus, old):
    few = corpus.model_copy(update={"keep": 1})
    version = run(few, redis, "job-1", clock=lambda: TOMORROW)["version"]
    assert SnapshotStore(redis).versions("small") == [version]
    assert redis.keys(f"cotag:small:v:{old[1]}:*") == []


def test_metrics_leave_out_what_another_schema_says(redis, corpus):
    registry = CollectorRegistry()
    registry.register(RunCollector(redis, time.time))
    assert 'cotag_snapshot_age_seconds{corpus="small"}' not in generate_latest(registry).decode()
    run(corpus, redis, "job-1", clock=lambda: TOMORROW)
    assert 'cotag_snapshot_age_seconds{corpus="small"}' in generate_latest(registry).decode()
