"""A worker beside a store that is not there yet, goes away at a bad moment, or is away when the worker should end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from snapshot import StatusBoard
from tests.servers import Server
from tests.waiting import DEADLINE, wait_until
from worker.corpora import read_corpora
from worker.queue import enqueue, job_queue

STORE_DIES_AS_A_JOB_IS_TAKEN = """
import os, signal, worker.working
class Sabotaged(worker.working.PatientWorker):
    def prepare_execution(self, job):
        os.kill({pid}, signal.SIGKILL)
        worker.working.PatientWorker = honest
        return super().prepare_execution(job)
honest, worker.working.PatientWorker = worker.working.PatientWorker, Sabotaged
"""

AWAY_WHILE_A_JOB_RUNS = """
import time
from pathlib import Path
from redis.exceptions import ConnectionError
from worker.stages import Stages
from worker.working import PatientWorker
event = Path({event!r})
enter = Stages.enter
def held(self, stage, *progress):
    while not event.exists():
        time.sleep(0.02)
    enter(self, stage, *progress)
def lose(self, job):
    {noticed}
    raise ConnectionError("gone for a moment")
Stages.enter = held
PatientWorker.job_monitoring_interval = property(lambda _: 1, lambda *_: None)
PatientWorker.maintain_heartbeats = lose
"""

UNTIL_TOLD_TO_END = """
hear = PatientWorker.handle_warm_shutdown_request
def go_on(self):
    hear(self)
    event.touch()
PatientWorker.handle_warm_shutdown_request = go_on
"""

AWAY_WHEN_A_JOB_HAS_ENDED = """
from redis.exceptions import ConnectionError
from worker.working import PatientWorker
tell = PatientWorker.set_current_job_working_time
def lose(self, seconds, pipeline=None):
    if pipeline is None:
        raise ConnectionError("gone for a moment")
    tell(self, seconds, pipeline)
PatientWorker.set_current_job_working_time = lose
PatientWorker.job_monitoring_interval = property(lambda _: 3600, lambda *_: None)
"""

LOST_AGAIN_AND_AGAIN = """
from redis.exceptions import ConnectionError
from worker.working import PatientWorker
def lose(self, burst):
    raise ConnectionError("gone for a moment")
PatientWorker.check_for_suspension = lose
"""

TOLD_TO_END_AS_IT_TAKES_ITS_LEAVE = (
    LOST_AGAIN_AND_AGAIN
    + """
