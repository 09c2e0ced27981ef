"""When a corpus is due, and the scheduler that asks for each run once."""

import json
import os
import threading
from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from runtime.log_writer import BUFFER_BYTES, NO_DESCRIPTOR, LogWriter
from snapshot import (
    SCHEMA,
    CorpusRegister,
    Heartbeats,
    RegisteredCorpus,
    RunRequest,
    RunStatus,
    StatusBoard,
    connect,
    new_job_id,
)
from snapshot.store import keys
from snapshot.store.operation.queue import job_queue
from tests.clock import Clock
from tests.corpora import read_corpora
from tests.waiting import wait_until
from worker.runs.metrics import LogCollector
from worker.runs.scheduler import MAX_ATTEMPTS, Scheduler, Turn, due, next_turn

HOUR = 3600.0


@pytest.fixture
def clock():
    return Clock(1_000_000.0)


@pytest.fixture
def corpus(corpora_file):
    return read_corpora(corpora_file)["topics"]


def finish(redis, clock):
    """What a worker would leave behind after running everything on the queue."""
    for request in waiting(redis):
        StatusBoard(redis).write("topics", RunStatus(request.job, "done", clock(), clock()))
    redis.delete(keys.QUEUE)


def waiting(redis):
    """The runs on the queue."""
    return [request for _, request in job_queue(redis, lambda _: None).read()]


def take(redis, clock):
    """Take the only run off the queue as a worker does; its lock may be deleted as time would."""
    (request,) = waiting(redis)
    redis.set(keys.lock("topics"), "held")
    redis.delete(keys.QUEUE)
    StatusBoard(redis).write("topics", RunStatus(request.job, "running", clock(), clock()))


def test_reasons_to_run(corpus):
    turn = Turn(at=100.0, digest=corpus.digest())
    ended, died = RunStatus("j", "done", 100.0, 100.0), RunStatus("j", "running", 100.0, 100.0)
    assert due(corpus, None, None, now=0.0) == "first run"
    assert due(corpus, turn, ended, now=100.0 + HOUR - 1) is None
    assert due(corpus, turn, ended, now=100.0 + HOUR) == "schedule 1h"
    assert due(corpus, turn, died, now=101.0) == "the last run was interrupted"
    assert due(corpus, Turn(100.0, corpus.digest(), MAX_ATTEMPTS), died, now=101.0) is None
    assert due(corpus, Turn(100.0, "another"), ended, now=101.0) == "declaration changed"


def test_a_trial_that_died_is_not_replaced_by_a_run_that_publishes(corpus):
    turn = Turn(at=100.0, digest=corpus.digest())
    died = RunStatus(new_job_id("topics", trial=True), "running", 100.0, 100.0)
    failed = replace(died, state="failed", transient=True)
    assert due(corpus, turn, died, now=101.0) is None
    assert due(corpus, turn, failed, now=100.0 + HOUR - 1) is None


def test_a_passing_fault_is_tried_again_later_and_later_a_lasting_one_is_not(corpus):
    fault = RunStatus("j", "failed", 100.0, 100.0, error="no connection", transient=True)
    for attempts, wait in ((0, 5), (1, 10), (2, 20)):
        turn = Turn(100.0, corpus.digest(), attempts)
        assert due(corpus, turn, fault, now=100.0 + wait - 1) is None
        assert due(corpus, turn, fault, now=100.0 + wait) == "trying again after no connection"
    assert due(corpus, Turn(100.0, corpus.digest(), MAX_ATTEMPTS), fault, now=900.0) is None
    lasting = RunStatus("j", "failed", 100.0, 100.0, error="no gzip")
    assert due(corpus, Turn(100.0, corpus.digest()), lasting, now=900.0) is None


def test_jitter_delays_each_turn_by_its_own_draw(corpus):
    late = corpus.model_copy(update={"jitter": "10m"})
    assert next_turn(late, Turn(0.0, "d", draw=0.5)) == HOUR + 300
    assert next_turn(late, Turn(0.0, "d", draw=0.0)) == HOUR


def test_an_attempt_does_not_move_the_next_regular_turn(redis, corpora_file, clock):
    scheduler = Scheduler(redis, corpora_file, clock)
    scheduler.tick()
    first = clock.now
    take(redis, clock)
    redis.delete(keys.lock("topics"))
    assert scheduler.tick() == ["topics"]
    finish(redis, clock)
    assert CorpusRegister(redis).read()["topics"].next_run == first + HOUR


