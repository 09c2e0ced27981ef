"""Records that a newer Cotag wrote, or that make no sense: the scheduler reads what it can and goes on."""

import json

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from structlog.testing import capture_logs

from snapshot import CorpusRegister, RecordReader, RunRequest, StatusBoard, Turn
from snapshot.store import keys
from tests.clock import Clock
from tests.worker.runs.test_schedule import HOUR, finish, waiting
from worker.runs.metrics import RunCollector
from worker.runs.scheduler import Scheduler

GARBAGE = [b"", b"garbage", b"\xff\xfe", b"[]", b"{", b'{"at": "soon"}']


@pytest.fixture
def clock():
    return Clock(1_000_000.0)


@pytest.fixture
def scheduler(redis, corpora_file, clock):
    """After the first run of its corpus."""
    scheduler = Scheduler(redis, corpora_file, clock)
    scheduler.tick()
    finish(redis, clock)
    return scheduler


def bad_records(redis, kind):
    """How many Prometheus sees."""
    registry = CollectorRegistry()
    registry.register(RunCollector(redis, float))
    name = f'cotag_bad_records_total{{kind="{kind}"}} '
    lines = generate_latest(registry).decode().splitlines()
    return sum(float(line.removeprefix(name)) for line in lines if line.startswith(name))


def unreadable(logs):
    """Key and kind of the records that were logged."""
    return [(entry["key"], entry["kind"]) for entry in logs if entry["event"] == "unreadable record"]


def test_a_request_with_unknown_fields_is_served(redis, scheduler):
    request = {"urgency": 9, "job": "job-1", "corpus": "topics", "fresh": True}
    redis.rpush(keys.REQUESTS, json.dumps(request))
    assert scheduler.tick() == ["topics"]
    assert waiting(redis) == [RunRequest("job-1", "topics", fresh=True)]
    assert redis.llen(keys.REQUESTS) == 0


def test_a_request_with_unknown_fields_for_no_corpus_ends(redis, scheduler):
    redis.rpush(keys.REQUESTS, json.dumps({"job": "job-1", "corpus": "nothing", "urgency": 9}))
    assert scheduler.tick() == []
    assert StatusBoard(redis).job("job-1").state == "failed"
    assert redis.llen(keys.REQUESTS) == 0


def test_requests_that_make_no_sense_are_logged_counted_and_taken_off_the_list(redis, scheduler, clock):
    redis.rpush(keys.REQUESTS, *GARBAGE)
    wanted = StatusBoard(redis).request("topics", clock())
    with capture_logs() as logs:
        assert scheduler.tick() == ["topics"]
    assert [request.job for request in waiting(redis)] == [wanted.job], "a good request among them is served"
    assert unreadable(logs) == [(keys.REQUESTS, "RunRequest")] * len(GARBAGE)
    assert bad_records(redis, "RunRequest") == len(GARBAGE)
    assert redis.llen(keys.REQUESTS) == 0


@pytest.mark.parametrize("raw", GARBAGE)
def test_a_turn_that_makes_no_sense_counts_as_none(redis, scheduler, clock, raw):
    assert scheduler.tick() == []
    redis.set(keys.schedule("topics"), raw)
    with capture_logs() as logs:
        assert scheduler.tick() == ["topics"]
    assert unreadable(logs) == [(keys.schedule("topics"), "Turn")]
    assert bad_records(redis, "Turn") == 1
    turn = RecordReader().read(Turn, "turn", redis.get(keys.schedule("topics")))
    assert (turn.at, turn.attempts) == (clock(), 0)
    finish(redis, clock)
    assert scheduler.tick() == []


def test_a_turn_with_unknown_fields_is_a_turn(redis, scheduler):
    turn = json.loads(redis.get(keys.schedule("topics")))
    redis.set(keys.schedule("topics"), json.dumps({**turn, "mood": "fair"}))
    assert scheduler.tick() == []
    assert bad_records(redis, "Turn") == 0


@pytest.mark.parametrize("raw", [*GARBAGE, b'{"job": "j", "state": "kept", "started": 1, "updated": 1}'])
def test_a_status_that_makes_no_sense_does_not_stop_the_scheduler(redis, scheduler, clock, raw):
    """It is logged and counted once, however often the scheduler looks."""
    redis.set(keys.run("topics"), raw)
    with capture_logs() as logs:
        assert scheduler.tick() == scheduler.tick() == []
    assert unreadable(logs) == [(keys.run("topics"), "RunStatus")]
    assert bad_records(redis, "RunStatus") == 1
    clock.now += HOUR
    assert scheduler.tick() == ["topics"]


def test_a_register_that_makes_no_sense_is_written_again(redis, scheduler):
    redis.hset(keys.DECLARED, mapping={"topics": b"?", "others": b"{}"})
    scheduler.tick()
    assert bad_records(redis, "RegisteredCorpus") == 2
    assert list(CorpusRegister(redis).read()) == ["topics"]
    assert redis.hkeys(keys.DECLARED) == [b"topics"]
