"""Upgrade and downgrade, on a store that the release before wrote (tests/upgrade/golden)."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from service.app import create_gateway
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from snapshot import CorpusRegister, Heartbeats, PushedDocuments, SnapshotStore, StatusBoard
from snapshot.store.backup import restore
from snapshot.store.change_log import ChangeLog
from snapshot.store.operation.control import Control
from snapshot.store.operation.run_history import RunHistory
from tests.corpora import read_corpora
from tests.needs import missing
from tests.service.asking import Served
from tests.upgrade.write_store import NOON, write_corpora
from tests.worker.ending import run_and_record
from worker.runs.job import run
from worker.runs.scheduler import Scheduler

ROOT = Path(__file__).parents[2]
COMMIT = "7e77f25"
GOLDEN = Path(__file__).parent / "golden" / f"store-{COMMIT}.jsonl.gz"
FIRST, SERVED, HELD = "20261117T120000.000Z", "20261117T130000.000Z", "20261117T140000.000Z"
ADDRESSES = (
    "/v1/corpora/topics/cloud?tag=rain",
    "/v1/corpora/topics/related?q=payments",
    "/v1/corpora/topics/clusters",
    "/v1/corpora/topics/documents?tag=piano",
    "/v1/corpora/topics/document?id=d7",
    "/v1/corpora/topics/dendrogram?format=newick",
)


@pytest.fixture
def old(redis, environment):
    """A store as the release before left it."""
    restore(redis, GOLDEN)
    return redis


def service(redis, folder):
    """A client of a new service on this store, and what it holds."""
    live = LiveSnapshots(
        SnapshotStore(redis),
        StatusBoard(redis),
        register=CorpusRegister(redis),
        heartbeats=Heartbeats(redis),
        change_log=ChangeLog(redis),
        document_files=DocumentFiles(folder / "documents"),
    )
    live.refresh()
    return Served(create_gateway(live, redis, ServiceSettings(), Metrics())).test_client(), live


def test_a_new_service_serves_the_versions_of_the_old_release(old, tmp_path):
    client, live = service(old, tmp_path)
    assert client.get("/readyz").json["corpora"] == {"topics": SERVED}
    for address in ADDRESSES:
        assert client.get(address).status_code == 200, address
    listed = client.get("/v1/corpora/topics/snapshots").json
    assert [(each["version"], each["problem"]) for each in listed["snapshots"]] == [
        (HELD, None),
        (SERVED, None),
        (FIRST, None),
    ]
    assert live.status("topics").state == "held"
    assert client.get("/ops").status_code == 200
    gone = client.get(f"/v1/corpora/topics/changes?since={FIRST}")
    assert (gone.status_code, gone.json["oldest"]) == (410, SERVED), "the old release stored no changes"


def test_a_new_worker_continues_the_version_of_the_old_release(old, tmp_path):
    corpus = read_corpora(write_corpora(tmp_path, documents=280))["topics"]
    outcome = run(corpus, old, "new-1", clock=lambda: NOON + 9000)
    assert outcome["state"] == "done"
    store = SnapshotStore(old)
    before, after = store.load("topics", SERVED), store.load("topics", outcome["version"])
    assert after.lineage.previous == SERVED
    assert {cluster.id for cluster in before.clusters} == {cluster.id for cluster in after.clusters}
    client, _ = service(old, tmp_path)
    assert client.get(f"/v1/corpora/topics/changes?since={SERVED}").json["version"] == outcome["version"]


def test_a_new_scheduler_goes_on_with_turns_and_requests_of_the_old_release(old, tmp_path):
    scheduler = Scheduler(old, write_corpora(tmp_path), clock=lambda: NOON + 7300, draw=lambda: 0.0)
    assert "pushed" in scheduler.tick(), "somebody had asked for it"
    assert sorted(CorpusRegister(old).read()) == ["pushed", "topics"]
    assert PushedDocuments(old, "pushed").count() == 1


READ_BY_THE_OLD_RELEASE = """
import json, sys
from pathlib import Path
from service.app import create_app
from service.document_files import DocumentFiles
from service.live_snapshots import LiveSnapshots
from service.metrics import Metrics
from service.settings import ServiceSettings
from snapshot import CorpusRegister, Heartbeats, SchemaMismatch, SnapshotStore, StatusBoard, connect
url, folder, addresses = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
redis = connect(url)
bad = []
store, board = SnapshotStore(redis), StatusBoard(redis, bad.append)
live = LiveSnapshots(
    store, board, register=CorpusRegister(redis, bad.append), heartbeats=Heartbeats(redis, bad.append),
    document_files=DocumentFiles(folder / "documents"),
)
live.refresh()
client = create_app(live, redis, ServiceSettings(), Metrics()).test_client()
refused = []
for version in store.versions("topics"):
    try:
        store.verify("topics", version)
    except SchemaMismatch:
        refused.append(version)