def test_what_is_declared_and_when_it_is_due_can_be_read(redis, corpora_file, clock):
    Scheduler(redis, corpora_file, clock).tick()
    assert CorpusRegister(redis).read() == {"topics": RegisteredCorpus("topics", "Four topics", "1h", clock.now + HOUR)}


def test_a_corpus_of_pushed_documents_is_declared_as_such(redis, tmp_path, clock):
    (tmp_path / "corpora.toml").write_text("[corpora.inbox]\nsource = {pushed = true, base_url = '/images/'}\n")
    Scheduler(redis, tmp_path / "corpora.toml", clock).tick()
    declared = CorpusRegister(redis).read()["inbox"]
    assert (declared.pushed, declared.base_url) == (True, "/images/")


def test_a_run_asked_for_is_queued_with_its_own_job_and_only_once(redis, redis_url, corpora_file, clock):
    schedulers = [Scheduler(connect(redis_url), corpora_file, clock) for _ in range(2)]
    schedulers[0].tick()
    finish(redis, clock)
    asked = StatusBoard(redis).request("topics", clock(), fresh=True)
    assert schedulers[0].tick() == ["topics"]
    assert schedulers[1].tick() == []
    assert waiting(redis) == [RunRequest(asked.job, "topics", fresh=True)]
    assert redis.llen(keys.REQUESTS) == 0


def test_a_run_asked_for_waits_for_the_one_under_way(redis, corpora_file, clock):
    scheduler = Scheduler(redis, corpora_file, clock)
    scheduler.tick()
    take(redis, clock)
    asked = StatusBoard(redis).request("topics", clock())
    assert scheduler.tick() == []
    StatusBoard(redis).write("topics", RunStatus("j", "done", clock(), clock()))
    assert scheduler.tick() == [], "the worker has not yet released the lock"
    redis.delete(keys.lock("topics"))
    assert scheduler.tick() == ["topics"]
    assert [request.job for request in waiting(redis)] == [asked.job]


def test_a_request_for_no_corpus_or_one_cancelled_meanwhile_ends(redis, corpora_file, clock):
    board = StatusBoard(redis)
    scheduler = Scheduler(redis, corpora_file, clock)
    nothing = board.request("nothing", clock())
    unwanted = board.request("topics", clock())
    board.cancel(unwanted.job)
    scheduler.tick()
    assert board.job(nothing.job).state == "failed"
    assert "no corpus nothing is declared" in board.job(nothing.job).error
    assert board.job(unwanted.job).state == "cancelled"
    assert redis.llen(keys.REQUESTS) == 0


def test_a_corpus_runs_at_first_and_then_once_an_interval(redis, corpora_file, clock):
    scheduler = Scheduler(redis, corpora_file, clock)
    assert scheduler.tick() == ["topics"]
    assert scheduler.tick() == []
    finish(redis, clock)
    clock.now += HOUR - 1
    assert scheduler.tick() == []
    clock.now += 1
    assert scheduler.tick() == ["topics"]


def test_missed_turns_collapse_into_one(redis, corpora_file, clock):
    scheduler = Scheduler(redis, corpora_file, clock)
    scheduler.tick()
    finish(redis, clock)
    clock.now += 10 * HOUR
    assert scheduler.tick() == ["topics"]
    finish(redis, clock)
    assert scheduler.tick() == []


def test_a_restarted_scheduler_remembers(redis, corpora_file, clock):
    Scheduler(redis, corpora_file, clock).tick()
    finish(redis, clock)
    assert Scheduler(redis, corpora_file, clock).tick() == []


