"""Backups: complete or not there, of a store in use, into an empty store; what is restored is equal byte for byte."""

import gzip
from datetime import timedelta

import orjson
import pytest

from snapshot import Heartbeat, Heartbeats, PushedDocument, PushedDocuments, SnapshotStore, StatusBoard
from snapshot.store import backup as module
from snapshot.store import keys
from snapshot.store.backup import BackupError, back_up, restore
from tests.clustered import NOON, published
from tests.servers import Server


@pytest.fixture
def other(tmp_path_factory):
    """A second store, empty."""
    server = Server(tmp_path_factory.mktemp("s")).start()
    yield server.client()
    server.stop()


@pytest.fixture
def filled(redis):
    """A store with values of every type, and some that expire."""
    store = SnapshotStore(redis)
    store.publish(published())
    store.publish(published(NOON + timedelta(hours=1)), serve=False)
    PushedDocuments(redis, "pushed").put([PushedDocument("é", ["rain"], None, {})])
    StatusBoard(redis).request("small", 1.0)
    Heartbeats(redis).write(Heartbeat("worker", "here", 1, 1.0, 1.0))
    redis.set("somebody else's", "value")
    return redis


def contents(client, pattern="cotag:*"):
    """All that does not expire, as the server dumps it."""
    return {key: client.dump(key) for key in client.scan_iter(pattern) if client.ttl(key) == -1}


def test_what_is_restored_is_the_same_byte_for_byte(filled, other, tmp_path):
    path = tmp_path / "store.gz"
    lines = back_up(filled, path)
    assert restore(other, path) == lines
    assert contents(other) == contents(filled)
    assert keys.heartbeat("worker:here:1").encode() not in contents(other)
    assert not other.exists("somebody else's")
    store = SnapshotStore(other)
    for version in store.versions("small"):
        store.verify("small", version)
    assert [path.name for path in tmp_path.iterdir()] == ["store.gz"], "nothing unfinished is left"


def test_a_store_that_has_data_is_left_alone(filled, tmp_path):
    path = tmp_path / "store.gz"
    back_up(filled, path)
    before = contents(filled)
    with pytest.raises(BackupError, match="the store already has data of Cotag"):
        restore(filled, path)
    assert contents(filled) == before


def test_a_backup_that_was_cut_short_is_refused_before_anything_is_written(filled, other, tmp_path):
    path = tmp_path / "store.gz"
    back_up(filled, path)
    whole = path.read_bytes()
    lines = gzip.decompress(whole).splitlines(keepends=True)
    for broken in (whole[:-100], gzip.compress(b"".join(lines[:-1])), gzip.compress(b"".join(lines[:5] + lines[6:]))):
        path.write_bytes(broken)
        with pytest.raises(BackupError):
            restore(other, path)
        assert contents(other) == {}


@pytest.mark.parametrize(
    "content", [b"", b"no gzip", *(gzip.compress(text, mtime=0) for text in (b"{}\n", b"[1]\n", b"x"))]
)
def test_a_file_that_is_no_backup_is_named(other, tmp_path, content):
    path = tmp_path / "other.gz"
    path.write_bytes(content)
    with pytest.raises(BackupError, match=r"other\.gz"):
        restore(other, path)


def test_a_folder_that_cannot_be_written_to_is_named(filled, tmp_path):
    with pytest.raises(BackupError, match="No such file or directory"):
        back_up(filled, tmp_path / "nowhere" / "store.gz")


def test_a_backup_during_which_a_version_is_published_starts_again(filled, other, tmp_path, monkeypatch):
    """Otherwise it might have the pointer of one version and the parts of another."""
    lines, moments = module._lines, iter([timedelta(hours=2)])

    def published_meanwhile(redis):
        yield from lines(redis)
        for moment in moments:
            SnapshotStore(redis).publish(published(NOON + moment))

    monkeypatch.setattr(module, "_lines", published_meanwhile)
    back_up(filled, tmp_path / "store.gz")
    restore(other, tmp_path / "store.gz")
    assert SnapshotStore(other).current("small") == SnapshotStore(filled).current("small")


def test_a_store_that_never_rests_is_not_backed_up_and_says_what_to_do(filled, tmp_path, monkeypatch):
    lines, hours = module._lines, iter(range(2, 20))

    def published_meanwhile(redis):
        yield from lines(redis)
        SnapshotStore(redis).publish(published(NOON + timedelta(hours=next(hours))))

    monkeypatch.setattr(module, "_lines", published_meanwhile)
    with pytest.raises(BackupError, match="cotag pause"):
        back_up(filled, tmp_path / "store.gz")
    assert list(tmp_path.iterdir()) == []


HEAD = b'{"cotag_backup": 1}\n'
RECORD = {"key": "cotag:small:current", "type": "string", "value": "eA=="}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"key": "somebody:else"}, "which is no key of Cotag"),
        ({"key": 7}, "which is no key of Cotag"),
        ({"value": "e*A=="}, "(?i)base64"),
        ({"value": None}, "line 3"),
        ({"type": "stream"}, "unknown type 'stream'"),
        ({"type": "zset", "score": "many"}, "could not convert"),
        ({"type": "hash"}, "'field'"),
    ],
)
def test_a_record_that_is_none_of_cotag_is_refused_before_anything_is_written(other, tmp_path, change, reason):
    """Neither a traceback nor a key of somebody else."""
    good = orjson.dumps(RECORD) + b"\n"
    path = tmp_path / "store.gz"
    path.write_bytes(gzip.compress(HEAD + good + orjson.dumps({**RECORD, **change}) + b'\n{"lines": 2}\n'))
    with pytest.raises(BackupError, match=reason):
        restore(other, path)
    assert list(other.scan_iter()) == []


def test_a_backup_with_damaged_bytes_is_named(filled, other, tmp_path):
    path = tmp_path / "store.gz"
    back_up(filled, path)
    whole = bytearray(path.read_bytes())
    for place in range(len(whole) // 3, len(whole) // 3 + 40):
        whole[place] ^= 0xFF
    path.write_bytes(whole)
    with pytest.raises(BackupError, match=r"store\.gz"):
        restore(other, path)
    assert list(other.scan_iter()) == []


def test_only_its_user_can_read_a_backup(filled, tmp_path):
    back_up(filled, tmp_path / "store.gz")
    assert (tmp_path / "store.gz").stat().st_mode & 0o777 == 0o600
