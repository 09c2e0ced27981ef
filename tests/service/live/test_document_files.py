"""Documents mapped from files: shared, verified, removed when nobody maps them, or missing with a reason."""

import fcntl
import gc
import os
import signal
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from service.errors import DocumentsUnavailable, NotPossible
from service.live import document_files, document_keeper
from service.live.disk_cache import DiskCache
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from service.server import private_folder
from snapshot import SnapshotStore, StatusBoard, connect, encode
from snapshot.store import keys
from tests.clock import Clock
from tests.clustered import NOON, clustered, snapshot_at
from tests.waiting import wait_until


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "documents"


@pytest.fixture
def process(redis, clock, folder):
    """Processes of one service: each call makes the snapshots of another."""

    def start(at=folder, **options):
        store = SnapshotStore(redis)
        return LiveSnapshots(store, StatusBoard(redis), clock, document_files=DocumentFiles(at), **options)

    return start


def other_table(ids="e"):
    """A version of its own content, so that its file is another."""
    table = clustered()[1].table
    cards = type(table.cards).of([b'["%s"]' % ids.encode()] * len(table.ids))
    return type(table)(**{**vars(table), "cards": cards})


def publish(redis, minute=0, table=None):
    documents = clustered()[1]
    changed = documents if table is None else type(documents)(**{**vars(documents), "table": table})
    snapshot = snapshot_at(NOON + timedelta(minutes=minute))
    SnapshotStore(redis).publish(encode(snapshot, changed))
    return snapshot.version


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_view_has_the_documents_of_its_version(redis, process):
    publish(redis)
    live = process()
    live.refresh()
    documents = live.view("small").documents
    snapshot = live.view("small").snapshot
    position = documents.position("d17")
    assert documents.id(position) == "d17"
    assert documents.position("none") is None
    assert documents.close_ids("d17x")[0] in {"d17", "d170"}
    assert documents.close_ids("D17")[0] == "d17"
    assert len(documents) == 200
    tags = {snapshot.names[tag] for tag in documents.tags(position)}
    assert len(tags) == len(documents.tags(position)) >= 3
    concept = documents.concept(position)
    assert position in documents.of_concept(concept)
    assert sum(len(documents.of_concept(cluster.id)) for cluster in snapshot.clusters) == 200
    assert (
        len(documents.of_concept(concept))
        == dict(zip((cluster.id for cluster in snapshot.clusters), snapshot.cluster_documents, strict=True))[concept]
    )
    assert documents.card(position).title is None


def test_processes_share_one_file_and_the_second_asks_the_store_for_no_chunk(redis, process, folder, monkeypatch):
    publish(redis)
    first, second = process(), process()
    first.refresh()
    written = files_in(folder)
    assert len(written) == 1
    monkeypatch.setattr(SnapshotStore, "index_chunks", lambda *_: pytest.fail("the file is there already"))
    second.refresh()
    assert second.view("small").has_documents
    assert files_in(folder) == written


def test_a_superseded_file_goes_when_no_process_maps_it(redis, process, folder, monkeypatch):
    monkeypatch.setattr(document_keeper, "RETRY_SECONDS", 0.0)  # look for files at every refresh
    publish(redis)
    first, second = process(), process()
    first.refresh()
    second.refresh()
    (old,) = files_in(folder)
    publish(redis, 1, other_table())
    first.refresh()
    assert old in files_in(folder), "the second process still maps it"
    held = second.view("small").documents
    second.refresh()
    gc.collect()
    first.refresh()
    assert old in files_in(folder), "a request of the second process still uses it"
    assert held.position("d1") is not None
    del held
    first.refresh()
    (new,) = files_in(folder)
    assert new != old
    assert first.view("small").documents.card(0).title == "e"


def test_rolling_back_brings_back_the_documents_of_the_older_version(redis, process, folder):
    old = publish(redis)
    live = process()
    live.refresh()
    publish(redis, 1, other_table())
    live.refresh()
    assert live.view("small").documents.card(0).title == "e"
    SnapshotStore(redis).activate("small", old)
    live.refresh()
    view = live.view("small")
    assert (view.snapshot.version, view.documents.card(0).title) == (old, None)