def test_many_schedulers_ask_once(redis, redis_url, corpora_file, clock):
    schedulers = [Scheduler(connect(redis_url), corpora_file, clock) for _ in range(6)]
    for _ in range(10):
        gate = threading.Barrier(len(schedulers))
        asked = []

        def tick(scheduler, gate=gate, asked=asked):
            gate.wait()
            asked.extend(scheduler.tick())

        threads = [threading.Thread(target=tick, args=(scheduler,)) for scheduler in schedulers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert asked == ["topics"]
        assert len(waiting(redis)) == 1
        finish(redis, clock)
        clock.now += HOUR


def test_a_run_that_died_is_asked_for_again_but_not_for_ever(redis, corpora_file, clock):
    scheduler = Scheduler(redis, corpora_file, clock)
    scheduler.tick()
    for _ in range(MAX_ATTEMPTS):
        take(redis, clock)
        assert scheduler.tick() == []
        redis.delete(keys.lock("topics"))
        assert scheduler.tick() == ["topics"]
    take(redis, clock)
    redis.delete(keys.lock("topics"))
    assert scheduler.tick() == []


def test_a_run_that_holds_its_lock_is_left_alone_however_long_it_takes(redis, corpora_file, clock):
    scheduler = Scheduler(redis, corpora_file, clock)
    scheduler.tick()
    take(redis, clock)
    clock.now += 5 * HOUR
    assert scheduler.tick() == []


def test_a_job_waiting_on_the_queue_is_not_asked_for_twice(redis, corpora_file, clock):
    scheduler = Scheduler(redis, corpora_file, clock)
    scheduler.tick()
    clock.now += 5 * HOUR
    assert scheduler.tick() == []


def just_before(monkeypatch, owner, name, event):
    """Something that happens once, just before a method is called."""
    method, events = getattr(owner, name), [event]

    def call(*arguments):
        if events:
            events.pop()()
        return method(*arguments)

    monkeypatch.setattr(owner, name, call)


def test_a_run_that_is_taken_while_the_scheduler_looks_is_not_asked_for_twice(redis, corpora_file, clock, monkeypatch):
    """It looks for a lock after it has looked at the queue."""
    scheduler = Scheduler(redis, corpora_file, clock)
    scheduler.tick()
    just_before(monkeypatch, scheduler._queue, "read", lambda: take(redis, clock))
    assert scheduler.tick() == []


def test_a_run_that_ends_while_the_scheduler_looks_is_not_asked_for_twice(redis, corpora_file, clock, monkeypatch):
    """It reads the status after it has looked for a lock."""
    scheduler = Scheduler(redis, corpora_file, clock)
    scheduler.tick()
    take(redis, clock)

    def end():
        StatusBoard(redis).write("topics", RunStatus("j", "done", clock(), clock()))
        redis.delete(keys.lock("topics"))

    just_before(monkeypatch, scheduler._redis, "exists", end)
    assert scheduler.tick() == []


def test_a_changed_file_is_taken_up_and_a_broken_one_is_not(redis, corpora_file, clock):
    scheduler = Scheduler(redis, corpora_file, clock)
    scheduler.tick()
    finish(redis, clock)
    good = corpora_file.read_text()
    rewrite(corpora_file, good + "min_count = [\n")
    assert scheduler.tick() == []
    rewrite(corpora_file, good + "min_count = 3\n")
    assert scheduler.tick() == ["topics"]


def test_another_schema_asks_for_a_run_at_once_and_once(redis, corpora_file, clock, monkeypatch):
    scheduler = Scheduler(redis, corpora_file, clock)
    scheduler.tick()
    finish(redis, clock)
    assert scheduler.tick() == []
    monkeypatch.setattr("worker.corpora.declaration.SCHEMA", SCHEMA + 1)
    assert scheduler.tick() == ["topics"]
    finish(redis, clock)
    assert scheduler.tick() == []


def rewrite(path, text):
    before = path.stat().st_mtime_ns
    path.write_text(text)
    os.utime(path, ns=(before + 10**9, before + 10**9))


def test_runs_travel_as_json(redis, corpora_file, clock):
    Scheduler(redis, corpora_file, clock).tick()
    (raw,) = redis.lrange(keys.QUEUE, 0, -1)
    job = StatusBoard(redis).read("topics").job
    assert json.loads(raw) == {"job": job, "corpus": "topics", "fresh": False}


def test_a_scheduler_has_a_heartbeat_while_it_runs_and_forgets_the_names_of_the_dead(redis, corpora_file):
    redis.sadd(keys.HEARTBEATS, "worker:elsewhere:7")
    stop = threading.Event()
    thread = threading.Thread(target=Scheduler(redis, corpora_file).run, args=(stop,))
    thread.start()
    (heartbeat,) = wait_until(Heartbeats(redis).read, "a heartbeat")
    assert (heartbeat.part, heartbeat.pid) == ("scheduler", os.getpid())
    wait_until(lambda: redis.smembers(keys.HEARTBEATS) == {heartbeat.name.encode()}, "the only name")
    stop.set()
    thread.join()
    assert not redis.exists(keys.HEARTBEATS, keys.heartbeat(heartbeat.name))


def test_the_scheduler_counts_the_log_lines_that_it_drops():
    writer = LogWriter(NO_DESCRIPTOR, bytes)
    for _ in range(3):
        writer.write(b"x" * (BUFFER_BYTES + 1))
    writer.close()
    registry = CollectorRegistry()
    registry.register(LogCollector(writer))
    assert "cotag_log_lines_dropped_total 3.0" in generate_latest(registry).decode()
