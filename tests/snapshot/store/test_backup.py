"""Backups: complete or not there, of a store in use, into an empty store; what is restored is equal byte for byte."""

import gzip
import subprocess
import sys
from datetime import timedelta

import orjson
import pytest
from click.testing import CliRunner

from cotag.cli import cli
from snapshot import Heartbeat, Heartbeats, PushedDocument, PushedDocuments, SnapshotStore, StatusBoard
from snapshot.store import keys
from snapshot.store.backup import BackupError, back_up, file, restore, restoring, verify
from snapshot.store.backup import writing as module
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
    lines, moments = module._records, iter([timedelta(hours=2)])

    def published_meanwhile(redis):
        yield from lines(redis)
        for moment in moments:
            SnapshotStore(redis).publish(published(NOON + moment))

    monkeypatch.setattr(module, "_records", published_meanwhile)
    back_up(filled, tmp_path / "store.gz")
    restore(other, tmp_path / "store.gz")
    assert SnapshotStore(other).current("small") == SnapshotStore(filled).current("small")


def test_a_store_that_never_rests_is_not_backed_up_and_says_what_to_do(filled, tmp_path, monkeypatch):
    lines, hours = module._records, iter(range(2, 20))

    def published_meanwhile(redis):
        yield from lines(redis)
        SnapshotStore(redis).publish(published(NOON + timedelta(hours=next(hours))))

    monkeypatch.setattr(module, "_records", published_meanwhile)
    with pytest.raises(BackupError, match="cotag pause"):
        back_up(filled, tmp_path / "store.gz")
    assert list(tmp_path.iterdir()) == []


HEAD = b'{"cotag_backup": 1}\n'
"""Of release 0.2.0, whose lines have no checksums."""

RECORD = {"key": "cotag:small:current", "type": "string", "value": "eA=="}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"key": "somebody:else"}, "which is no key of Cotag"),
        ({"key": 7}, "which is no key of Cotag"),
        ({"value": "e*A=="}, "(?i)base64"),
        ({"value": None}, "record 2"),
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


def lines_of(path):
    return gzip.decompress(path.read_bytes()).splitlines(keepends=True)


def test_every_byte_of_a_backup_counts(filled, other, tmp_path):
    """Whoever changes a record, or leaves one out, is found out, by the record or by the file."""
    path, changed = tmp_path / "store.gz", tmp_path / "changed.gz"
    records = back_up(filled, path)
    contents = verify(path)
    assert (contents.records, contents.release != "", contents.made != "") == (records, True, True)
    lines = lines_of(path)
    assert contents.bytes == sum(map(len, lines[1:]))
    number = next(n for n, line in enumerate(lines) if b'"string"' in line)
    twisted = orjson.loads(lines[number])
    twisted["value"] = "AAAA"
    resigned = {key: value for key, value in twisted.items() if key != "sum"}
    same = orjson.dumps({**resigned, "sum": file._sum(resigned)}) + b"\n"
    cases = {
        "does not have its checksum": [*lines[:number], orjson.dumps(twisted) + b"\n", *lines[number + 1 :]],
        "incomplete|checksum of its header|more than the header": [*lines[:number], same, *lines[number + 1 :]],
        "incomplete": lines[:-1],
        "more than the header says": [*lines, lines[-1]],
    }
    for reason, altered in cases.items():
        changed.write_bytes(gzip.compress(b"".join(altered)))
        with pytest.raises(BackupError, match=reason):
            verify(changed)
        with pytest.raises(BackupError, match=reason):
            restore(other, changed)
        assert list(other.scan_iter()) == []


