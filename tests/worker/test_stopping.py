"""Runs that are stopped in the middle: by somebody, or by their time limit."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from rq.timeouts import JobTimeoutException, UnixSignalDeathPenalty

from cocluster.engine.renewal import normalised
from snapshot import StatusBoard, connect, keys
from tests.waiting import DEADLINE
from worker.corpora import read_corpora
from worker.job import run


@pytest.fixture
def corpus(corpora_file):
    return read_corpora(corpora_file)["topics"]


def test_a_cancelled_run_stops_at_once_and_leaves_no_lock(redis, redis_url, corpus, monkeypatch):
    def slow(*_, **__):
        StatusBoard(connect(redis_url)).cancel("job-1")
        time.sleep(60)
        pytest.fail("it went on")

    monkeypatch.setattr("worker.job.cluster", slow)
    monkeypatch.setattr("worker.cancelling.PATIENCE_SECONDS", DEADLINE)  # the process that would be ended is this one
    assert run(corpus, redis, "job-1") == {"state": "cancelled"}
    assert StatusBoard(redis).read("topics").state == "cancelled"
    assert not redis.exists(keys.lock("topics"))


def call_kernels():
    """What a signal raises on the way into a kernel mostly comes out as numba's SystemError."""
    matrix = np.random.default_rng(0).random((20, 20))
    end = time.monotonic() + 60
    while time.monotonic() < end:
        normalised(matrix)
    pytest.fail("it went on")


@pytest.mark.parametrize("attempt", range(4))
def test_a_run_cancelled_between_two_kernels_is_cancelled_and_not_failed(
    redis, redis_url, corpus, monkeypatch, attempt
):
    def cancelled(*_, **__):
        StatusBoard(connect(redis_url)).cancel("job-1")
        call_kernels()

    normalised(np.ones((20, 20)))
    monkeypatch.setattr("worker.job.cluster", cancelled)
    monkeypatch.setattr("worker.cancelling.PATIENCE_SECONDS", DEADLINE)
    assert run(corpus, redis, "job-1") == {"state": "cancelled"}
    assert StatusBoard(redis).read("topics").state == "cancelled"


@pytest.mark.parametrize("attempt", range(4))
def test_a_run_stopped_by_its_time_limit_says_so(redis, corpus, monkeypatch, attempt):
    def limited(*_, **__):
        with UnixSignalDeathPenalty(1, JobTimeoutException):
            call_kernels()

    normalised(np.ones((20, 20)))
    monkeypatch.setattr("worker.job.cluster", limited)
    assert run(corpus.model_copy(update={"time_limit": "1s"}), redis, "job-1")["state"] == "failed"
    status = StatusBoard(redis).read("topics")
    assert (status.state, status.transient) == ("failed", False)
    assert status.error == "stopped because it took longer than its time_limit of 1s"
    assert not redis.exists(keys.lock("topics"))


def test_a_kernel_that_does_not_notice_is_ended_with_its_process(redis, redis_url, corpora_file):
    """A child that ignores the request stands in for a kernel deep in its work. It still says why it ended."""
    code = f"""
import signal, time
import worker.job
from pathlib import Path
from cotag.logs import configure
from snapshot import StoreSettings, connect, log_writer
from worker.corpora import read_corpora
log_writer.PAUSE_SECONDS = {DEADLINE}
write = log_writer.LogWriter.write
log_writer.LogWriter.write = lambda self, line: write(self, line, at_once=False)
configure(StoreSettings(), "worker")
def deaf(*_, **__):
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    print("deaf", flush=True)
    time.sleep({DEADLINE})
worker.job.cluster = deaf
worker.job.run(read_corpora(Path({str(corpora_file)!r}))["topics"], connect({redis_url!r}), "job-1")
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert any(line == "deaf\n" for line in process.stdout)
        StatusBoard(redis).cancel("job-1")
        assert process.wait(DEADLINE) == -signal.SIGKILL
        assert "cancelled during a kernel" in process.stdout.read()
    assert StatusBoard(redis).read("topics").state == "cancelled"
    assert not redis.exists(keys.lock("topics"))
