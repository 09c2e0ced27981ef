"""A damaged append-only file: all commands that can be read are kept, the damaged file too, and healthy files stay."""

import pytest

from cotag.launcher.salvage import FILES, Repair, commands, repair
from cotag.launcher.store_server import server_binary
from snapshot import PushedDocument, PushedDocuments, connect
from tests.servers import Server
from tests.waiting import wait_until

DOCUMENTS = 300


@pytest.fixture
def store(tmp_path):
    """A store with pushed documents, killed."""
    server = Server(tmp_path / "store").start()
    client = server.client()
    for number in range(DOCUMENTS):
        client.hset("cotag:small:pushed", f"d{number}", f'{{"id": "d{number}", "tags": ["a", "b"]}}')
    PushedDocuments(client, "other").put([PushedDocument("last", ["x"])])
    pipe = client.pipeline(transaction=True)
    pipe.set("cotag:small:current", "v1")
    pipe.set("cotag:small:other", "*1\r\n$4\r\nquit\r\n")
    pipe.execute()
    server.written()
    server.stop()
    yield server
    server.stop()


def files(server, kind):
    return next((server.folder / FILES).glob(f"*.{kind}.*"))


def damage(path, start, content):
    data = bytearray(path.read_bytes())
    data[start : start + len(content)] = content
    path.write_bytes(data)


def repaired(server):
    before = {path.name: path.read_bytes() for path in (server.folder / FILES).iterdir()}
    outcome = repair(server_binary(), server.folder)
    assert isinstance(outcome, Repair)
    assert {path.name: path.read_bytes() for path in outcome.aside.iterdir()} == before
    assert str(outcome.aside) in str(outcome)
    assert not (server.folder / "repair").exists()
    server.start()
    return outcome, server.client()


def test_damage_in_the_middle_costs_what_it_hit_and_nothing_else(store):
    damage(files(store, "incr"), 8000, b"rubbish*3\r\n$1\r\n" * 2)
    outcome, client = repaired(store)
    lost = DOCUMENTS - client.hlen("cotag:small:pushed")
    assert 1 <= lost <= 2
    assert 0 < outcome.unread_bytes < 400
    assert "Bad file format" in outcome.reason
    assert client.hlen("cotag:other:pushed") == 1
    assert client.get("cotag:small:current") == b"v1"
    assert client.get("cotag:small:other") == b"*1\r\n$4\r\nquit\r\n"


def test_zeros_at_the_end_cost_nothing(store):
    """As a file system leaves them after a power cut."""
    path = files(store, "incr")
    path.write_bytes(path.read_bytes() + b"\0" * 4096)
    outcome, client = repaired(store)
    assert outcome.unread_bytes == 4096
    assert client.hlen("cotag:small:pushed") == DOCUMENTS


def test_half_a_transaction_swallows_nothing(store):
    path = files(store, "incr")
    data = path.read_bytes()
    at = data.lower().index(b"*1\r\n$4\r\nexec")
    path.write_bytes(data[:at] + b"\xff" * 14 + data[at + 14 :] + b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n")
    _, client = repaired(store)
    assert client.get("k") == b"v"
    assert client.get("cotag:small:current") == b"v1"


def test_a_damaged_base_leaves_what_was_written_after_it(store):
    store.start().client().bgrewriteaof()
    client = store.client()
    wait_until(lambda: not client.info("persistence")["aof_rewrite_in_progress"], "the rewrite")
    wait_until(lambda: files(store, "base").stat().st_size > 1000, "a base")
    client.set("after", "1")
    store.written()
    store.stop()
    damage(files(store, "base"), 100, b"\0" * 500)
    outcome, client = repaired(store)
    assert client.get("after") == b"1"
    assert 0 < outcome.read_bytes < 100 < outcome.unread_bytes


@pytest.mark.parametrize("what", ["manifest", "missing"])
def test_a_manifest_that_is_garbled_or_names_missing_files_is_written_anew(store, what):
    if what == "manifest":
        (store.folder / FILES / "appendonly.aof.manifest").write_bytes(b"\0" * 88)
    else:
        files(store, "base").unlink()
    _, client = repaired(store)
    assert client.hlen("cotag:small:pushed") == DOCUMENTS


def test_where_nothing_can_be_read_the_store_starts_empty(store):
    for kind in ("base", "incr"):
        files(store, kind).write_bytes(b"\xff" * 1000)
    outcome, client = repaired(store)
    assert client.dbsize() == 0
    assert (outcome.read_bytes, outcome.unread_bytes) == (0, 2000)
    assert "nothing of it can be read" in str(outcome)


def test_files_that_the_server_accepts_stay(store):
    """Also a file that ends in the middle of a command: the server itself leaves that command out."""
    path = files(store, "incr")
    path.write_bytes(path.read_bytes()[:-3])
    assert repair(server_binary(), store.folder) is None
    assert sorted(path.name for path in store.folder.iterdir() if path.is_dir()) == [FILES]
    store.start()
    assert connect(store.url).hlen("cotag:small:pushed") == DOCUMENTS


def test_commands_are_found_between_rubbish():
    data = b"x*1\r\n$1\r\na\r\n*2\r\n$1\r\nb\r\n$4\r\n*9\r\n\r\n??*1\r\n$9\r\nshort\r\n"
    assert [data[start:end] for start, end in commands(data)] == [
        b"*1\r\n$1\r\na\r\n",
        b"*2\r\n$1\r\nb\r\n$4\r\n*9\r\n\r\n",
    ]
