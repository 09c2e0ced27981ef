"""The process of a run, or its worker, is killed (kill -9) at every stage, and the store in the middle of publishing.

Readers always see a whole snapshot, old or new; the next run succeeds; no key is left behind for ever.
"""

import signal

import pytest

from snapshot import STAGES, SnapshotStore, StatusBoard
from snapshot.store import keys
from snapshot.store.operation.corpus_lock import LEASE_SECONDS
from tests.conftest import topic_documents, write_jsonl
from tests.corpora import read_corpora
from tests.forking import forks
from tests.servers import Server
from tests.waiting import gone, wait_until
from worker.runs.job import run
from worker.runs.scheduler import Scheduler

KILLED_AT_STAGE = """
import os, signal
from worker.clustering.stages import Stages
enter = Stages.enter
def deadly(self, stage, done=0, total=1):
    enter(self, stage, done, total)
    if stage == {stage!r}:
        os.kill(os.getpid(), signal.SIGKILL)
Stages.enter = deadly
"""

KILLED_WHILE_PUBLISHING = """
import os, signal
from snapshot import SnapshotStore
{moment}
"""

BEFORE_POINTER = "SnapshotStore._verify = lambda *_: os.kill(os.getpid(), signal.SIGKILL)"
AFTER_POINTER = "SnapshotStore.retain = lambda *_: os.kill(os.getpid(), signal.SIGKILL)"

WORK = """
from pathlib import Path
from snapshot import connect
from snapshot.store.operation.heartbeats import Pulse
from worker.runs.claims import Claims
from worker.runs.worker import Worker
redis = connect({url!r})
Worker({url!r}, Path({file!r})).run(*Claims(redis, Pulse(redis, "worker")).next())
"""


@pytest.fixture
def corpus(corpora_file):
    return read_corpora(corpora_file)["topics"]


@pytest.fixture(scope="module")
def forked():
    with forks() as parent:
        yield parent


@pytest.fixture
def work(forked, corpora_file, redis_url):
    """A worker, sabotaged before it takes the only run on the queue; returns its exit code."""
    return lambda sabotage="": forked.run(sabotage + WORK.format(file=str(corpora_file), url=redis_url)).returncode


@pytest.fixture
def scheduler(redis, corpora_file):
    return Scheduler(redis, corpora_file)


def lasting_keys(redis):
    """Keys without an expiry, other than those of complete versions, the register, schedule, edits and past runs."""
    store = SnapshotStore(redis)
    complete = {f"cotag:topics:v:{version}:" for version in store.versions("topics")}
    fixed = {keys.CORPORA, keys.DECLARED, keys.METRICS, keys.SUCCESSES}
    of_corpus = (
        *(keys.current, keys.versions, keys.run, keys.schedule),
        *(keys.declared_edits, keys.revision, keys.runs, keys.changes),
    )
    fixed |= {name("topics") for name in of_corpus}
    lasting = [key.decode() for key in redis.scan_iter("*") if redis.ttl(key) == -1]
    return [key for key in lasting if key not in fixed and not any(key.startswith(prefix) for prefix in complete)]


SABOTAGES = {
    **{stage: KILLED_AT_STAGE.format(stage=stage) for stage in STAGES},
    "before the pointer moves": KILLED_WHILE_PUBLISHING.format(moment=BEFORE_POINTER),
    "after the pointer moved": KILLED_WHILE_PUBLISHING.format(moment=AFTER_POINTER),
}


