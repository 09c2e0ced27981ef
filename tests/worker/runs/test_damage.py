"""Damage in the store: a run heals its corpus, no other corpus notices, and everybody is told."""

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from cotag.commands.jobs import list_corpora
from cotag.commands.snapshots import list_versions
from service.live.snapshots import LiveSnapshots
from snapshot import CorpusRegister, RegisteredCorpus, SnapshotStore, StatusBoard
from snapshot.store import keys
from snapshot.store.health.eviction import eviction_warning
from tests.clustered import published
from tests.conftest import topic_documents, write_jsonl
from tests.corpora import read_corpora
from worker.runs.job import run
from worker.runs.metrics import RunCollector
from worker.runs.scheduler import Scheduler


@pytest.fixture
def corpus(corpora_file):
    return read_corpora(corpora_file)["topics"]


def scraped(redis):
    registry = CollectorRegistry()
    registry.register(RunCollector(redis, lambda: 2e9))
    return generate_latest(registry).decode()


@pytest.mark.parametrize("part", ["meta", "arrays", "documents", "index"])
@pytest.mark.parametrize("how", ["gone", "garbled", "another type"])
def test_the_next_run_heals_a_damaged_version(redis, corpus, part, how, capsys):
    """Though its documents are unchanged. Metrics and commands work meanwhile; the damage is counted."""
    version = run(corpus, redis, "job-1")["version"]
    key = keys.part("topics", version, part)
    if how == "garbled" and part == "index":
        redis.hset(key, "0", b"rubbish")
    else:
        redis.delete(key)
        if how == "garbled":
            redis.set(key, b"rubbish")
        elif how == "another type":
            redis.rpush(key, b"rubbish")
    assert "cotag_snapshot_age_seconds" in scraped(redis)
    list_corpora(redis, as_json=True)
    list_versions(redis, "topics", as_json=False)
    assert ("unreadable" in capsys.readouterr().out) == (part == "meta")
    outcome = run(corpus, redis, "job-2")
    assert outcome["state"] == "done"
    SnapshotStore(redis).verify("topics", outcome["version"])
    assert SnapshotStore(redis).current("topics") == outcome["version"]
    assert 'cotag_bad_records_total{kind="Snapshot"} 1.0' in scraped(redis)
    assert run(corpus, redis, "job-3")["state"] == "unchanged"


def test_a_damaged_served_version_is_replaced_though_a_held_one_is_unchanged(redis, corpus):
    served = run(corpus, redis, "job-1")["version"]
    write_jsonl(corpus.path, topic_documents(80))
    assert run(corpus, redis, "job-2")["state"] == "held"
    redis.delete(keys.part("topics", served, "arrays"))
    assert run(corpus, redis, "job-3")["state"] == "done"
    assert SnapshotStore(redis).current("topics") != served


@pytest.mark.parametrize("key", [keys.current, keys.versions, keys.run])
def test_a_key_of_another_type_harms_one_corpus_and_the_next_run_heals_it(redis, corpus, key):
    SnapshotStore(redis).publish(published())
    run(corpus, redis, "job-1")
    redis.delete(key("topics"))
    redis.rpush(key("topics"), b"rubbish")
    live = LiveSnapshots(SnapshotStore(redis), StatusBoard(redis))
    live.refresh()
    assert "small" in live.views()
    assert "small" not in live.state.faults
    if key is keys.current:
        assert "cotag:topics:current is damaged" in live.state.faults["topics"]
    assert "cotag_snapshot_age_seconds" in scraped(redis)
    assert run(corpus.model_copy(update={"min_count": 6}), redis, "job-2")["state"] == "done"
    live.refresh()
    assert set(live.views()) == {"small", "topics"}
    assert live.state.faults == {}


def test_the_set_of_corpora_and_the_register_are_written_anew(redis, corpora_file):
    """A service that finds them damaged keeps what it has."""
    store, register = SnapshotStore(redis), CorpusRegister(redis)
    store.publish(published())
    register.write({"small": RegisteredCorpus("small", "Small", "1h", 5.0)})
    live = LiveSnapshots(store, StatusBoard(redis), register=register, undeclared=False)
    live.refresh()
    for key in (keys.CORPORA, keys.DECLARED):
        redis.delete(key)
        redis.rpush(key, b"rubbish")
    live.refresh()
    assert (list(live.views()), list(live.declarations())) == (["small"], ["small"])
    assert store.corpora() == ["small"]
    Scheduler(redis, corpora_file).tick()
    assert redis.smembers(keys.CORPORA) == {b"small"}
    assert list(register.read()) == ["topics"]


def test_counters_that_make_no_sense_are_left_out_of_the_metrics(redis):
    redis.hset(keys.METRICS, mapping={"runs|topics|done": "2", "rubbish": "1", "runs|topics|failed": "many"})
    assert 'cotag_runs_total{corpus="topics",state="done"} 2.0' in scraped(redis)
    assert "failed" not in scraped(redis)
    redis.delete(keys.METRICS)
    redis.set(keys.METRICS, "rubbish")
    assert "cotag_runs" in scraped(redis)


def test_a_store_that_may_evict_any_key_is_told(redis):
    try:
        for policy, told in (("allkeys-lru", True), ("volatile-lru", False), ("noeviction", False)):
            redis.config_set("maxmemory-policy", policy)
            redis.config_set("maxmemory", "1gb")
            assert ("set maxmemory-policy noeviction" in (eviction_warning(redis) or "")) == told
        redis.config_set("maxmemory-policy", "allkeys-lru")
        redis.config_set("maxmemory", "0")
        assert eviction_warning(redis) is None, "it has no limit, so it evicts nothing"
    finally:
        redis.config_set("maxmemory", "0")
        redis.config_set("maxmemory-policy", "noeviction")
