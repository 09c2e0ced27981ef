"""A run is killed (kill -9) at every stage, and the store in the middle of publishing.

Readers always see a whole snapshot, old or new; the next run succeeds; no key is left behind for ever.
"""

import signal

import pytest

from snapshot import STAGES, SnapshotStore, StatusBoard, StoreUnavailable, keys
from tests.conftest import topic_documents, write_jsonl
from tests.forking import forks
from tests.servers import Server
from worker.corpora import read_corpora
from worker.corpus_lock import LEASE_SECONDS
from worker.job import run

KILLED_AT_STAGE = """
import os, signal
from worker.stages import Stages
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

RUN = """
from pathlib import Path
from snapshot import connect
from worker.corpora import read_corpora
from worker.job import run
run(read_corpora(Path({file!r}))["topics"], connect({url!r}), "doomed")
"""


@pytest.fixture
def corpus(corpora_file):
    return read_corpora(corpora_file)["topics"]


@pytest.fixture(scope="module")
def forked():
    with forks() as parent:
        yield parent


@pytest.fixture
def killed(forked, corpora_file, redis_url):
    """A run, sabotaged before it begins; it dies."""

    def die(sabotage):
        result = forked.run(sabotage + RUN.format(file=str(corpora_file), url=redis_url))
        assert result.returncode == -signal.SIGKILL, result.stderr

    return die


def lasting_keys(redis):
    """Keys without an expiry, other than those of complete versions and of the register."""
    store = SnapshotStore(redis)
    complete = {f"cotag:topics:v:{version}:" for version in store.versions("topics")}
    fixed = {keys.CORPORA, keys.METRICS, keys.current("topics"), keys.versions("topics"), keys.run("topics")}
    lasting = [key.decode() for key in redis.scan_iter("*") if redis.ttl(key) == -1]
    return [key for key in lasting if key not in fixed and not any(key.startswith(prefix) for prefix in complete)]


def expire_lock(redis):
    """What time does to the lock of a dead run."""
    assert 0 < redis.pttl(keys.lock("topics")) <= 1000 * LEASE_SECONDS
    redis.delete(keys.lock("topics"))


SABOTAGES = {
    **{stage: KILLED_AT_STAGE.format(stage=stage) for stage in STAGES},
    "before the pointer moves": KILLED_WHILE_PUBLISHING.format(moment=BEFORE_POINTER),
    "after the pointer moved": KILLED_WHILE_PUBLISHING.format(moment=AFTER_POINTER),
}


@pytest.mark.parametrize("moment", SABOTAGES)
def test_a_run_killed_at_any_moment_leaves_a_whole_snapshot_and_a_clean_store(killed, redis, corpus, moment):
    store = SnapshotStore(redis)
    old = run(corpus, redis, "first")["version"]
    write_jsonl(corpus.path, topic_documents(230))

    killed(SABOTAGES[moment])
    served = store.current("topics")
    moved = moment == "after the pointer moved"
    assert (served != old) == moved
    assert store.load("topics", served).document_count == (230 if moved else 200)
    assert StatusBoard(redis).read("topics").state == "running", "which the schedule takes for interrupted"

    expire_lock(redis)
    outcome = run(corpus, redis, "second")
    assert outcome["state"] == ("unchanged" if moved else "done")
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
    with pytest.raises(StoreUnavailable):
        run(corpus, redis, "doomed")
    monkeypatch.undo()

    redis = server.start().client()
    store = SnapshotStore(redis)
    assert store.current("topics") == old
    assert store.load("topics", old).document_count == 200
    redis.delete(keys.lock("topics"))
    assert run(corpus, redis, "second")["state"] == "done"
    assert store.load("topics", store.current("topics")).document_count == 230
    assert lasting_keys(redis) == []
    server.stop()
