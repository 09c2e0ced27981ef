"""What operators decide: corpora that run only when asked, paused schedules, pinned versions. And what runs leave."""

import pytest

from snapshot import CorpusRegister, PublishRefused, SnapshotStore, StatusBoard
from snapshot.store import keys
from snapshot.store.operation.control import Control, read_operating
from snapshot.store.operation.run_history import RunHistory
from snapshot.store.records import RecordReader
from tests.clustered import NOON, published
from tests.conftest import topic_documents, write_jsonl
from tests.corpora import read_corpora
from tests.worker.ending import run_and_record
from worker.errors import CorpusError
from worker.runs.job import run
from worker.runs.scheduler import MAX_ATTEMPTS, Scheduler


@pytest.fixture
def clock():
    class Clock:
        now = 2e9

        def __call__(self):
            return self.now

    return Clock()


@pytest.fixture
def scheduler(redis, corpora_file, clock):
    return Scheduler(redis, corpora_file, clock, draw=lambda: 0.0)


def declared(corpora_file, schedule):
    corpora_file.write_text(f'[corpora.topics]\nsource = "topics.jsonl.gz"\nschedule = "{schedule}"\n')
    return read_corpora(corpora_file)["topics"]


def finish(redis, corpora_file, clock, state="done", **changes):
    board = StatusBoard(redis)
    board.write("topics", board.read("topics").at(clock.now, state=state, **changes))
    redis.delete(keys.QUEUE, keys.lock("topics"))


def test_a_manual_corpus_runs_only_when_asked(redis, corpora_file, scheduler, clock):
    declared(corpora_file, "manual")
    assert scheduler.tick() == []
    clock.now += 1e6
    assert scheduler.tick() == []
    assert CorpusRegister(redis).read()["topics"].schedule == "manual"
    StatusBoard(redis).request("topics", clock.now)
    assert scheduler.tick() == ["topics"]
    finish(redis, corpora_file, clock)
    corpora_file.write_text(corpora_file.read_text() + "min_count = 3\n")
    clock.now += 1e6
    assert scheduler.tick() == [], "not even when its declaration changes"


def test_a_manual_run_that_met_a_transient_fault_is_tried_again(redis, corpora_file, scheduler, clock):
    declared(corpora_file, "manual")
    StatusBoard(redis).request("topics", clock.now)
    assert scheduler.tick() == ["topics"]
    for _ in range(MAX_ATTEMPTS):
        finish(redis, corpora_file, clock, state="failed", transient=True, error="away")
        clock.now += 1e4
        assert scheduler.tick() == ["topics"]
    finish(redis, corpora_file, clock, state="failed", transient=True, error="away")
    clock.now += 1e6
    assert scheduler.tick() == []


def test_a_manual_corpus_watches_no_files(corpora_file):
    with pytest.raises(CorpusError, match=r"line 4: .*watch: a corpus with schedule = 'manual' runs only when asked"):
        declared(corpora_file, 'manual"\nwatch = true #')


def test_a_paused_corpus_is_not_queued_until_it_is_resumed(redis, corpora_file, scheduler, clock):
    control = Control(redis)
    control.pause("topics", clock.now)
    assert scheduler.tick() == []
    StatusBoard(redis).request("topics", clock.now)
    assert scheduler.tick() == ["topics"], "whoever asks gets a run"
    finish(redis, corpora_file, clock)
    clock.now += 1e6
    assert scheduler.tick() == []
    control.pause("topics", clock.now)
    operating = read_operating(redis, RecordReader(), ["topics", "other"])
    assert operating.paused == {"topics": 2e9}, "paused again, it is paused since the first time"
    control.resume("topics")
    assert scheduler.tick() == ["topics"], "what was missed is one turn"


def test_while_a_version_is_pinned_runs_are_held(redis, corpora_file):
    store, corpus = SnapshotStore(redis), read_corpora(corpora_file)["topics"]
    pinned = run(corpus, redis, "job-1")["version"]
    store.activate("topics", pinned, pin=True)
    write_jsonl(corpus.path, topic_documents(240))
    held = run(corpus, redis, "job-2")
    assert held["state"] == "held"
    assert held["error"].startswith(
        "another version is pinned; to serve it: cotag snapshots topics unpin, then: cotag "
    )
    assert store.current("topics") == pinned == Control(redis).pinned("topics")
    with pytest.raises(PublishRefused, match=f"version {pinned} is pinned; unpin it first"):
        store.activate("topics", held["version"])
    Control(redis).unpin("topics")
    write_jsonl(corpus.path, topic_documents(260))
    assert run(corpus, redis, "job-3")["state"] == "done"


def test_a_pin_is_moved_by_another_and_survives_any_number_of_versions(redis):
    store = SnapshotStore(redis)
    for hour in range(12, 20):
        store.publish(published(NOON.replace(hour=hour)))
        if hour in {12, 13}:
            store.activate("small", store.versions("small")[0], pin=True)
        store.retain("small", 1)
    pinned = Control(redis).pinned("small")
    assert store.current("small") == pinned
    assert store.versions("small")[-1] == pinned
    assert len(store.versions("small")) == 2
    store.verify("small", pinned)


def test_every_run_that_ended_is_in_the_history(redis, corpora_file):
    corpus = read_corpora(corpora_file)["topics"]
    done = run_and_record(corpus, redis, "job-1")
    run_and_record(corpus, redis, "job-2")
    run_and_record(corpus, redis, "job-3")
    corpus.path.write_bytes(b"no gzip")
    failed = run_and_record(corpus, redis, "job-4")
    last, unchanged, first = RunHistory(redis).read("topics", 10)
    assert (first.job, first.state, first.version) == ("job-1", "done", done["version"])
    assert first.seconds > 0
    assert (unchanged.state, unchanged.times, unchanged.job) == ("unchanged", 2, "job-3")
    assert (last.state, last.error) == ("failed", failed["error"])
