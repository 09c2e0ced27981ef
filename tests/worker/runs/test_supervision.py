"""A worker and the process of its run: one supervises, the other may be killed at any point."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import get_type_hints

import psutil
import pytest

from snapshot import RunRequest, RunStatus, StatusBoard
from snapshot.store import keys
from snapshot.store.operation.corpus_lock import LEASE_SECONDS, CorpusLock
from tests.waiting import DEADLINE, gone, wait_until
from worker.runs.process import RunProcess
from worker.runs.supervision import SupervisedRun

# The processes forked here do next to nothing; none of the threads of pytest can matter to them.
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")

DONE = {"outcome": {"state": "done", "version": "v"}, "timings": {"load": 2.0}}


def sleep_for_ever(send):
    """What a kernel looks like from outside."""
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP})
    send({"stage": "load", "done": 3, "total": 9, "timings": {"load": 1.5}})
    time.sleep(DEADLINE)


@pytest.fixture
def supervise(redis):
    """Supervises a process; kills what is left of it afterwards."""
    begun = []

    def begin(compute, **limits):
        lock = CorpusLock(redis, "topics")
        assert lock.acquire()
        process = RunProcess(compute)
        status = RunStatus("job-1", "running", 5.0, 5.0, "topics")
        begun.append((SupervisedRun(redis, status, lock, process, **{"time_limit": "1h", **limits}), process))
        return begun[-1]

    yield begin
    for _, process in begun:
        process.kill()


def ends(run):
    """Supervise to the end, as a worker does."""

    def over():
        run.follow(0.05)
        return run.settle()

    wait_until(over, "the end of the run", pause=0)
    run.close()


def at_work(run):
    """Supervise until the process has reported something."""

    def reported():
        run.follow(0.05)
        run.settle()
        return run._timings

    wait_until(reported, "the first report", pause=0)


def counted(redis):
    return {field.decode(): float(value) for field, value in redis.hgetall(keys.METRICS).items()}


def test_what_the_process_reports_is_in_the_store_and_what_it_took_is_counted(redis, supervise):
    run, _ = supervise(lambda send: (send({"stage": "load", "done": 1, "total": 2, "timings": {}}), send(DONE)))
    ends(run)
    status = StatusBoard(redis).read("topics")
    assert (status.state, status.version, status.stage, status.done, status.started) == ("done", "v", "load", 1, 5.0)
    assert StatusBoard(redis).job("job-1") == status
    assert counted(redis) == {"runs|topics|done": 1.0, "seconds|topics|load": 2.0}
    assert not redis.exists(keys.lock("topics"))


def test_a_cancelled_run_is_killed_whatever_it_does(redis, supervise):
    """It computes and hears no signal. What its stages took is counted."""
    run, process = supervise(sleep_for_ever)
    at_work(run)
    assert StatusBoard(redis).read("topics").state == "running"
    StatusBoard(redis).cancel("job-1")
    ends(run)
    assert process.exit_code == -signal.SIGKILL
    assert StatusBoard(redis).read("topics").state == "cancelled"
    assert counted(redis) == {"runs|topics|cancelled": 1.0, "seconds|topics|load": 1.5}
    assert not redis.exists(keys.lock("topics"))


def test_a_run_that_takes_too_long_is_killed_and_says_so(redis, supervise):
    run, process = supervise(sleep_for_ever, time_limit="1s")
    ends(run)
    assert process.exit_code == -signal.SIGKILL
    status = StatusBoard(redis).read("topics")
    assert (status.state, status.transient) == ("failed", False)
    assert status.error == "stopped because it took longer than its time_limit of 1s"


def say_something_for_ever(send):
    while True:
        send({"stage": "load", "done": 3, "total": 9, "timings": {"load": 1.5}})
        time.sleep(0.1)


def test_a_source_that_gives_nothing_is_given_up_and_tried_again(redis, supervise):
    """Otherwise it keeps a worker from every other corpus until its time limit."""
    run, process = supervise(sleep_for_ever, source_timeout="1s")
    ends(run)
    assert process.exit_code == -signal.SIGKILL
    status = StatusBoard(redis).read("topics")
    assert (status.state, status.transient) == ("failed", True)
    assert status.error == "SourceUnavailable: the source gave nothing for 1s (source_timeout)"


def compute_for_a_while(send):
    send({"stage": "load", "done": 1, "total": 2, "timings": {}})
    until = time.process_time() + 2.5
    while time.process_time() < until:
        pass
    send(DONE)


def test_a_process_that_computes_without_a_word_does_not_wait_for_its_source(redis, supervise):
    """Large corpora are cleaned for minutes after they were read."""
    run, _ = supervise(compute_for_a_while, source_timeout="2s")
    ends(run)
    assert StatusBoard(redis).read("topics").state == "done"


def test_a_slow_source_may_take_until_the_time_limit(redis, supervise):
    run, _ = supervise(say_something_for_ever, source_timeout="1s", time_limit="3s")
    ends(run)
    assert "time_limit" in StatusBoard(redis).read("topics").error


@pytest.mark.parametrize(
    ("end", "error"),
    [
        (lambda _: os.kill(os.getpid(), signal.SIGKILL), "the process of the run was killed by signal 9"),
        (lambda _: sys.exit(3), "the process of the run ended with exit code 1"),
    ],
)
def test_a_process_that_dies_is_a_failed_run_that_is_tried_again(redis, supervise, end, error):
    run, _ = supervise(end)
    ends(run)
    status = StatusBoard(redis).read("topics")
    assert (status.state, status.transient, status.error) == ("failed", True, error)


def test_signals_are_for_the_worker(redis, supervise):
    """A service manager may send them to all processes: the run finishes all the same."""

    def signalled(send):
        for number in (signal.SIGTERM, signal.SIGINT):
            os.kill(os.getpid(), number)
        send(DONE)

    run, _ = supervise(signalled)
    ends(run)
    assert StatusBoard(redis).read("topics").state == "done"


def test_what_the_process_started_is_killed_with_it(supervise, tmp_path):
    """Also if it ended by itself and left something behind."""

    def start_others(send):
        child = subprocess.Popen(["sleep", str(DEADLINE)])
        (tmp_path / "pid").write_text(str(child.pid))
        send(DONE)

    run, _ = supervise(start_others)
    ends(run)
    wait_until(lambda: gone(int((tmp_path / "pid").read_text())), "the end of what it started")


JOBLIB = """
import sys, time
from joblib import Parallel, delayed
from worker.runs.process import RunProcess
def compute(send):
    Parallel(n_jobs=2, backend="loky")(delayed(time.sleep)({seconds}) for _ in range(2))
