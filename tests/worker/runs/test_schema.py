"""After an upgrade that changed the stored layout: what was stored is served, and the next run continues it."""

import time
from datetime import timedelta

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from service.live.snapshots import LiveSnapshots
from snapshot import SnapshotStore, StatusBoard
from snapshot.store import keys
from tests.clustered import NOON, documents
from tests.conftest import write_jsonl
from tests.worker.schema_1 import publish_schema_1
from worker.corpora.declaration import Corpus
from worker.runs.job import run
from worker.runs.metrics import RunCollector

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


def test_a_version_of_an_older_schema_is_continued(redis, corpus, old):
    """The documents have not changed either, and yet the run publishes; the concepts keep their ids."""
    outcome = run(corpus, redis, "job-1", clock=lambda: TOMORROW)
    assert outcome["state"] == "done"
    store = SnapshotStore(redis)
    assert store.current("small") == outcome["version"] > old[1]
    before, snapshot = store.load("small", old[1]), store.load("small", outcome["version"])
    assert (snapshot.lineage.previous, snapshot.lineage.runs_since_fresh) == (old[1], 1)
    assert {origin.kind for origin in snapshot.lineage.clusters.values()} == {"kept"}
    assert dict(zip(before.keys, before.partition.item_ids.tolist(), strict=True)) == dict(
        zip(snapshot.keys, snapshot.partition.item_ids.tolist(), strict=True)
    )
    assert run(corpus, redis, "job-2", clock=lambda: TOMORROW + 60)["state"] == "unchanged"


def test_a_store_of_an_older_schema_is_served_at_once(redis, corpus, old):
    live = LiveSnapshots(SnapshotStore(redis), StatusBoard(redis))
    live.refresh()
    assert live.view("small").snapshot.version == old[1]
    version = run(corpus, redis, "job-1", clock=lambda: TOMORROW)["version"]
    live.refresh()
    assert live.view("small").snapshot.version == version


def test_versions_of_an_older_schema_are_dropped_like_any_other(redis, corpus, old):
    few = corpus.model_copy(update={"keep": 1})
    version = run(few, redis, "job-1", clock=lambda: TOMORROW)["version"]
    assert SnapshotStore(redis).versions("small") == [version]
    assert redis.keys(f"cotag:small:v:{old[1]}:*") == []


def test_metrics_leave_out_what_a_newer_schema_says(redis, corpus, old):
    registry = CollectorRegistry()
    registry.register(RunCollector(redis, time.time))
    meta = keys.part(*old, "meta")
    redis.set(meta, redis.get(meta).replace(b'"schema":1', b'"schema":99'))
    assert 'cotag_snapshot_age_seconds{corpus="small"}' not in generate_latest(registry).decode()
    run(corpus, redis, "job-1", clock=lambda: TOMORROW)
    assert 'cotag_snapshot_age_seconds{corpus="small"}' in generate_latest(registry).decode()
