"""A worker beside a store that answers but takes no writes waits for it, as for one that is away."""

import json
import threading

import pytest
from redis.exceptions import RedisError

from snapshot.store import keys
from tests.faults.test_worker_store import WorkerProcess, ask, ended, start_worker, store
from tests.waiting import wait_until

__all__ = ["WorkerProcess", "start_worker", "store"]

ENDLESS = "while true do end"


def endless(client):
    with client, pytest.raises(RedisError):
        client.eval(ENDLESS, 0)


def refuse(store, how):
    """Make the store refuse writes; returns how to undo it."""
    client = store.client()
    if how == "OOM":
        client.config_set("maxmemory", "1")
        return lambda: client.config_set("maxmemory", "0")
    if how == "READONLY":
        client.replicaof("127.0.0.1", 1)
        return lambda: client.replicaof("NO", "ONE")
    if how == "NOREPLICAS":
        client.config_set("min-replicas-to-write", "1")
        return lambda: client.config_set("min-replicas-to-write", "0")
    client.config_set("busy-reply-threshold", "10")
    thread = threading.Thread(target=endless, args=(store.client(timeout=None),))
    thread.start()
    return lambda: (client.script_kill(), thread.join())


@pytest.mark.parametrize("how", ["OOM", "READONLY", "NOREPLICAS", "BUSY"])
def test_a_worker_waits_for_a_store_that_takes_no_writes(store, start_worker, how):
    """It says so, keeps its process, and runs the next job when the store takes writes again."""
    store.start()
    worker = start_worker()
    wait_until(lambda: store.client().keys("cotag:heartbeat:worker:*"), "a worker")
    undo = refuse(store, how)
    try:
        wait_until(lambda: worker.says("the store is away, waiting for it"), "the worker noticing")
        assert worker.process.poll() is None
    finally:
        undo()
    redis = store.client()
    ask(redis, "job-1")
    assert wait_until(lambda: ended(redis, "job-1"), "a run").state == "done"
    assert not worker.says("Traceback")
    assert worker.end() == 0


def test_only_our_job_runs_whatever_is_on_the_queue(store, start_worker, corpora_file, tmp_path):
    """The queue names no code: what somebody writes there is a run of a declared corpus, or is removed."""
    redis = store.start().client()
    called = {"func_name": "os.mkdir", "args": [str(tmp_path / "called")], "job": "foreign", "corpus": ["topics"]}
    redis.rpush(keys.QUEUE, json.dumps(called), "garbage", json.dumps({**called, "corpus": "nothing"}))
    ask(redis, "job-1")
    worker = start_worker()
    assert wait_until(lambda: ended(redis, "job-1"), "our own run").state == "done"
    assert not (tmp_path / "called").exists()
    assert worker.says("unreadable record")
    assert ended(redis, "foreign").error.endswith("declares no corpus nothing")
    assert redis.llen(keys.QUEUE) == 0
    assert worker.end() == 0
