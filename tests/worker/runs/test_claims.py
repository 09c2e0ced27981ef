"""Which run a worker takes next, and what becomes of one if the worker dies while it takes it."""

import threading

import pytest
from structlog.testing import capture_logs

from snapshot import Heartbeat, Heartbeats, RunRequest, RunStatus, SnapshotStore, StatusBoard, encode_record
from snapshot.store import keys
from snapshot.store.operation.corpus_lock import LEASE_SECONDS, CorpusLock
from snapshot.store.operation.heartbeats import Pulse
from tests.waiting import wait_until
from worker.runs.claims import LONG_SECONDS, Claims


@pytest.fixture
def claims(redis):
    return Claims(redis, Pulse(redis, "worker"))


@pytest.fixture
def seconds(monkeypatch):
    """How long the last run of each corpus took."""
    took = {}
    monkeypatch.setattr(SnapshotStore, "current", lambda _, corpus: "v" if corpus in took else None)
    monkeypatch.setattr(SnapshotStore, "meta", lambda _, corpus, __: Meta(took[corpus]))
    return took


class Meta:
    def __init__(self, seconds):
        self.timings = {"load": seconds / 2, "smooth": seconds / 2}


def ask(redis, *corpora):
    for corpus in corpora:
        redis.rpush(keys.QUEUE, encode_record(RunRequest(f"{corpus}-1", corpus)))


def another_worker(redis, number, corpus=""):
    """A living worker, with the run that it supervises."""
    job = f"{corpus}-{number}" if corpus else ""
    if corpus:
        StatusBoard(redis).write_job(RunStatus(job, "running", 5.0, 5.0, corpus))
    Heartbeats(redis).write(Heartbeat("worker", "elsewhere", number, started=5.0, at=5.0, job=job))


def taken(claims):
    claim = claims.next()
    return claim and claim[0].corpus


def test_the_first_run_is_taken_with_the_lock_of_its_corpus_and_the_heartbeat_names_it(redis, claims):
    ask(redis, "one", "two")
    request, lock = claims.next()
    assert request == RunRequest("one-1", "one")
    assert [each.job for each in Heartbeats(redis).read()] == ["one-1"]
    assert 0 < redis.pttl(keys.lock("one")) <= 1000 * LEASE_SECONDS
    assert redis.llen(keys.QUEUE) == 1
    lock.release()
    assert not redis.exists(keys.lock("one"))


def test_a_run_whose_corpus_has_one_already_waits_and_the_next_is_taken(redis, claims):
    CorpusLock(redis, "one").acquire()
    ask(redis, "one", "two")
    assert taken(claims) == "two"
    assert taken(claims) is None
    assert redis.llen(keys.QUEUE) == 1


def test_a_worker_that_dies_while_it_takes_a_run_loses_nothing(redis, claims, monkeypatch):
    """The run waits until the lock of the dead one has expired."""
    ask(redis, "one")
    with monkeypatch.context() as broken:
        broken.setattr("snapshot.store.operation.queue.RequestList.remove", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            claims.next()
    assert taken(claims) is None
    redis.delete(keys.lock("one"))
    assert taken(claims) == "one"


def test_a_run_that_somebody_else_took_off_the_queue_leaves_no_lock(redis, claims, monkeypatch):
    ask(redis, "one")
    monkeypatch.setattr("snapshot.store.operation.queue.RequestList.remove", lambda *_: False)
    assert taken(claims) is None
    assert not redis.exists(keys.lock("one"))
    assert [each.job for each in Heartbeats(redis).read()] == [""]


def test_of_many_workers_exactly_one_takes_a_run(redis):
    ask(redis, "one")
    got, gate = [], threading.Barrier(8)

    def contend():
        claims = Claims(redis, Pulse(redis, "worker"))
        gate.wait()
        got.append(claims.next())

    threads = [threading.Thread(target=contend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([claim for claim in got if claim]) == 1
    assert redis.llen(keys.QUEUE) == 0


FOREIGN = [
    b"",
    b"garbage",
    b"[]",
    b'{"job": "j"}',
    b'{"job": ["x"], "corpus": 3}',
    b'{"job": "j", "corpus": "one", "fresh": "os.system"}',
    b'{"func_name": "os.mkdir", "args": ["/tmp/x"]}',
]


def test_what_is_no_run_is_taken_off_the_queue_logged_and_counted(redis, claims):
    redis.rpush(keys.QUEUE, *FOREIGN)
    ask(redis, "one")
    with capture_logs() as logs:
        assert taken(claims) == "one"
    assert [entry["event"] for entry in logs] == ["unreadable record"] * len(FOREIGN)
    assert redis.llen(keys.QUEUE) == 0
    assert redis.hget(keys.METRICS, "bad_records|RunRequest|") == str(len(FOREIGN)).encode()


def test_a_queue_of_another_type_is_deleted(redis, claims):
    redis.set(keys.QUEUE, "x")
    assert taken(claims) is None
    ask(redis, "one")
    assert taken(claims) == "one"


def test_a_worker_alone_takes_long_runs_too(redis, claims, seconds):
    seconds["long"] = LONG_SECONDS + 1
    ask(redis, "long")
    assert taken(claims) == "long"


def test_the_last_free_worker_takes_short_runs_only(redis, claims, seconds):
    """So a small corpus never waits behind a long run. A corpus that was never published counts as small."""
    seconds.update(first=LONG_SECONDS + 1, second=LONG_SECONDS + 1, small=LONG_SECONDS)
    another_worker(redis, 7, "first")
    ask(redis, "second", "small", "new")
    assert taken(claims) == "small"
    assert taken(claims) == "new"
    assert taken(claims) is None
    assert redis.llen(keys.QUEUE) == 1
    another_worker(redis, 8)
    assert taken(claims) == "second", "there is another one for small corpora"


def test_a_worker_busy_with_a_short_run_is_free_soon(redis, claims, seconds):
    """Many short runs do not keep a long one waiting."""
    seconds.update(long=LONG_SECONDS + 1, small=1.0)
    another_worker(redis, 7, "small")
    ask(redis, "long")
    assert taken(claims) == "long"


def test_two_workers_that_begin_long_runs_at_the_same_moment_notice_it(redis, claims, seconds, monkeypatch):
    """One looks again after it has said what it takes."""
    seconds.update(first=LONG_SECONDS + 1, second=LONG_SECONDS + 1)
    another_worker(redis, 7)
    ask(redis, "second")
    acquire = CorpusLock.acquire
    monkeypatch.setattr(CorpusLock, "acquire", lambda lock: (another_worker(redis, 7, "first"), acquire(lock))[1])
    assert taken(claims) is None
    assert not redis.exists(keys.lock("second"))
    assert redis.llen(keys.QUEUE) == 1


def test_a_heartbeat_is_written_when_it_is_due_or_the_run_changes(redis):
    pulse = Pulse(redis, "worker")
    assert pulse.beat("")
    assert not pulse.beat("")
    assert pulse.beat("job-1")
    assert not pulse.beat()
    assert [each.job for each in Heartbeats(redis).read()] == ["job-1"]
    pulse._next = 0.0
    wait_until(pulse.beat, "the next heartbeat")
    assert [each.job for each in Heartbeats(redis).read()] == ["job-1"]
    pulse.end()
    assert Heartbeats(redis).read() == ()
