"""Heartbeats of real workers and schedulers: during a long run, after kill -9, while stopped, and after a clean end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from snapshot import Heartbeats, StatusBoard
from tests.faults.test_worker_store import LONG_RUN, WorkerProcess, ask, ended
from tests.servers import Server
from tests.waiting import DEADLINE, wait_until


@pytest.fixture
def store(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("s"))
    yield server.start()
    server.stop()


@pytest.fixture
def redis(store):
    return store.client()


@pytest.fixture
def start(store, corpora_file, tmp_path):
    """Starts a worker; kills what is left of it afterwards."""
    started = []

    def start_worker(sabotage=""):
        log = tmp_path / f"worker-{len(started)}.log"
        started.append(WorkerProcess(store, corpora_file, log, sabotage))
        return started[-1].process

    yield start_worker
    for each in started:
        kill(each.process)


def kill(process):
    """Worker and job, with kill -9."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(DEADLINE)


def living(redis):
    """Pid and job of those that have a heartbeat."""
    return {(heartbeat.pid, heartbeat.job) for heartbeat in Heartbeats(redis).read()}


def writes(redis, pid):
    """When the heartbeat of a process was written."""
    return next((heartbeat.at for heartbeat in Heartbeats(redis).read() if heartbeat.pid == pid), None)


def test_a_worker_has_a_heartbeat_while_it_waits_while_it_works_and_none_after_it_ended(redis, start, tmp_path):
    event = tmp_path / "go on"
    process = start(LONG_RUN.format(event=str(event)))
    wait_until(lambda: living(redis) == {(process.pid, "")}, "the first heartbeat")
    ask(redis, "long")
    wait_until(lambda: living(redis) == {(process.pid, "long")}, "a heartbeat that names the job")
    seen = set()

    def again_and_again():
        assert living(redis) == {(process.pid, "long")}
        seen.add(writes(redis, process.pid))
        return len(seen) > 3

    wait_until(again_and_again, "more heartbeats during the run")
    assert StatusBoard(redis).read("topics").state == "running"
    event.touch()
    assert wait_until(lambda: ended(redis, "long"), "the end of the run").state == "done"
    wait_until(lambda: living(redis) == {(process.pid, "")}, "a worker that waits again")
    process.send_signal(signal.SIGTERM)
    assert process.wait(DEADLINE) == 0
    assert living(redis) == set()


def test_the_heartbeat_of_a_killed_worker_expires_and_that_of_another_stays(redis, start):
    doomed, other = start(), start()
    wait_until(lambda: living(redis) == {(doomed.pid, ""), (other.pid, "")}, "two heartbeats")
    kill(doomed)
    wait_until(lambda: living(redis) == {(other.pid, "")}, "the expiry")


def test_the_heartbeat_of_a_stopped_worker_expires_and_comes_back_with_it(redis, start):
    process = start()
    wait_until(lambda: living(redis) == {(process.pid, "")}, "a heartbeat")
    process.send_signal(signal.SIGSTOP)
    wait_until(lambda: living(redis) == set(), "the expiry")
    process.send_signal(signal.SIGCONT)
    wait_until(lambda: living(redis) == {(process.pid, "")}, "the heartbeat")


def test_a_worker_whose_store_was_away_has_a_heartbeat_again(store, start):
    process = start()
    wait_until(lambda: living(store.client()) == {(process.pid, "")}, "a heartbeat")
    store.empty()
    wait_until(lambda: living(store.client()) == {(process.pid, "")}, "a heartbeat in the new store")
    assert process.poll() is None


@pytest.fixture
def scheduler(store, corpora_file):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
    with subprocess.Popen(
        [sys.executable, "-m", "cotag", "scheduler"],
        env={**clean, "COTAG_REDIS_URL": store.url, "COTAG_CORPORA": str(corpora_file)},
        stdout=subprocess.DEVNULL,
        cwd=Path(__file__).parents[2],
    ) as process:
        yield process
        if process.poll() is None:
            process.kill()


def test_a_scheduler_has_a_heartbeat_through_an_outage_until_it_ends(store, scheduler):
    def beats():
        return [(heartbeat.part, heartbeat.pid) for heartbeat in Heartbeats(store.client()).read()]

    expected = [("scheduler", scheduler.pid)]
    wait_until(lambda: beats() == expected, "a heartbeat")
    store.empty()
    wait_until(lambda: beats() == expected, "a heartbeat in the new store")
    first = writes(store.client(), scheduler.pid)
    wait_until(lambda: writes(store.client(), scheduler.pid) > first, "another heartbeat")
    scheduler.send_signal(signal.SIGTERM)
    assert scheduler.wait(DEADLINE) == 0
    assert beats() == []
