"""Heartbeats: one for each process, gone soon after it, and nothing left behind."""

import os
import socket
from dataclasses import replace

import pytest

from snapshot import BEAT_SECONDS, EXPIRY_SECONDS, Heartbeat, Heartbeats, StoreUnavailable, connect, new_heartbeat
from snapshot.store import keys
from tests.waiting import wait_until

WORKER = Heartbeat("worker", "here", 7, started=1.0, at=2.0, job="demo-1", cotag="1.2")
OTHER = replace(WORKER, pid=8, job="")
SCHEDULER = Heartbeat("scheduler", "there", 7, started=1.0, at=2.0)


def test_each_process_has_its_own(redis):
    heartbeats = Heartbeats(redis)
    for heartbeat in (WORKER, OTHER, SCHEDULER):
        heartbeats.write(heartbeat)
    assert set(heartbeats.read()) == {WORKER, OTHER, SCHEDULER}
    heartbeats.write(replace(WORKER, at=7.0, job=""))
    assert {heartbeat.at for heartbeat in heartbeats.read() if heartbeat.pid == 7} == {7.0, 2.0}


def test_all_that_is_written_expires_and_a_process_may_miss_a_beat_or_two(redis):
    Heartbeats(redis).write(WORKER)
    assert 3 * BEAT_SECONDS < EXPIRY_SECONDS
    written = list(redis.scan_iter("*"))
    assert len(written) == 2
    assert all(0 < redis.ttl(key) <= EXPIRY_SECONDS for key in written)


def test_one_that_is_not_renewed_expires_alone(redis):
    heartbeats = Heartbeats(redis)
    heartbeats.write(WORKER)
    heartbeats.write(OTHER)
    redis.pexpire(keys.heartbeat(WORKER.name), 1)
    wait_until(lambda: heartbeats.read() == (OTHER,), "the expiry")
    heartbeats.forget_dead()
    assert redis.smembers(keys.HEARTBEATS) == {OTHER.name.encode()}


def test_a_process_that_ends_leaves_nothing(redis):
    heartbeats = Heartbeats(redis)
    heartbeats.write(WORKER)
    heartbeats.remove(WORKER)
    assert list(redis.scan_iter("*")) == []
    heartbeats.forget_dead()
    assert heartbeats.read() == ()


@pytest.mark.parametrize(
    "record", [b"", b"not json", b'{"part": "cook", "host": "h", "pid": 1, "started": 1, "at": 1}']
)
def test_one_that_cannot_be_read_is_counted_once_and_skipped(redis, record):
    counted = []
    heartbeats = Heartbeats(redis, counted.append)
    heartbeats.write(WORKER)
    heartbeats.write(OTHER)
    redis.set(keys.heartbeat(OTHER.name), record)
    assert [heartbeats.read() for _ in range(3)] == [(WORKER,)] * 3
    assert counted == ["Heartbeat"]


def test_fields_of_a_newer_writer_are_ignored(redis):
    Heartbeats(redis).write(WORKER)
    redis.set(keys.heartbeat(WORKER.name), redis.get(keys.heartbeat(WORKER.name)).replace(b"{", b'{"colour": "red", '))
    assert Heartbeats(redis).read() == (WORKER,)


def test_a_new_one_names_this_process():
    heartbeat = new_heartbeat("worker", 5.0)
    assert (heartbeat.host, heartbeat.pid) == (socket.gethostname(), os.getpid())
    assert (heartbeat.started, heartbeat.at, heartbeat.job) == (5.0, 5.0, "")
    assert heartbeat.cotag


def test_a_store_that_is_away_is_told_as_that(tmp_path):
    heartbeats = Heartbeats(connect(f"unix://{tmp_path}/gone.sock", timeout=0.2))
    for ask in (heartbeats.read, heartbeats.forget_dead, lambda: heartbeats.write(WORKER)):
        with pytest.raises(StoreUnavailable):
            ask()
