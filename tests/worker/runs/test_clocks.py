"""Wrong clocks: dates from the future delay nothing, and a version that has one is followed by the next."""

import os
import time
from datetime import UTC, datetime, timedelta

import pytest

from cotag.commands.snapshots import run_snapshots_action
from service.live.parts import Parts
from snapshot import (
    Heartbeat,
    PublishRefused,
    RunStatus,
    SnapshotStore,
    Turn,
    version_after,
    version_at,
)
from snapshot.store import keys
from snapshot.store.snapshots import PARTS
from tests.clock import Clock
from tests.conftest import topic_documents, write_jsonl
from tests.corpora import read_corpora
from tests.worker.runs.test_schedule import finish, take
from worker.runs.file_watch import settled
from worker.runs.job import run
from worker.runs.scheduler import SKEW_SECONDS, Scheduler, due

DAY = 86400.0
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.fixture
def corpus(corpora_file):
    return read_corpora(corpora_file)["topics"]


def test_a_version_is_now_or_a_millisecond_after_the_newest():
    """Names that are no versions do not count."""
    assert version_after(NOON, []) == version_after(NOON, ["rubbish"]) == version_at(NOON)
    assert version_after(NOON, [version_at(NOON - timedelta(days=1))]) == version_at(NOON)
    ahead = [version_at(NOON), version_at(NOON + timedelta(days=1)), "rubbish"]
    assert version_after(NOON, ahead) == version_at(NOON + timedelta(days=1, milliseconds=1))
    assert version_after(NOON + timedelta(microseconds=900), ahead[:1]) > ahead[0]


def test_a_run_dated_a_day_ahead_does_not_block_the_next(redis, corpus):
    """It is published, served, and newer than the one before; it says when it was really made."""
    ahead = run(corpus, redis, "job-1", clock=lambda: time.time() + DAY)
    write_jsonl(corpus.path, topic_documents(201))
    outcome = run(corpus, redis, "job-2")
    store = SnapshotStore(redis)
    assert outcome["state"] == "done"
    assert store.versions("topics") == [outcome["version"], ahead["version"]]
    assert store.current("topics") == outcome["version"]
    assert abs(store.meta("topics", outcome["version"]).created.timestamp() - time.time()) < DAY / 2


def test_a_turn_from_the_future_is_due_and_one_of_a_slightly_fast_clock_is_not(corpus):
    now, done = 1000.0, RunStatus("j", "done", 1000.0, 1000.0)
    assert due(corpus, Turn(now + SKEW_SECONDS / 2, corpus.digest()), done, now) is None
    assert due(corpus, Turn(now + DAY, corpus.digest()), done, now) == "the last turn is dated in the future"


def test_a_transient_fault_dated_ahead_is_tried_again(corpus):
    fault = RunStatus("j", "failed", 1000.0, 1000.0 + DAY, error="no connection", transient=True)
    assert due(corpus, Turn(1000.0, corpus.digest()), fault, now=1000.0) == "trying again after no connection"


def test_a_dead_run_dated_ahead_is_queued_again_and_the_schedule_is_right_again(redis, corpora_file):
    """The turn, too, has the date of now: the next run is not queued at once."""
    scheduler = Scheduler(redis, corpora_file, clock := Clock(1000.0 + DAY))
    scheduler.tick()
    take(redis, clock)
    redis.delete(keys.lock("topics"))
    clock.now -= DAY
    assert scheduler.tick() == ["topics"]
    finish(redis, clock)
    assert scheduler.tick() == []


def test_a_watched_file_dated_ahead_counts_as_settled(corpus):
    now = time.time()
    watched = corpus.model_copy(update={"watch": True})
    os.utime(corpus.path, (now + DAY, now + DAY))
    assert settled(watched, now)


def test_a_running_job_dated_ahead_without_a_worker_is_interrupted():
    worker = Heartbeat("worker", "host", 1, started=0.0, at=0.0)
    status = RunStatus("j", "running", 1000.0 + DAY, 1000.0 + DAY)
    assert Parts((worker,)).progress(status, 1000.0) == "interrupted"


def test_a_version_is_deleted_with_all_its_parts_but_never_the_one_served(redis, corpus, capsys):
    first = run(corpus, redis, "job-1")["version"]
    second = run(corpus.model_copy(update={"min_count": 6}), redis, "job-2")["version"]
    with pytest.raises(PublishRefused, match="is served; activate another one first"):
        run_snapshots_action(redis, "topics", "delete", (second,), as_json=False)
    with pytest.raises(PublishRefused, match="no version nothing"):
        run_snapshots_action(redis, "topics", "delete", ("nothing",), as_json=False)
    run_snapshots_action(redis, "topics", "delete", (first,), as_json=False)
    assert capsys.readouterr().out.endswith(f"{first} of topics is deleted\n")
    assert SnapshotStore(redis).versions("topics") == [second]
    assert not redis.exists(*(keys.part("topics", first, part) for part in PARTS))
