import threading
import time
from pathlib import Path

import pytest

from snapshot import SnapshotStore, StatusBoard, keys
from tests.conftest import TOPICS, topic_documents, write_jsonl
from worker.clustering import STAGES
from worker.corpora import read_corpora
from worker.exclusive import LEASE_SECONDS, exclusive
from worker.job import run


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
    mixed = [
        cluster
        for cluster in range(len(snapshot.clusters))
        if len({topic_of[key] for key, c in zip(snapshot.keys, snapshot.tag_cluster, strict=True) if c == cluster}) > 1
    ]
    assert mixed == []
    assert snapshot.quality["document_v_measure"] > 0.8
    assert "Jazz" in snapshot.names


def test_every_stage_is_reported_and_timed(redis, corpus, monkeypatch):
    seen = []
    write = StatusBoard.write
    monkeypatch.setattr(
        StatusBoard, "write", lambda self, name, status: (seen.append(status), write(self, name, status))
    )
    outcome = run(corpus, redis, "job-1")
    assert list(dict.fromkeys(status.stage for status in seen if status.stage)) == list(STAGES)
    timings = SnapshotStore(redis).load("topics", outcome["version"]).timings
    assert set(timings) == set(STAGES) - {"publish"}
    final = StatusBoard(redis).read("topics")
    assert (final.state, final.version, final.job) == ("done", outcome["version"], "job-1")


def test_an_unchanged_corpus_is_not_clustered_again(redis, corpus):
    first = run(corpus, redis, "job-1")
    second = run(corpus, redis, "job-2")
    assert second == {"state": "unchanged", "version": first["version"]}
    assert SnapshotStore(redis).versions("topics") == [first["version"]]


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
    assert StatusBoard(redis).read("topics").error == outcome["error"]
    assert SnapshotStore(redis).current("topics") == version


def test_a_corpus_with_too_little_in_it_fails_with_its_reason(redis, corpus):
    write_jsonl(corpus.path, topic_documents(2))
    assert "no tag occurs in min_count=5 documents" in run(corpus, redis, "job-1")["error"]
    write_jsonl(corpus.path, [])
    assert "no documents" in run(corpus, redis, "job-2")["error"]


def test_an_unexpected_error_is_raised_and_on_the_status_board(redis, corpus, monkeypatch):
    monkeypatch.setattr(SnapshotStore, "publish", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run(corpus, redis, "job-1")
    assert StatusBoard(redis).read("topics").state == "failed"
    assert not redis.exists(keys.lock("topics"))


def test_two_runs_of_one_corpus_never_overlap(redis, corpus):
    with exclusive(redis, "topics"):
        assert run(corpus, redis, "job-1") == {"state": "skipped"}
    assert run(corpus, redis, "job-2")["state"] == "done"


def test_of_many_that_want_the_same_corpus_exactly_one_gets_it(redis):
    got = []
    gate = threading.Barrier(8)

    def contend(number):
        gate.wait()
        try:
            with exclusive(redis, "topics"):
                got.append(number)
                time.sleep(0.3)
        except Exception:  # noqa: BLE001, S110 - being refused is the point
            pass

    threads = [threading.Thread(target=contend, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 1


def test_the_lock_of_a_dead_run_expires(redis):
    with exclusive(redis, "topics"):
        assert 0 < redis.pttl(keys.lock("topics")) <= 1000 * LEASE_SECONDS
    assert not redis.exists(keys.lock("topics"))


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
