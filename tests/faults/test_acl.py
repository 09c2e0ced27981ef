"""The ACL rules of SECURITY.md suffice for workers, schedulers and services, and allow no more than they should."""

from pathlib import Path

import pytest
from redis.exceptions import NoPermissionError

from service.live.snapshots import LiveSnapshots
from snapshot import CorpusRegister, Heartbeats, SnapshotStore, StatusBoard, connect
from snapshot.store import keys
from tests.faults.test_worker_store import WorkerProcess, ended, store
from tests.waiting import wait_until
from worker.runs.scheduler import Scheduler

__all__ = ["store"]

ROOT = Path(__file__).parents[2]


class As:
    """A store as one user reaches it."""

    def __init__(self, server, user, password):
        self.url = f"unix://{user}:{password}@{server.socket}"


@pytest.fixture
def users(store):
    """The users of SECURITY.md, and nobody else."""
    admin = store.start().client()
    rules = [line.split()[1:] for line in (ROOT / "SECURITY.md").read_text().splitlines() if line.startswith("user ")]
    assert [rule[0] for rule in rules] == ["cotag-writer", "cotag-reader"]
    for rule in rules:
        admin.execute_command("ACL", "SETUSER", *rule)
    return As(store, "cotag-writer", "WRITER"), As(store, "cotag-reader", "READER")


def test_a_run_needs_no_more_than_the_writer_and_a_service_no_more_than_the_reader(users, corpora_file, tmp_path):
    """From the request to the answer, with heartbeats and announcements."""
    writer, reader = users
    redis = connect(writer.url)
    worker = WorkerProcess(writer, corpora_file, tmp_path / "worker.log")
    try:
        asked = StatusBoard(redis).request("topics", 5.0)
        assert Scheduler(redis, corpora_file).tick() == ["topics"]
        assert wait_until(lambda: ended(redis, asked.job), "the run").state == "done"
        SnapshotStore(redis).retain("topics", 1)
        seen = connect(reader.url)
        live = LiveSnapshots(
            SnapshotStore(seen), StatusBoard(seen), register=CorpusRegister(seen), heartbeats=Heartbeats(seen)
        )
        live.refresh()
        assert list(live.views()) == ["topics"]
        assert next(SnapshotStore(seen).announcements(wait=0.01)) is None
        assert worker.end() == 0
    finally:
        if worker.process.poll() is None:
            worker.process.kill()
            worker.process.wait()
    for refused in (lambda: seen.set(keys.current("topics"), "x"), lambda: redis.config_get("*"), redis.flushall):
        with pytest.raises(NoPermissionError):
            refused()
    with pytest.raises(NoPermissionError):
        redis.get("something else")