@pytest.mark.parametrize("batch", [1, 5, 20])
def test_a_restore_that_was_killed_shows_nothing_and_can_be_repeated(filled, other, tmp_path, monkeypatch, batch):
    """Whatever it had written goes, or expires; what is restored in the end is the same."""
    path = tmp_path / "store.gz"
    back_up(filled, path)
    put, done = restoring._Restoring.put, []

    def killed(self, records):
        put(self, records)
        done.append(records)
        if len(done) == batch:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(restoring, "BATCH_RECORDS", 1)
        patched.setattr(restoring._Restoring, "put", killed)
        with pytest.raises(KeyboardInterrupt):
            restore(other, path)
    assert contents(other) == {}, "all that is left expires"
    assert SnapshotStore(other).corpora() == []
    assert len(list(other.scan_iter())) > 1
    restore(other, path)
    assert contents(other) == contents(filled)
    assert len(list(other.scan_iter())) == len(contents(filled)), "nothing is left of the first"


def test_of_two_restores_one_wins_and_the_other_says_so(filled, other, tmp_path, monkeypatch):
    path = tmp_path / "store.gz"
    back_up(filled, path)
    put, begun = restoring._Restoring.put, []

    def interrupted(self, records):
        if not begun:
            begun.append(self)
            restore(other, path)
        put(self, records)

    monkeypatch.setattr(restoring._Restoring, "put", interrupted)
    with pytest.raises(BackupError, match="another restore has begun"):
        restore(other, path)
    assert contents(other) == contents(filled)


def test_a_store_that_is_written_to_meanwhile_is_left_as_it_is(filled, other, tmp_path, monkeypatch):
    path = tmp_path / "store.gz"
    back_up(filled, path)
    finish = restoring._Restoring.finish

    def late(self):
        other.sadd(keys.CORPORA, "somebody's")
        finish(self)

    monkeypatch.setattr(restoring._Restoring, "finish", late)
    with pytest.raises(BackupError, match="data of Cotag by now"):
        restore(other, path)
    assert list(contents(other)) == [keys.CORPORA.encode()]


def test_long_strings_are_copied_in_pieces(filled, other, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PIECE", 100)
    path = tmp_path / "store.gz"
    back_up(filled, path)
    assert sum(b'"at":' in line for line in lines_of(path)) > 10
    restore(other, path)
    assert contents(other) == contents(filled)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (HEAD + b'{"key": "cotag:x:current", "type": "string", "value": "' + b"A" * 2**28 + b'"}\n', "times its size"),
        (HEAD + b"\n".join([b'{"key": "cotag:x:runs", "type": "list", "value": "AAAA"}'] * 2**21), "times its size"),
        (HEAD + b"[" * 2**20 + b"\n", "other parts than a record"),
        (HEAD + b"{" + b",".join([b'"a":{}'] * 2**20) + b"}\n", "other parts than a record"),
        (b'{"cotag_backup":2,"release":"","made":"","records":1,"bytes":99999999999,"sha256":""}\n', "times its size"),
    ],
)
def test_a_bomb_is_refused_with_little_memory(other, tmp_path, content, reason):
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(content))
    program = (
        "import resource, sys\nfrom pathlib import Path\nfrom snapshot.store.backup import verify\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: verify(Path(sys.argv[1]))\n"
        "except Exception as error: print(type(error).__name__, error)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    told = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True).stdout
    message, grown = told.splitlines()
    assert message.startswith("BackupError")
    assert reason in message
    assert int(grown) < 400_000, "kB"
    with pytest.raises(BackupError):
        restore(other, path)
    assert list(other.scan_iter()) == []


def test_a_backup_that_does_not_fit_is_refused(filled, other, tmp_path):
    path = tmp_path / "store.gz"
    back_up(filled, path)
    other.config_set("maxmemory", other.info("memory")["used_memory"] + 1000)
    with pytest.raises(BackupError, match="has room for"):
        restore(other, path)


def test_the_command_verifies(filled, tmp_path, environment):
    """Without a store, and with a status that scripts can ask for."""
    path = tmp_path / "store.gz"
    records = back_up(filled, path)
    environment.setenv("COTAG_REDIS_URL", "unix:///nowhere")
    told = CliRunner().invoke(cli, ["backup", "--verify", str(path)])
    assert (told.exit_code, f"is complete: {records} records" in told.output) == (0, True)
    path.write_bytes(path.read_bytes()[:-50])
    assert CliRunner().invoke(cli, ["backup", "--verify", str(path)]).exit_code != 0
