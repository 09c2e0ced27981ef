"""Documents while versions swap, processes are killed, disks are full: no answer fails, none mixes two versions."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from service.live.document_files import PARTIAL, SUFFIX
from snapshot import Card, SnapshotStore, Texts, encode, version_at
from snapshot.store import keys
from tests.clustered import clustered, snapshot_at
from tests.servers import Server
from tests.waiting import wait_until

READER = """
import json, resource, sys, threading, time
from pathlib import Path
import structlog
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from snapshot import SnapshotStore, StatusBoard, connect

structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
url, folder, limit = sys.argv[1:4]
if int(limit):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
redis = connect(url, timeout=1)
live = LiveSnapshots(SnapshotStore(redis), StatusBoard(redis), document_files=DocumentFiles(Path(folder)))
live.start()
told = {"asked": 0, "failed": 0, "mixed": 0, "versions": [], "last": "", "error": ""}
lock = threading.Lock()

def ask():
    while True:
        view = live.held("small")
        if view is None:
            time.sleep(0.01)
            continue
        try:
            documents, version = view.documents, view.snapshot.version
            position = documents.position("d17")
            mixed = documents.card(position).title != version or documents.id(position) != "d17"
            mixed = mixed or documents.index.count(0) != int(view.snapshot.counts[0])
            failed = False
        except Exception as error:
            failed, mixed = True, False
            told["error"] = str(error)
            time.sleep(0.01)
        with lock:
            told["asked"] += 1
            told["failed"] += failed
            told["mixed"] += mixed
            if not failed:
                told["last"] = version
            if not failed and version not in told["versions"]:
                told["versions"].append(version)
        time.sleep(0.0005)

for _ in range(3):
    threading.Thread(target=ask, daemon=True).start()
for line in sys.stdin:
    with lock:
        print(json.dumps(told), flush=True)
"""


class Reader:
    """A process that asks for documents all the time, from three threads."""

    def __init__(self, url, folder, limit=0):
        self.process = subprocess.Popen(
            [sys.executable, "-c", READER, url, str(folder), str(limit)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )

    def told(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def kill(self):
        self.process.kill()
        self.process.communicate()


def publish(store, *, ballast=0):
    """A version whose documents have its id as their title, now; with ballast, many chunks."""
    snapshot = snapshot_at(datetime.now(UTC))
    documents = clustered()[1]
    table = documents.table
    card = Card(snapshot.version).encode()
    cards = Texts.of([os.urandom(ballast) or card, *[card] * (len(table.ids) - 1)])
    own = replace(table, cards=cards)
    store.publish(encode(snapshot, type(documents)(**{**vars(documents), "table": own})))
    return snapshot.version


@pytest.fixture
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("s")).start()
    yield server
    server.stop()


@pytest.fixture
def reading(server, tmp_path):
    """Starts readers of one folder."""
    readers = []

    def start(**options):
        readers.append(Reader(server.url, tmp_path / "documents", **options))
        return readers[-1]

    yield start
    for reader in readers:
        reader.kill()


def files_in(folder):
    return [path.name for path in folder.iterdir() if path.name.endswith((SUFFIX, PARTIAL))] if folder.exists() else []


def test_swaps_and_kills_fail_nothing_and_mix_nothing(server, reading, tmp_path):
    store, folder = SnapshotStore(server.client()), tmp_path / "documents"
    readers = [reading(), reading()]

    def served(version):
        wait_until(lambda: all(reader.told()["last"] == version for reader in readers), f"{version} to be served")

    versions = [publish(store)]
    for number in range(6):
        versions.append(publish(store, ballast=6_000_000))
        if number == 2:
            served(versions[-1])
            store.activate("small", versions[-2])
            served(versions[-2])
            store.activate("small", versions[-1])
        if number == 4:  # killed while it may be writing; another takes its place
            readers[0].process.send_signal(signal.SIGKILL)
            readers[0].process.communicate()
            readers[0] = reading()
        store.retain("small", 3)
        served(versions[-1])
    told = [reader.told() for reader in readers]
    print(told)
    assert [(each["failed"], each["mixed"]) for each in told] == [(0, 0), (0, 0)]
    assert all(each["asked"] > 500 for each in told)
    wait_until(lambda: len([name for name in files_in(folder) if name.endswith(SUFFIX)]) == 1, "superseded files to go")
    left = {key.decode().split(":")[3] for key in server.client().keys("cotag:small:v:*:index")}
    assert left <= set(store.versions("small"))


def test_a_killed_writer_leaves_nothing_that_anybody_takes_for_a_file(server, reading, tmp_path):
    """Killed as soon as its file appears, which is long before the last of its chunks."""
    store, folder = SnapshotStore(server.client()), tmp_path / "documents"
    version = publish(store, ballast=40_000_000)
    victim = reading()
    wait_until(lambda: files_in(folder), "the file that is being written")
    victim.kill()
    partial = [folder / name for name in files_in(folder) if name.endswith(PARTIAL)]
    for path in partial:
        os.utime(path, (1_000_000.0, 1_000_000.0))
    survivor = reading()
    wait_until(lambda: version in survivor.told()["versions"], "the documents")
    wait_until(lambda: len(files_in(folder)) == 1, "the half-written file to go")
    told = survivor.told()
    assert (told["failed"], told["mixed"]) == (0, 0)


def test_a_disk_without_space_fails_only_documents_until_there_is_space(server, reading, tmp_path):
    """A limit of the size of files stands for the full disk; the other process, without it, is not affected."""
    store = SnapshotStore(server.client())
    version = publish(store, ballast=1_000_000)
    full = reading(limit=300_000)
    wait_until(lambda: full.told()["failed"] > 10, "calls that fail")
    told = full.told()
    assert told["versions"] == []
    assert "need a file in" in told["error"]
    assert "File too large" in told["error"]
    assert files_in(tmp_path / "documents") == []
    other = reading()
    wait_until(lambda: version in other.told()["versions"], "the process without a limit")
    wait_until(lambda: version in full.told()["versions"], "the file that the other wrote", pause=0.5)
    assert full.told()["mixed"] == 0


def test_damaged_chunks_leave_the_version_before_whole(server, reading):
    store, client = SnapshotStore(server.client()), server.client()
    first = publish(store)
    reader = reading()
    wait_until(lambda: first in reader.told()["versions"], "the first version")
    held = snapshot_at(datetime.now(UTC))
    documents = clustered()[1]
    store.publish(encode(held, documents), serve=False)
    client.hset(keys.part("small", held.version, "index"), "0", b"damaged")
    store.activate("small", held.version)
    later = version_at(datetime.now(UTC))
    before = reader.told()["asked"]
    wait_until(lambda: reader.told()["asked"] > before + 500, "answers")
    told = reader.told()
    assert (told["failed"], told["mixed"], told["versions"]) == (0, 0, [first])
    last = publish(store)
    assert last > later
    wait_until(lambda: last in reader.told()["versions"], "the next version")
