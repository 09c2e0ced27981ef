"""The job: what a run publishes, holds back, refuses and inherits."""

import itertools
import time
from pathlib import Path

import numpy as np
import pytest
from prometheus_client import CollectorRegistry, generate_latest
from redis.exceptions import ConnectionError as ConnectionLost
from structlog.testing import capture_logs

from snapshot import STAGES, SnapshotStore, StoreUnavailable
from snapshot.store.operation.counters import count_run
from tests.conftest import TOPICS, topic_documents, write_jsonl
from tests.corpora import read_corpora
from worker.clustering.stages import Stages
from worker.runs.job import run
from worker.runs.metrics import RunCollector


@pytest.fixture
def corpus(corpora_file):
    return read_corpora(corpora_file)["topics"]


def test_a_run_publishes_the_concepts_of_the_corpus(redis, corpus):
    outcome = run(corpus, redis, "job-1")
    assert outcome["state"] == "done"
    snapshot = SnapshotStore(redis).load("topics", outcome["version"])
    assert snapshot.document_count == 200
    assert set(snapshot.keys) == {tag.casefold() for tags in TOPICS.values() for tag in tags}
    topic_of = {tag.casefold(): topic for topic, tags in TOPICS.items() for tag in tags}
    for position, cluster in enumerate(snapshot.clusters):
        members = snapshot.partition.members(position).tolist()
        assert len({topic_of[snapshot.keys[tag]] for tag in members}) == 1, cluster
    assert snapshot.quality["document_v_measure"] > 0.8
    assert "Jazz" in snapshot.names


def test_every_stage_is_reported_and_timed(redis, corpus):
    seen = []
    outcome = run(corpus, redis, "job-1", stages=Stages(lambda stage, *_: seen.append(stage)))
    assert list(dict.fromkeys(seen)) == list(STAGES)
    timings = SnapshotStore(redis).load("topics", outcome["version"]).timings
    assert set(timings) == set(STAGES) - {"publish"}


def test_an_unchanged_corpus_is_not_clustered_again(redis, corpus):
    first = run(corpus, redis, "job-1")
    second = run(corpus, redis, "job-2")
    assert second == {"state": "unchanged", "version": first["version"]}
    assert SnapshotStore(redis).versions("topics") == [first["version"]]


def test_what_an_older_method_made_is_made_again(redis, corpus, monkeypatch):
    with monkeypatch.context() as older:
        older.setattr("worker.clustering.cluster.METHOD", 1)
        first = run(corpus, redis, "job-1")
    assert run(corpus, redis, "job-2")["state"] == "done"
    assert run(corpus, redis, "job-3")["state"] == "unchanged"
    assert len(SnapshotStore(redis).versions("topics")) == 2
    assert SnapshotStore(redis).load("topics", first["version"]).parameters["method"] == 1


def test_a_changed_parameter_or_document_is_clustered_again(redis, corpus):
    run(corpus, redis, "job-1")
    assert run(corpus.model_copy(update={"min_count": 6}), redis, "job-2")["state"] == "done"
    write_jsonl(corpus.path, topic_documents(201))
    assert run(corpus, redis, "job-3")["state"] == "done"


def test_a_broken_corpus_fails_with_its_reason_and_the_old_snapshot_stays(redis, corpus):
    version = run(corpus, redis, "job-1")["version"]
    corpus.path.write_bytes(b"not gzip")
    outcome = run(corpus, redis, "job-2")
    assert outcome["state"] == "failed"
    assert "topics.jsonl.gz: unreadable after line 0" in outcome["error"]
    assert SnapshotStore(redis).current("topics") == version


def test_a_corpus_with_too_little_in_it_fails_with_its_reason(redis, corpus):
    write_jsonl(corpus.path, topic_documents(2))
    assert "no tag occurs in min_count=5 documents" in run(corpus, redis, "job-1")["error"]
    write_jsonl(corpus.path, [])
    assert "no documents" in run(corpus, redis, "job-2")["error"]