process = RunProcess(compute)
print(process._pid, flush=True)
sys.stdin.readline()
process.kill()
"""


def test_a_killed_run_leaves_nothing_of_joblib_behind():
    """Neither its processes nor what they have in shared memory.

    The worker is a process of its own here. A fork of pytest would share the cleaners that another test may have
    started there.
    """
    worker = subprocess.Popen(
        [sys.executable, "-c", JOBLIB.format(seconds=DEADLINE)],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with worker:
        run = int(worker.stdout.readline())
        wait_until(lambda: len(descendants(run)) >= 4, "joblib's processes and its cleaners")
        started = descendants(run)
        assert list(shared_memory(run))
        worker.communicate(b"kill it\n")
    wait_until(lambda: all(gone(each.pid) for each in started), "the end of them all")
    assert list(shared_memory(run)) == []


def descendants(pid):
    return psutil.Process(pid).children(recursive=True)


def shared_memory(pid):
    """What joblib named after a process."""
    return Path("/dev/shm").glob(f"*-{pid}-*")  # noqa: S108 - where it is on Linux


def test_the_lock_is_renewed_while_the_process_computes(redis, supervise, monkeypatch):
    monkeypatch.setattr("worker.runs.supervision.RENEW_SECONDS", 0.0)
    run, _ = supervise(sleep_for_ever)
    redis.pexpire(keys.lock("topics"), 5000)
    at_work(run)
    assert redis.pttl(keys.lock("topics")) > 5000


def test_a_lock_that_expired_meanwhile_is_taken_again(redis, supervise, monkeypatch):
    monkeypatch.setattr("worker.runs.supervision.RENEW_SECONDS", 0.0)
    run, _ = supervise(sleep_for_ever)
    redis.delete(keys.lock("topics"))
    at_work(run)
    assert 0 < redis.pttl(keys.lock("topics")) <= 1000 * LEASE_SECONDS
    run.close()
    assert not redis.exists(keys.lock("topics"))


def test_a_run_whose_lock_another_has_is_killed_and_leaves_the_corpus_to_it(redis, supervise, monkeypatch):
    monkeypatch.setattr("worker.runs.supervision.RENEW_SECONDS", 0.0)
    run, process = supervise(sleep_for_ever)
    at_work(run)
    redis.set(keys.lock("topics"), "another")
    other = RunStatus("job-2", "running", 6.0, 6.0, "topics")
    StatusBoard(redis).write("topics", other)
    ends(run)
    assert process.exit_code == -signal.SIGKILL
    assert StatusBoard(redis).read("topics") == other
    ended = StatusBoard(redis).job("job-1")
    assert (ended.state, ended.error) == ("cancelled", "another run of topics is under way")
    assert redis.get(keys.lock("topics")) == b"another"


ORPHAN = """
import os, time
from pathlib import Path
from worker.runs.process import RunProcess
def compute(send):
    Path({pid!r}).write_text(str(os.getpid()))
    while not Path({go_on!r}).exists():
        time.sleep(0.02)
    send({{"stage": "publish"}})
    Path({published!r}).touch()
RunProcess(compute).receive({seconds})
"""


def test_a_process_whose_worker_died_ends_at_its_next_report(tmp_path):
    """It does not publish: it reports before it does."""
    pid, go_on, published = (tmp_path / name for name in ("pid", "go on", "published"))
    code = ORPHAN.format(pid=str(pid), go_on=str(go_on), published=str(published), seconds=DEADLINE)
    with subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[3]) as worker:
        wait_until(lambda: pid.exists() and pid.read_text(), "the process of the run")
        worker.kill()
    go_on.touch()
    wait_until(lambda: gone(int(pid.read_text())), "its end")
    assert not published.exists()


def test_a_run_is_requested_with_names_and_flags_only():
    """So nothing that somebody writes to the queue can name code."""
    assert set(get_type_hints(RunRequest).values()) <= {str, bool}