print(json.dumps({
    "refused": refused,
    "bad": bad,
    "ready": client.get("/readyz").json["corpora"],
    "declared": sorted(live.declarations()),
    "state": board.read("topics").state,
    "answers": [[client.get(address).status_code, client.get(address).text] for address in addresses],
    "ops": client.get("/ops").status_code,
}))
"""


@pytest.fixture(scope="module")
def old_release(tmp_path_factory):
    """The sources of the release before, out of the history of this repository."""
    folder = tmp_path_factory.mktemp("release")
    git = shutil.which("git")
    found = git and subprocess.run(
        [git, "archive", COMMIT, "tagmodel", "snapshot", "service"], cwd=ROOT, capture_output=True, check=False
    )
    if not found or found.returncode:
        missing(f"the history of this repository (commit {COMMIT})")
    with tarfile.open(fileobj=BytesIO(found.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def test_the_old_release_serves_its_last_version_again(old, redis_url, old_release, tmp_path):
    """A downgrade: the version of another schema is refused, and the last one before it activated.

    Pauses, pins, histories and changes are unknown to the old release, and do not disturb it.
    """
    path = write_corpora(tmp_path, documents=280)
    path.write_text(path.read_text().replace('schedule = "24h"', 'schedule = "manual"'))
    version = run(read_corpora(path)["topics"], old, "new-1", clock=lambda: NOON + 9000)["version"]
    Control(old).pause("topics", NOON)
    SnapshotStore(old).activate("topics", SERVED, pin=True)
    Scheduler(old, path, clock=lambda: NOON + 9001).tick()
    client, _ = service(old, tmp_path / "new")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
    read = subprocess.run(
        [sys.executable, "-c", READ_BY_THE_OLD_RELEASE, redis_url, str(tmp_path / "old"), *ADDRESSES],
        cwd=old_release,
        env={**clean, "PYTHONPATH": str(old_release)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert read.returncode == 0, read.stderr
    told = json.loads(read.stdout.splitlines()[-1])
    assert told["bad"] == [], "every record makes sense to it"
    assert told["refused"] == [version]
    assert told["ready"] == {"topics": SERVED}
    assert told["declared"] == ["pushed", "topics"]
    assert told["ops"] == 200
    clusters = ADDRESSES.index("/v1/corpora/topics/clusters")
    assert [status for status, _ in told["answers"]] == [200] * len(ADDRESSES)
    answer = client.get(ADDRESSES[clusters]).json
    assert answer | json.loads(told["answers"][clusters][1]) == answer, "fields were only added"


def test_what_was_restored_is_served_with_the_same_bytes(old, redis_url, tmp_path, tmp_path_factory):
    """A store rebuilt from a backup answers as the one before, byte for byte."""
    from snapshot.store.backup import back_up
    from tests.servers import Server

    run_and_record(read_corpora(write_corpora(tmp_path, documents=280))["topics"], old, "new-1")
    back_up(old, tmp_path / "store.gz")
    server = Server(tmp_path_factory.mktemp("s")).start()
    try:
        rebuilt = server.client()
        restore(rebuilt, tmp_path / "store.gz")
        one, other = service(old, tmp_path / "one")[0], service(rebuilt, tmp_path / "other")[0]
        addresses = (*ADDRESSES, "/v1/corpora/topics/snapshots", "/v1/corpora/topics/runs")
        for address in (*addresses, f"/v1/corpora/topics/changes?since={SERVED}"):
            assert one.get(address).data == other.get(address).data, address
        assert RunHistory(rebuilt).count("topics") == 1
    finally:
        server.stop()
