"""Two real workers: a small corpus never waits behind a long run, and all runs end."""

import socket

import pytest

from snapshot import StatusBoard
from tests.conftest import topic_documents, write_jsonl
from tests.corpora import read_corpora
from tests.faults.test_worker_store import WorkerProcess, ask, ended, store
from tests.waiting import wait_until
from worker.runs.job import run

__all__ = ["store"]

LONG_RUNS = """
import time
from pathlib import Path
import worker.runs.claims, worker.runs.job
worker.runs.claims.LONG_SECONDS = 0.0  # whatever was published before is long
cluster = worker.runs.job.cluster
def held(corpus, *arguments, **options):
    while corpus.name != "small" and not Path({event!r}).exists():
        time.sleep(0.02)
    return cluster(corpus, *arguments, **options)
worker.runs.job.cluster = held
"""

SHORT_PATIENCE = "import worker.runs.supervision; worker.runs.supervision.WAITING_SECONDS = 0.3"


@pytest.fixture
def workers(store, corpora_file, tmp_path):
    """Two workers whose long runs take until the event; with the event."""
    event = tmp_path / "go on"
    sabotage = LONG_RUNS.format(event=str(event))
    started = [WorkerProcess(store, corpora_file, tmp_path / f"worker-{number}.log", sabotage) for number in (1, 2)]
    yield started, event
    event.touch()
    for worker in started:
        if worker.process.poll() is None:
            assert worker.end() == 0


@pytest.fixture
def redis(store, corpora_file):
    """A store that knows two corpora whose documents have changed since, and one that is new."""
    for name in ("again", "small"):
        corpora_file.write_text(corpora_file.read_text() + f'[corpora.{name}]\nsource = "topics.jsonl.gz"\n')
    client = store.start().client()
    corpora = read_corpora(corpora_file)
    for name in ("topics", "again"):
        assert run(corpora[name], client, "before")["state"] == "done"
    write_jsonl(corpora["topics"].path, topic_documents(230))
    return client


def test_a_small_corpus_does_not_wait_behind_two_long_runs(redis, workers):
    """The two long ones take turns on one worker; the other is left for what is short."""
    (one, two), event = workers
    wait_until(lambda: len(redis.keys("cotag:heartbeat:worker:*")) == 2, "two workers")
    ask(redis, "long-1", "topics")
    ask(redis, "long-2", "again")
    ask(redis, "short", "small")
    assert wait_until(lambda: ended(redis, "short"), "the run of the small corpus").state == "done"
    states = {job: StatusBoard(redis).job(job) for job in ("long-1", "long-2")}
    assert sorted(status.state for status in states.values() if status) == ["running"]
    assert None in states.values(), "the other long one waits"
    event.touch()
    assert [wait_until(lambda job=job: ended(redis, job), job).state for job in states] == ["done"] * 2
    assert one.process.poll() is None
    assert two.process.poll() is None


def test_a_run_that_waits_for_its_source_keeps_no_worker(store, corpora_file, tmp_path):
    """A database accepts the connection and says nothing; the same worker does the run of another corpus meanwhile."""
    redis = store.start().client()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql+psycopg://user@127.0.0.1:{silent.getsockname()[1]}/d?connect_timeout=600"
        source = f'source = {{ sql = "{url}", query = "select 1, 2" }}'
        corpora_file.write_text(f"{corpora_file.read_text()}[corpora.dead]\n{source}\n")
        worker = WorkerProcess(store, corpora_file, tmp_path / "worker.log", SHORT_PATIENCE)
        try:
            ask(redis, "stuck", "dead")
            wait_until(lambda: StatusBoard(redis).job("stuck"), "the run of the dead corpus")
            ask(redis, "well", "topics")
            assert wait_until(lambda: ended(redis, "well"), "the run of the other").state == "done"
            assert StatusBoard(redis).job("stuck").state == "running"
            StatusBoard(redis).cancel("stuck")
            assert wait_until(lambda: ended(redis, "stuck"), "the end of it").state == "cancelled"
            assert worker.end() == 0
        finally:
            if worker.process.poll() is None:
                worker.process.kill()
                worker.process.wait()