def test_an_unexpected_error_is_an_outcome_and_its_traceback_is_logged(redis, corpus, monkeypatch):
    monkeypatch.setattr(SnapshotStore, "publish", lambda *_, **__: 1 / 0)
    with capture_logs() as logs:
        assert run(corpus, redis, "job-1") == {"state": "failed", "error": "ZeroDivisionError: division by zero"}
    assert logs[-1]["exc_info"]


def test_a_fault_that_may_pass_is_said_to_be_one(redis, corpus, monkeypatch):
    def fail(*_, **__):
        raise StoreUnavailable("gone for a moment")

    monkeypatch.setattr(SnapshotStore, "publish", fail)
    error = "StoreUnavailable: gone for a moment"
    assert run(corpus, redis, "job-1") == {"state": "failed", "error": error, "transient": True}


def test_a_store_that_is_away_when_a_run_should_publish_is_waited_for(redis, corpus, monkeypatch):
    """What a long run has computed is not lost because of a short outage."""
    failures = iter([True, False])
    ping = type(redis).ping

    def away_once(client):
        if next(failures):
            raise ConnectionLost("gone for a moment")
        return ping(client)

    monkeypatch.setattr("worker.runs.job.AWAY_SECONDS", 0.0)
    monkeypatch.setattr(type(redis), "ping", away_once)
    assert run(corpus, redis, "job-1")["state"] == "done"
    assert next(failures, None) is None


def test_old_versions_are_dropped(redis, corpus):
    few = corpus.model_copy(update={"keep": 2})
    for count in (100, 120, 140, 160):
        write_jsonl(Path(few.path), topic_documents(count))
        run(few, redis, f"job-{count}")
    assert len(SnapshotStore(redis).versions("topics")) == 2


def test_a_sample_is_said_to_be_one(redis, corpus):
    outcome = run(corpus.model_copy(update={"sample": 120}), redis, "job-1")
    snapshot = SnapshotStore(redis).load("topics", outcome["version"])
    assert snapshot.document_count == 120
    assert snapshot.parameters["sample"] == 120
    assert snapshot.parameters["documents_read"] == 200


def test_a_run_inherits_ids_from_the_version_before(redis, corpus):
    store = SnapshotStore(redis)
    first = store.load("topics", run(corpus, redis, "job-1")["version"])
    write_jsonl(corpus.path, [*topic_documents(200), *new_topic(40)])
    second = store.load("topics", run(corpus, redis, "job-2")["version"])
    before = dict(zip(first.keys, first.partition.item_ids.tolist(), strict=True))
    after = dict(zip(second.keys, second.partition.item_ids.tolist(), strict=True))
    assert {key: after[key] for key in before} == before
    assert second.lineage.moved == 0.0
    assert second.lineage.previous == first.version
    arrived = {after[key] for key in after if key not in before}
    assert arrived, "the new topic has its tags"
    assert arrived.isdisjoint(before.values()), "and a cluster of its own"
    assert {second.lineage.clusters[cluster].kind for cluster in arrived} == {"new"}
    assert second.lineage.next_id == max(after.values()) + 1


def new_topic(count):
    random = np.random.default_rng(5)
    words = ["planet", "orbit", "comet", "galaxy", "rocket", "moon"]
    for number in range(count):
        tags = random.choice(words, size=4, replace=False)
        yield {"id": f"s{number}", "tags": [str(tag) for tag in tags], "label": "space"}


def shuffled(count):
    """The same tags, every document a random handful: no topic is left."""
    random = np.random.default_rng(7)
    words = [tag for tags in TOPICS.values() for tag in tags]
    for number in range(count):
        yield {"id": f"r{number}", "tags": [str(tag) for tag in random.choice(words, size=4, replace=False)]}


def test_a_suspicious_result_is_held_for_inspection_and_not_served(redis, corpus):
    store = SnapshotStore(redis)
    careful = corpus.model_copy(update={"max_drift": 0.1})
    served = run(careful, redis, "job-1")["version"]
    write_jsonl(corpus.path, shuffled(200))
    outcome = run(careful, redis, "job-2")
    assert outcome["state"] == "held"
    assert store.current("topics") == served
    assert store.load("topics", outcome["version"]).lineage.moved > 0.1
    assert run(careful, redis, "job-3")["state"] == "unchanged", "it is not computed again and again"
    store.activate("topics", outcome["version"])
    assert store.current("topics") == outcome["version"]