import os, signal
PatientWorker.register_death = lambda self: os.kill(os.getpid(), signal.SIGTERM)
"""
)

LOG_IN_NO_HURRY = """
from snapshot import log_writer
log_writer.PAUSE_SECONDS = 3600
write = log_writer.LogWriter.write
log_writer.LogWriter.write = lambda self, line: write(self, line, at_once=False)
"""

IMPATIENT_CONNECTIONS = """
import functools, worker.working
worker.working.connect = functools.partial(worker.working.connect, timeout={seconds})
"""


class WorkerProcess:
    """A `cotag worker`, sabotaged before it begins."""

    def __init__(self, store, corpora_file, log, sabotage=""):
        self.log = Path(log)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
        with self.log.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-c", f"{sabotage}\nfrom cotag.cli import cli\ncli(['worker'])"],
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


def ask(redis, corpora_file, job, name="topics"):
    with redis.pipeline() as pipe:
        enqueue(job_queue(redis), read_corpora(corpora_file)[name], job, fresh=False, pipeline=pipe)
        pipe.execute()


def ended(redis, job):
    status = StatusBoard(redis).job(job)
    return status if status is not None and status.state not in {"queued", "running"} else None


def longest_wait_for_jobs(redis):
    """Seconds for which a worker has been waiting for a job without a break; None if none waits."""
    return max((int(client["idle"]) for client in redis.client_list() if client["cmd"] == "blmove"), default=None)


def test_a_worker_waits_for_a_store_that_is_not_there_yet(store, start_worker, corpora_file):
    worker = start_worker()
    wait_until(lambda: worker.says("the store is away, waiting for it"), "the warning")
    redis = store.start().client()
    ask(redis, corpora_file, "first")
    assert wait_until(lambda: ended(redis, "first"), "the job").state == "done"
    assert worker.end() == 0
    assert not worker.says("Traceback")


def test_the_log_lines_of_a_job_are_written_before_its_process_ends(store, start_worker, corpora_file):
    redis = store.start().client()
    worker = start_worker(LOG_IN_NO_HURRY)
    ask(redis, corpora_file, "first")
    assert wait_until(lambda: ended(redis, "first"), "the job").state == "done"
    assert worker.end() == 0
    assert worker.says("published")


def test_a_worker_ends_at_once_while_it_waits_for_the_store(start_worker):
    worker = start_worker()
    wait_until(lambda: worker.says("the store is away, waiting for it"), "the warning")
    assert worker.end() == 0
    assert not worker.says("Traceback")


def test_a_store_that_dies_while_a_job_is_taken_does_not_end_the_worker(store, start_worker, corpora_file):
    """The job that was taken is lost, unless the store had not yet written down that it was: then it runs after all."""
    declare_again(corpora_file)
    redis = store.start().client()
    worker = start_worker(STORE_DIES_AS_A_JOB_IS_TAKEN.format(pid=store.process.pid))
    ask(redis, corpora_file, "lost")
    wait_until(lambda: worker.says("the store is away, waiting for it"), "the warning")
    store.stop()
    redis = store.start().client()
    ask(redis, corpora_file, "next", "again")
    assert wait_until(lambda: ended(redis, "next"), "the job").state == "done"
    assert worker.end() == 0
    assert not worker.says("Traceback")


def declare_again(corpora_file):
    """A second corpus of the same documents."""
    corpora_file.write_text(corpora_file.read_text() + '[corpora.again]\nsource = "topics.jsonl.gz"\n')


@pytest.fixture
def two_jobs(store, corpora_file):
    """Asked for, and the store that knows of them."""
    declare_again(corpora_file)
    redis = store.start().client()
    ask(redis, corpora_file, "one")
    ask(redis, corpora_file, "two", "again")
    return redis


def test_a_worker_watches_over_its_job_while_the_store_is_away_and_then_takes_the_next(
    two_jobs, start_worker, tmp_path
):
    event = str(tmp_path / "lost")
    worker = start_worker(AWAY_WHILE_A_JOB_RUNS.format(event=event, noticed="event.touch()"))
    first, second = (wait_until(lambda job=job: ended(two_jobs, job), job) for job in ("one", "two"))
    assert (first.state, second.state) == ("done", "done")
    assert second.started >= first.updated
    assert worker.says("the store is away while a job runs")
    assert not worker.says("the store went away")
    assert worker.end() == 0


def test_a_worker_that_is_told_to_end_while_the_store_is_away_lets_its_job_finish(two_jobs, start_worker, tmp_path):
    event = str(tmp_path / "ending")
    worker = start_worker(AWAY_WHILE_A_JOB_RUNS.format(event=event, noticed="") + UNTIL_TOLD_TO_END)
    wait_until(lambda: worker.says("the store is away while a job runs"), "the warning")
    assert worker.end() == 0
    assert ended(two_jobs, "one").state == "done"
    assert StatusBoard(two_jobs).job("two") is None
    assert not worker.says("Traceback")


def test_a_worker_that_cannot_tell_the_store_that_its_job_has_ended_begins_again(two_jobs, start_worker):
    worker = start_worker(AWAY_WHEN_A_JOB_HAS_ENDED)
    assert [wait_until(lambda job=job: ended(two_jobs, job), job).state for job in ("one", "two")] == ["done"] * 2
    assert worker.says("the store went away")
    assert not worker.says("the store is away while a job runs")
    assert worker.end() == 0


def test_a_worker_that_the_store_refuses_ends_and_says_why(store, start_worker):
    store.start().client().execute_command("ACL", "SETUSER", "default", "-blmove")
    worker = start_worker()
    assert worker.process.wait(DEADLINE) == 1
    assert worker.says("NoPermissionError")


def test_a_worker_ends_at_once_while_it_pauses_before_it_begins_again(store, start_worker):
    store.start()
    worker = start_worker(LOST_AGAIN_AND_AGAIN)
    wait_until(lambda: worker.says("the store went away"), "the warning")
    assert worker.end() == 0
    assert not worker.says("Traceback")


def test_a_worker_told_to_end_while_it_takes_its_leave_of_a_lost_store_ends(store, start_worker):
    store.start()
    worker = start_worker(TOLD_TO_END_AS_IT_TAKES_ITS_LEAVE)
    assert worker.process.wait(DEADLINE) == 0
    assert not worker.says("Traceback")


def test_a_worker_without_jobs_waits_longer_than_its_connections_do(store, start_worker, corpora_file):
    redis = store.start().client()
    worker = start_worker(IMPATIENT_CONNECTIONS.format(seconds=3))
    ask(redis, corpora_file, "first")
    wait_until(lambda: ended(redis, "first"), "the job")
    wait_until(lambda: (longest_wait_for_jobs(redis) or 0) > 3, "a worker that has waited for long")
    ask(redis, corpora_file, "second")
    assert wait_until(lambda: ended(redis, "second"), "the job").state == "unchanged"
    assert not worker.says("the store went away")
    assert worker.end() == 0


def test_a_worker_ends_soon_while_the_store_hangs(store, start_worker):
    redis = store.start().client()
    worker = start_worker(IMPATIENT_CONNECTIONS.format(seconds=0.3))
    wait_until(lambda: longest_wait_for_jobs(redis) is not None, "a worker that waits for jobs")
    store.process.send_signal(signal.SIGSTOP)
    assert worker.end(within=40) == 0, "RQ would wait for 55 s"
    assert not worker.says("Traceback")