def test_a_damaged_chunk_refuses_the_version_and_the_one_before_stays_whole(redis, process, folder):
    old = publish(redis)
    live = process()
    live.refresh()
    new = publish(redis, 1, other_table())
    redis.hset(keys.part("small", new, "index"), "0", b"damaged")
    live.refresh()
    view = live.view("small")
    assert (view.snapshot.version, view.documents.card(0).title) == (old, None)
    assert not [name for name in files_in(folder) if name.endswith(document_files.PARTIAL)]
    publish(redis, 2, other_table("f"))
    live.refresh()
    assert live.view("small").documents.card(0).title == "f"


def test_documents_of_another_version_are_refused(redis, process, folder):
    """Although their checksums are right."""
    table = clustered()[1].table
    fewer = type(table)(**{**vars(table), "ids": type(table.ids).of([b"a"])})
    publish(redis, 0, fewer)
    live = process()
    live.refresh()
    assert live.views() == {}
    assert "has the documents of another version" in live.state.faults["small"]


def test_a_damaged_file_is_written_anew(redis, process, folder):
    publish(redis)
    process().refresh()
    (name,) = files_in(folder)
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    live = process()
    live.refresh()
    assert live.view("small").documents.position("d1") is not None
    assert (folder / name).read_bytes() != bytes(content)


@pytest.mark.parametrize("damage", [b"", b"short"])
def test_a_file_that_was_cut_short_is_written_anew(redis, process, folder, damage):
    publish(redis)
    process().refresh()
    (name,) = files_in(folder)
    (folder / name).write_bytes(damage)
    live = process()
    live.refresh()
    assert live.view("small").has_documents


def test_a_full_disk_leaves_documents_out_and_they_come_when_there_is_space(redis, process, folder, clock, monkeypatch):
    publish(redis)
    live = process()

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        live.refresh()
        view = live.view("small")
        with pytest.raises(DocumentsUnavailable, match=r"need a file in .*: No space left on device"):
            _ = view.documents
        assert view.index["payment"] >= 0
        assert files_in(folder) == []
        edition = live.edition
        clock.now += document_keeper.RETRY_SECONDS
        live.refresh()
        assert not view.has_documents
    live.refresh()
    assert not live.view("small").has_documents, "it waits before it tries again"
    clock.now += document_keeper.RETRY_SECONDS
    live.refresh()
    assert live.view("small") is view
    assert view.documents.position("d1") is not None
    assert live.edition == edition + 1


def test_a_folder_that_cannot_be_written_leaves_documents_out(redis, process, tmp_path):
    publish(redis)
    (tmp_path / "file").write_text("no folder")
    live = process(tmp_path / "file")
    live.refresh()
    with pytest.raises(DocumentsUnavailable, match=r"File exists|Not a directory"):
        _ = live.view("small").documents
    assert live.view("small").index["payment"] >= 0