def test_a_result_with_worse_suggestions_is_held_for_inspection_if_a_limit_is_declared(redis, corpus):
    """Random documents have nothing that speaks for a hidden tag."""
    store = SnapshotStore(redis)
    lenient = corpus.model_copy(update={"max_drift": 1.0})
    run(lenient, redis, "job-1")
    write_jsonl(corpus.path, shuffled(200))
    careful = lenient.model_copy(update={"max_recall_drop": 0.1})
    outcome = run(careful, redis, "job-2")
    before, after = (store.load("topics", version) for version in reversed(store.versions("topics")))
    assert after.suggestions["recall"] < 0.9 * before.suggestions["recall"]
    assert outcome["state"] == "held"
    assert store.current("topics") == before.version


def test_a_fresh_start_is_published_only_if_it_keeps_more_information(redis, corpus):
    store = SnapshotStore(redis)
    version = run(corpus, redis, "job-1")["version"]
    assert run(corpus, redis, "job-2", fresh=True) == {"state": "unchanged", "version": version}
    assert store.versions("topics") == [version]
    bold = corpus.model_copy(update={"fresh_margin": 0.0})
    outcome = run(bold, redis, "job-3", fresh=True)
    assert outcome["state"] == "done"
    assert store.load("topics", outcome["version"]).lineage.runs_since_fresh == 0


def test_a_fresh_start_comes_round_by_itself(redis, corpus, monkeypatch):
    better = itertools.cycle([2.0, 1.0])
    monkeypatch.setattr("worker.clustering.concepts.FittedModel.information_at", lambda *_: next(better))
    store = SnapshotStore(redis)
    often = corpus.model_copy(update={"fresh_every": 2})
    since = []
    for count in (200, 202, 204, 206):
        write_jsonl(corpus.path, topic_documents(count))
        version = run(often, redis, f"job-{count}")["version"]
        since.append(store.load("topics", version).lineage.runs_since_fresh)
    assert since == [0, 1, 0, 1]


def test_an_editors_label_survives_reclustering(redis, corpus):
    store = SnapshotStore(redis)
    edited = corpus.model_copy(update={"labels": {"Payment": "Money matters"}})
    for count in (200, 210):
        write_jsonl(corpus.path, topic_documents(count))
        snapshot = store.load("topics", run(edited, redis, f"job-{count}")["version"])
        cluster = snapshot.partition.item_ids[snapshot.keys.index("payment")]
        assert next(each.label for each in snapshot.clusters if each.id == cluster) == ("Money matters",)


def test_a_run_that_would_not_fit_is_refused_before_it_starts(redis, corpus):
    small = corpus.model_copy(update={"memory_limit": 0})
    reached = []
    outcome = run(small, redis, "job-1", stages=Stages(lambda stage, *_: reached.append(stage)))
    assert outcome["state"] == "failed"
    assert "179 different documents × 32 tags need about" in outcome["error"]
    assert reached[-1] == "matrix"


def test_runs_are_counted_for_prometheus(redis, corpus):
    recall = SnapshotStore(redis).load("topics", run(corpus, redis, "job-1")["version"]).suggestions["recall"]
    count_run(redis, "topics", "done", {"agglomerate": 1.5})
    count_run(redis, "topics", "unchanged", {})
    registry = CollectorRegistry()
    registry.register(RunCollector(redis, time.time))
    text = generate_latest(registry).decode()
    assert 'cotag_runs_total{corpus="topics",state="done"} 1.0' in text
    assert 'cotag_runs_total{corpus="topics",state="unchanged"} 1.0' in text
    assert 'cotag_stage_seconds_total{corpus="topics",stage="agglomerate"} 1.5' in text
    assert 'cotag_snapshot_age_seconds{corpus="topics"}' in text
    assert 'cotag_snapshot_drift{corpus="topics"} 0.0' in text
    assert f'cotag_suggestions_recall{{corpus="topics"}} {recall}' in text
