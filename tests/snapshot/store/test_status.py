"""Records of the store: statuses, requests, declarations, pushed documents."""

from dataclasses import asdict

import orjson
import pytest
import structlog

from snapshot import (
    Announcement,
    CorpusRegister,
    PushedDocument,
    PushedDocuments,
    RecordReader,
    RegisteredCorpus,
    RunRequest,
    RunStatus,
    StatusBoard,
    Turn,
    encode_record,
)
from snapshot.store import keys

EXAMPLES = {
    RunStatus: RunStatus("j", "done", 1.0, 2.0),
    RunRequest: RunRequest("j", "small", fresh=True),
    Turn: Turn(5.0, "abc", 1, 0.5, "def"),
    RegisteredCorpus: RegisteredCorpus("one", "One", "24h", 5.0),
    Announcement: Announcement("small", "20261116T120000.000Z"),
}


def test_the_status_of_a_corpus_and_of_its_job_are_one(redis):
    board = StatusBoard(redis)
    assert board.read("small") is None
    status = RunStatus("small-1", "running", 1.0, 2.0, stage="load")
    board.write("small", status)
    assert board.read("small") == board.job("small-1") == status.at(2.0, corpus="small")
    assert redis.ttl(keys.job("small-1")) > 0


def test_fields_of_a_newer_version_are_passed_over(redis):
    record = {**asdict(RunStatus("j", "done", 1.0, 2.0)), "mood": "fine"}
    redis.set(keys.run("small"), orjson.dumps(record))
    assert StatusBoard(redis).read("small") == RunStatus("j", "done", 1.0, 2.0)


@pytest.mark.parametrize("kind", [RunStatus, RunRequest, Turn, RegisteredCorpus, Announcement])
def test_fields_of_a_newer_writer_are_passed_over_in_every_record(kind):
    record = EXAMPLES[kind]
    assert RecordReader().read(kind, "key", orjson.dumps({**asdict(record), "mood": "fine"})) == record


@pytest.mark.parametrize("kind", [RunStatus, RunRequest, Turn, RegisteredCorpus, Announcement])
@pytest.mark.parametrize("raw", [b"", b"nonsense", b"[]", b"{}", b'{"job": 7, "at": "noon", "corpus": []}', b"\xff"])
def test_a_record_that_makes_no_sense_is_logged_once_counted_and_skipped(kind, raw):
    counted = []
    reader = RecordReader(counted.append)
    with structlog.testing.capture_logs() as logs:
        assert reader.read(kind, "some key", raw) is None
        assert reader.read(kind, "some key", raw) is None
    assert counted == [kind.__name__]
    assert [(entry["key"], entry["kind"]) for entry in logs] == [("some key", kind.__name__)]
    assert reader.read(kind, "some key", encode_record(EXAMPLES[kind])) == EXAMPLES[kind]


def test_one_bad_entry_of_the_register_leaves_the_others(redis):
    counted = []
    register = CorpusRegister(redis, counted.append)
    one = RegisteredCorpus("one", "One", "24h", 5.0)
    register.write({"one": one})
    redis.hset(keys.DECLARED, "two", b"nonsense")
    assert register.read() == {"one": one}
    assert counted == ["RegisteredCorpus"]


def test_a_request_is_queued_for_the_scheduler_and_visible_at_once(redis):
    board = StatusBoard(redis)
    asked = board.request("small", 5.0, fresh=True)
    assert board.job(asked.job) == asked
    assert asked.state == "queued"
    (request,) = redis.lrange(keys.REQUESTS, 0, -1)
    assert RunRequest(**orjson.loads(request)) == RunRequest(asked.job, "small", fresh=True)


def test_asking_again_while_one_is_queued_gives_the_same_job(redis):
    board = StatusBoard(redis)
    board.write("small", RunStatus("small-1", "queued", 1.0, 1.0))
    assert board.request("small", 5.0).job == "small-1"
    assert redis.llen(keys.REQUESTS) == 0


def test_the_same_request_waits_once_however_often_it_is_made(redis):
    """With another `fresh`, or once it was cancelled, it is another request."""
    board = StatusBoard(redis)
    redis.rpush(keys.REQUESTS, b"nonsense")
    asked = board.request("small", 5.0)
    assert {board.request("small", 6.0).job for _ in range(300)} == {asked.job}
    assert board.request("small", 6.0) == asked
    fresh = board.request("small", 5.0, fresh=True)
    assert fresh.job != asked.job
    assert board.request("small", 7.0, fresh=True) == fresh
    assert board.request("other", 5.0).job not in {asked.job, fresh.job}
    assert redis.llen(keys.REQUESTS) == 4
    board.cancel(asked.job)
    assert board.request("small", 8.0).job != asked.job
    board.write("small", fresh)
    assert board.request("small", 9.0, fresh=True) == fresh
    assert board.request("small", 9.0).job != fresh.job


def test_a_cancelled_job_is_known_as_such(redis):
    board = StatusBoard(redis)
    assert not board.cancelled("small-1")
    board.cancel("small-1")
    assert board.cancelled("small-1")


def test_the_register_is_replaced_whole(redis):
    register = CorpusRegister(redis)
    one, two = RegisteredCorpus("one", "One", "24h", 5.0), RegisteredCorpus("two", "Two", "0 3 * * *", 6.0, pushed=True)
    register.write({"one": one, "two": two})
    assert register.read() == {"one": one, "two": two}
    register.write({"two": two})
    assert register.read() == {"two": two}


def test_pushed_documents_are_replaced_by_id_listed_once_and_removed(redis):
    pushed = PushedDocuments(redis, "small")
    assert pushed.put(PushedDocument(f"d{n}", ["x", f"t{n}"]) for n in range(1200)) == 1200
    pushed.put([PushedDocument("d0", ["y"], "l")])
    assert pushed.count() == 1200
    records = [orjson.loads(record) for record in pushed.records()]
    assert len({record["id"] for record in records}) == len(records) == 1200
    assert {"id": "d0", "tags": ["y"], "label": "l"} in records
    assert pushed.delete(["d0", "d1", "nothing"]) == 2
    assert pushed.clear() == 1198
    assert list(pushed.records()) == []
