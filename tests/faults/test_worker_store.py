"""A worker beside a store that is not there yet, goes away at a bad moment, or is away when the worker should end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from snapshot import RunRequest, StatusBoard, encode_record
from snapshot.store import keys
from snapshot.store.operation.queue import job_queue
from tests.servers import Server
from tests.waiting import DEADLINE, wait_until
from worker.runs.scheduler import Scheduler

STORE_DIES_AS_A_JOB_IS_TAKEN = """
import os, signal
from snapshot.store.operation.queue import RequestList
remove = RequestList.remove
def lose(self, raw):
    RequestList.remove = remove
    os.kill({pid}, signal.SIGKILL)
    return remove(self, raw)
RequestList.remove = lose
"""

LONG_RUN = """
import time
from pathlib import Path
from worker.clustering.stages import Stages
enter = Stages.enter
def held(self, stage, *progress):
    enter(self, stage, *progress)
    while stage == "smooth" and not Path({event!r}).exists():
        time.sleep(0.02)
Stages.enter = held
"""

STORE_HANGS_AS_A_RUN_ENDS = """
import os, signal
from snapshot import SnapshotStore
retain = SnapshotStore.retain
def hang(self, corpus, keep):
    retain(self, corpus, keep)
    if corpus == "topics":
        os.kill({pid}, signal.SIGSTOP)