def test_a_read_only_disk_leaves_documents_out(redis, process, folder, monkeypatch):
    publish(redis)
    live = process()

    def read_only(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(document_files.tempfile, "NamedTemporaryFile", read_only)
    live.refresh()
    with pytest.raises(DocumentsUnavailable, match="Read-only file system"):
        _ = live.view("small").documents
    assert live.view("small").index["payment"] >= 0


def test_a_read_only_folder_with_the_file_is_enough(redis, process, folder, monkeypatch):
    publish(redis)
    process().refresh()
    monkeypatch.setattr(document_files, "_write", lambda *_: pytest.fail("nothing needs to be written"))
    live = process()
    live.refresh()
    assert live.view("small").has_documents


def test_a_corpus_that_leaves_documents_out_says_so(redis, process):
    SnapshotStore(redis).publish(encode(*clustered(documents=False)))
    live = process()
    live.refresh()
    with pytest.raises(NotPossible, match="small leaves its documents out: it is declared with documents = false"):
        _ = live.view("small").documents


def test_a_start_without_the_store_has_the_documents_of_the_copy(redis, folder, clock):
    publish(redis)
    LiveSnapshots(
        SnapshotStore(redis),
        StatusBoard(redis),
        clock,
        disk_cache=DiskCache(folder),
        document_files=DocumentFiles(folder),
    ).refresh()
    gc.collect()
    gone = connect("redis://127.0.0.1:1/0", timeout=0.1)

    def start():
        live = LiveSnapshots(
            SnapshotStore(gone),
            StatusBoard(gone),
            clock,
            disk_cache=DiskCache(folder),
            document_files=DocumentFiles(folder),
        )
        live._load_disk_cache()
        return live.view("small")

    assert start().documents.position("d1") is not None
    for path in folder.glob(f"*{document_files.SUFFIX}"):
        path.unlink()
    view = start()
    with pytest.raises(DocumentsUnavailable, match="the store is away, and there is no copy of the documents of small"):
        _ = view.documents
    assert view.index["payment"] >= 0


def test_remains_of_a_killed_writer_are_removed_and_those_of_a_living_one_are_not(
    redis, process, folder, tmp_path, monkeypatch
):
    monkeypatch.setattr(document_keeper, "RETRY_SECONDS", 0.0)  # look for files at every refresh
    folder.mkdir()
    dead, alive = (folder / f".small.{name}{document_files.PARTIAL}" for name in ("dead", "alive"))
    old = 1_000_000.0
    for path in (dead, alive):
        path.write_bytes(b"half")
        os.utime(path, (old, old))
    young = folder / f".small.young{document_files.PARTIAL}"
    young.write_bytes(b"half")
    publish(redis)
    live = process()
    with alive.open("rb") as writer:
        fcntl.flock(writer, fcntl.LOCK_SH)
        live.refresh()
        assert not dead.exists()
        assert alive.exists()
        assert young.exists()
    live.refresh()
    assert not alive.exists()


def test_another_process_waits_for_the_one_that_writes(redis, process, folder, monkeypatch):
    """Both hear of the version at the same time; the second maps what the first wrote."""
    publish(redis)
    chunks, asked, going = SnapshotStore.index_chunks, [], threading.Event()

    def slow(self, *arguments):
        asked.append(threading.current_thread().name)
        going.wait()
        yield from chunks(self, *arguments)

    waiting, sleep = set(), document_files.time.sleep

    def noted(seconds):
        waiting.add(threading.current_thread().name)
        sleep(seconds)

    monkeypatch.setattr(SnapshotStore, "index_chunks", slow)
    monkeypatch.setattr(document_files.time, "sleep", noted)
    both = [process(), process()]
    threads = [threading.Thread(target=live.refresh) for live in both]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(asked) == 2 or (asked and waiting - {"MainThread"}), "one that writes and one that waits")
    going.set()
    for thread in threads:
        thread.join()
    assert len(asked) == 1
    assert all(live.view("small").has_documents for live in both)


def test_a_writer_that_hangs_holds_nobody_up_for_long(redis, process, folder, monkeypatch):
    monkeypatch.setattr(document_files, "PATIENCE_SECONDS", 0.1)
    publish(redis)
    folder.mkdir()
    descriptor = os.open(folder, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    live = process()
    live.refresh()
    assert live.view("small").has_documents
    os.close(descriptor)


FOLDER = """
import sys, time
from service.server.private_folder import private_folder
print(private_folder(), flush=True)
sys.stdin.read()
"""


def private(tmp_path):
    return subprocess.Popen(
        [sys.executable, "-c", FOLDER],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )


def test_a_private_folder_goes_with_its_service_and_that_of_a_killed_one_at_the_next_start(tmp_path, monkeypatch):
    killed, living = private(tmp_path), private(tmp_path)
    folders = [Path(each.stdout.readline().strip()) for each in (killed, living)]
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    for folder in folders:
        assert folder.is_dir()
        os.utime(folder, (1_000_000.0, 1_000_000.0))
    monkeypatch.setattr(private_folder.tempfile, "tempdir", str(tmp_path))
    own = private_folder.private_folder()
    assert [folder.exists() for folder in folders] == [False, True]
    living.communicate("")
    assert not folders[1].exists()
    assert own.exists()