@pytest.mark.parametrize("moment", SABOTAGES)
def test_a_run_killed_at_any_moment_leaves_a_whole_snapshot_and_a_clean_store(work, scheduler, redis, corpus, moment):
    """Its worker says how it ended, so that the schedule tries it again after a pause."""
    store = SnapshotStore(redis)
    old = run(corpus, redis, "first")["version"]
    write_jsonl(corpus.path, topic_documents(230))

    assert scheduler.tick() == ["topics"]
    assert work(SABOTAGES[moment]) == 0
    served = store.current("topics")
    moved = moment == "after the pointer moved"
    assert (served != old) == moved
    assert store.load("topics", served).document_count == (230 if moved else 200)
    status = StatusBoard(redis).read("topics")
    assert (status.state, status.transient) == ("failed", True)
    assert status.error == "the process of the run was killed by signal 9"
    assert not redis.exists(keys.lock("topics"))

    assert run(corpus, redis, "second")["state"] == ("unchanged" if moved else "done")
    assert store.load("topics", store.current("topics")).document_count == 230
    assert lasting_keys(redis) == []


SAMPLE = {"load", "agglomerate", "publish"}
"""The stages at which `make test` kills a worker."""

KILLED_WORKER = """
import os, signal, time
from pathlib import Path
from worker.clustering.stages import Stages
enter, stages = Stages.enter, []
def deadly(self, stage, done=0, total=1):
    if stage == {stage!r} and stage not in stages:
        Path({pid!r}).write_text(str(os.getpid()))
        worker = os.getppid()
        os.kill(worker, signal.SIGKILL)
        while os.getppid() == worker:
            time.sleep(0.01)
    stages.append(stage)
    enter(self, stage, done, total)
Stages.enter = deadly
"""


@pytest.mark.parametrize(
    "stage",
    [pytest.param(stage, marks=() if stage in SAMPLE else pytest.mark.nightly) for stage in STAGES],
)
def test_a_worker_killed_at_any_stage_leaves_no_run_behind_and_the_schedule_repeats_it(
    work, scheduler, redis, corpus, stage
):
    """The process of the run ends at its next report, before it can publish anything."""
    pid = corpus.path.with_name("pid")
    store = SnapshotStore(redis)
    old = run(corpus, redis, "first")["version"]
    write_jsonl(corpus.path, topic_documents(230))

    assert scheduler.tick() == ["topics"]
    assert work(KILLED_WORKER.format(stage=stage, pid=str(pid))) == -signal.SIGKILL
    wait_until(lambda: gone(int(pid.read_text())), "the end of its run")
    assert store.versions("topics") == [store.current("topics")] == [old]
    assert StatusBoard(redis).read("topics").state in {"queued", "running"}
    assert 0 < redis.pttl(keys.lock("topics")) <= 1000 * LEASE_SECONDS

    assert scheduler.tick() == [], "the lock of the dead worker counts until it expires"
    redis.delete(keys.lock("topics"))
    assert scheduler.tick() == ["topics"]
    assert work() == 0
    assert StatusBoard(redis).read("topics").state == "done"
    assert store.load("topics", store.current("topics")).document_count == 230
    assert lasting_keys(redis) == []


@pytest.mark.parametrize("step", ["write", "verify", "pointer"])
def test_a_store_killed_while_a_run_publishes_keeps_the_old_snapshot_whole(tmp_path_factory, corpus, monkeypatch, step):
    server = Server(tmp_path_factory.mktemp("s")).start()
    redis = server.client()
    old = run(corpus, redis, "first")["version"]
    server.written()
    write_jsonl(corpus.path, topic_documents(230))

    verify = SnapshotStore._verify
    publish = SnapshotStore.publish
    if step == "write":
        monkeypatch.setattr(SnapshotStore, "publish", lambda *a, **k: (server.stop(), publish(*a, **k)))
    elif step == "verify":
        monkeypatch.setattr(SnapshotStore, "_verify", lambda *a: (server.stop(), verify(*a)))
    else:
        monkeypatch.setattr(SnapshotStore, "_verify", lambda *a: (verify(*a), server.stop()))
    assert run(corpus, redis, "doomed")["transient"]
    monkeypatch.undo()

    redis = server.start().client()
    store = SnapshotStore(redis)
    assert store.current("topics") == old
    assert store.load("topics", old).document_count == 200
    assert run(corpus, redis, "second")["state"] == "done"
    assert store.load("topics", store.current("topics")).document_count == 230
    assert lasting_keys(redis) == []
    server.stop()