SnapshotStore.retain = hang
"""

LOG_IN_NO_HURRY = """
from runtime import log_writer
log_writer.PAUSE_SECONDS = 3600
write = log_writer.LogWriter.write
log_writer.LogWriter.write = lambda self, line: write(self, line, at_once=False)
"""


class WorkerProcess:
    """A `cotag worker`, sabotaged before it begins."""

    def __init__(self, store, corpora_file, log, sabotage=""):
        self.log = Path(log)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
        with self.log.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-c", f"{sabotage}\nfrom cotag.cli import main\nmain()", "worker"],
                env={**clean, "COTAG_REDIS_URL": store.url, "COTAG_CORPORA": str(corpora_file)},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def says(self, text):
        return text in self.log.read_text()

    def end(self, within=DEADLINE):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(within)


@pytest.fixture
def store(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("s"))
    yield server
    server.stop()


@pytest.fixture
def start_worker(store, corpora_file, tmp_path):
    started = []

    def start(sabotage=""):
        started.append(WorkerProcess(store, corpora_file, tmp_path / "worker.log", sabotage))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            os.killpg(each.process.pid, signal.SIGKILL)
            each.process.wait()


def ask(redis, job, name="topics"):
    redis.rpush(keys.QUEUE, encode_record(RunRequest(job, name)))


def ended(redis, job):
    status = StatusBoard(redis).job(job)
    return status if status is not None and status.state not in {"queued", "running"} else None


def test_a_worker_waits_for_a_store_that_is_not_there_yet(store, start_worker):
    worker = start_worker()
    wait_until(lambda: worker.says("the store is away, waiting for it"), "the warning")
    redis = store.start().client()
    ask(redis, "first")
    assert wait_until(lambda: ended(redis, "first"), "the job").state == "done"
    assert worker.end() == 0
    assert not worker.says("Traceback")


def test_the_log_lines_of_a_job_are_written_before_its_process_ends(store, start_worker):
    redis = store.start().client()
    worker = start_worker(LOG_IN_NO_HURRY)
    ask(redis, "first")
    assert wait_until(lambda: ended(redis, "first"), "the job").state == "done"
    assert worker.end() == 0
    assert worker.says("published")


def test_a_worker_ends_at_once_while_it_waits_for_the_store(start_worker):
    worker = start_worker()
    wait_until(lambda: worker.says("the store is away, waiting for it"), "the warning")
    assert worker.end() == 0
    assert not worker.says("Traceback")


def test_a_store_that_dies_while_a_job_is_taken_loses_neither_worker_nor_job(store, start_worker):
    redis = store.start().client()
    ask(redis, "first")
    store.written()
    worker = start_worker(STORE_DIES_AS_A_JOB_IS_TAKEN.format(pid=store.process.pid))
    wait_until(lambda: worker.says("the store is away, waiting for it"), "the warning")
    store.stop()
    redis = store.start().client()
    assert wait_until(lambda: ended(redis, "first"), "the job").state == "done"
    assert worker.end() == 0
    assert not worker.says("Traceback")


@pytest.fixture
def two_jobs(store, corpora_file):
    """Asked for, and the store that knows of them."""
    corpora_file.write_text(corpora_file.read_text() + '[corpora.again]\nsource = "topics.jsonl.gz"\n')
    redis = store.start().client()
    ask(redis, "one")
    ask(redis, "two", "again")
    return redis


def at_stage(redis, job, stage):
    status = StatusBoard(redis).job(job)
    return status is not None and status.stage == stage


def test_a_run_goes_on_while_the_store_is_away_and_the_worker_then_takes_the_next(
    store, two_jobs, start_worker, tmp_path
):
    """The store dies and forgets nothing. The lock of the run expires meanwhile, and the worker takes it again."""
    event = tmp_path / "go on"
    worker = start_worker(LONG_RUN.format(event=str(event)))
    wait_until(lambda: at_stage(two_jobs, "one", "smooth"), "a run in the middle")
    two_jobs.pexpire(keys.lock("topics"), 1)
    store.written()
    store.stop()
    wait_until(lambda: worker.says("the store is away, waiting for it"), "the warning")
    redis = store.start().client()
    wait_until(lambda: redis.exists(keys.lock("topics")), "the lock")
    event.touch()
    first, second = (wait_until(lambda job=job: ended(redis, job), job) for job in ("one", "two"))
    assert (first.state, second.state) == ("done", "done")
    assert second.started >= first.updated
    assert worker.says("the lock expired, acquired it again")
    assert worker.end() == 0
    assert not worker.says("Traceback")


def test_a_worker_that_is_told_to_end_while_the_store_is_away_lets_its_job_finish(
    store, two_jobs, start_worker, tmp_path
):
    event = tmp_path / "go on"
    worker = start_worker(LONG_RUN.format(event=str(event)))
    wait_until(lambda: at_stage(two_jobs, "one", "smooth"), "a run in the middle")
    store.written()
    store.stop()
    wait_until(lambda: worker.says("the store is away, waiting for it"), "the warning")
    worker.process.send_signal(signal.SIGTERM)
    event.touch()
    wait_until(lambda: worker.says("publish"), "a run that waits for the store")
    redis = store.start().client()
    assert worker.process.wait(DEADLINE) == 0
    assert ended(redis, "one").state == "done"
    assert ended(redis, "two") is None
    assert not worker.says("Traceback")


def test_a_worker_told_twice_to_end_kills_its_run_which_counts_as_interrupted(
    store, start_worker, corpora_file, tmp_path
):
    redis = store.start().client()
    ask(redis, "one")
    worker = start_worker(LONG_RUN.format(event=str(tmp_path / "never")))
    wait_until(lambda: at_stage(redis, "one", "smooth"), "a run in the middle")
    (run,) = psutil.Process(worker.process.pid).children()
    worker.process.send_signal(signal.SIGTERM)
    wait_until(lambda: worker.says("ending after this run"), "the first signal")
    assert worker.end() == 0
    assert not run.is_running()
    assert StatusBoard(redis).read("topics").state == "running"
    assert not redis.exists(keys.lock("topics"))
    Scheduler(redis, corpora_file).tick()
    assert [request.corpus for _, request in job_queue(redis, lambda _: None).read()] == ["topics"]


def test_how_a_run_ended_is_written_when_the_store_is_back(store, two_jobs, start_worker):
    worker = start_worker(STORE_HANGS_AS_A_RUN_ENDS.format(pid=store.process.pid))
    wait_until(lambda: worker.says("the store is away, waiting for it"), "the warning")
    store.process.send_signal(signal.SIGCONT)
    assert [wait_until(lambda job=job: ended(two_jobs, job), job).state for job in ("one", "two")] == ["done"] * 2
    assert worker.end() == 0
    assert not worker.says("Traceback")


def test_a_worker_that_the_store_refuses_ends_and_says_why(store, start_worker):
    store.start().client().execute_command("ACL", "SETUSER", "default", "-lrange")
    worker = start_worker()
    assert worker.process.wait(DEADLINE) == 1
    assert worker.says("'lrange' command")
    assert not worker.says("Traceback")


def test_a_worker_ends_soon_while_the_store_hangs(store, start_worker):
    redis = store.start().client()
    worker = start_worker()
    wait_until(lambda: redis.keys("cotag:heartbeat:worker:*"), "a worker that waits for jobs")
    store.process.send_signal(signal.SIGSTOP)
    wait_until(lambda: worker.says("the store is away, waiting for it"), "the warning")
    assert worker.end(within=40) == 0
    assert not worker.says("Traceback")
