from dataclasses import replace
from datetime import timedelta

import pytest

from service.copies import Copies
from service.errors import NothingServed, UnknownCorpus
from service.shelf import Shelf
from snapshot import SCHEMA, RunStatus, SnapshotStore, StatusBoard, connect, keys
from tests.clustered import NOON, TAGS, published
from tests.waiting import wait_until


@pytest.fixture
def following(redis, redis_url):
    """A shelf that follows the store, as in production."""
    client = connect(redis_url)
    shelf = Shelf(SnapshotStore(client), StatusBoard(client))
    shelf.start()
    yield shelf
    shelf.stop()


def test_a_new_version_is_taken_up_without_a_restart(following, store):
    shelf = following
    store.publish(published(NOON))
    wait_until(lambda: "small" in shelf.views(), "the first version")
    old = shelf.view("small")
    store.publish(published(NOON + timedelta(minutes=1)))
    wait_until(lambda: shelf.view("small") is not old, "the next version")
    assert shelf.view("small").snapshot.version == store.current("small")


def test_a_corpus_that_appears_later_is_taken_up(following, store):
    assert following.views() == {}
    store.publish(published())
    wait_until(lambda: "small" in following.views(), "the corpus")


def test_a_corrupt_version_is_refused_and_the_old_one_stays(redis, store, shelf):
    held = shelf.view("small")
    encoded = published(NOON + timedelta(minutes=1))
    store.publish(encoded)
    redis.setrange(keys.part("small", encoded.version, "arrays"), 50, b"damage")
    shelf.refresh()
    assert shelf.view("small") is held


def test_a_corrupt_version_is_told_once_not_every_second(redis, store, shelf, capsys):
    encoded = published(NOON + timedelta(minutes=1))
    store.publish(encoded)
    redis.setrange(keys.part("small", encoded.version, "arrays"), 50, b"damage")
    for _ in range(3):
        shelf.refresh()
    assert capsys.readouterr().out.count("snapshot refused") == 1


def test_a_roll_back_is_followed(store, shelf):
    first = store.current("small")
    store.publish(published(NOON + timedelta(minutes=1)))
    shelf.refresh()
    store.activate("small", first)
    shelf.refresh()
    assert shelf.view("small").snapshot.version == first


def test_an_unknown_corpus_and_one_still_being_clustered_are_told_apart(redis, shelf):
    with pytest.raises(UnknownCorpus):
        shelf.view("nothing")
    StatusBoard(redis).write("coming", RunStatus("job", "running", 0.0, 0.0))
    with pytest.raises(NothingServed):
        shelf.view("coming")


def test_without_a_store_the_shelf_starts_empty_and_says_so(tmp_path):
    client = connect(f"unix://{tmp_path}/nothing.sock", timeout=0.2)
    shelf = Shelf(SnapshotStore(client), StatusBoard(client))
    shelf.start()
    assert shelf.views() == {}
    assert not shelf.freshness.connected
    shelf.stop()


def test_documents_are_never_loaded_into_memory(redis, store, monkeypatch):
    """Memory grows with tags: the part that grows with documents is not even asked for."""
    store.publish(published())
    asked = []
    part = SnapshotStore._part
    monkeypatch.setattr(SnapshotStore, "_part", lambda self, *names: asked.append(names[2]) or part(self, *names))
    Shelf(store, StatusBoard(redis)).refresh()
    assert asked == ["meta", "arrays"]


def test_a_newer_schema_is_refused_and_counted(store, shelf):
    encoded = published(NOON + timedelta(minutes=1))
    store.publish(replace(encoded, meta=encoded.meta.replace(b'"schema":%d' % SCHEMA, b'"schema":99')))
    held = shelf.view("small")
    shelf.refresh()
    assert shelf.view("small") is held
    assert shelf.stale_seconds("small") is not None
    assert shelf._metrics.refused.labels("small", "schema")._value.get() == 1.0


def test_garbage_in_the_store_does_not_stop_the_shelf(redis, store, shelf):
    redis.set(keys.run("small"), b"not json")
    redis.hset(keys.DECLARED, "small", b'{"unknown": 1}')
    store.publish(published(NOON + timedelta(minutes=1)))
    shelf.refresh()
    assert shelf.view("small").snapshot.version == store.current("small")
    assert shelf.status("small") is None


def test_copies_on_disk_are_served_until_the_store_answers(redis, store, tmp_path):
    store.publish(published())
    Shelf(store, StatusBoard(redis), copies=Copies(tmp_path)).refresh()
    gone = connect(f"unix://{tmp_path}/gone.sock", timeout=0.2)
    shelf = Shelf(SnapshotStore(gone), StatusBoard(gone), copies=Copies(tmp_path))
    shelf._try_refresh()
    shelf._take_copies()
    assert shelf.view("small").snapshot.names == tuple(TAGS)
    assert shelf.stale_seconds("small") is not None
    shelf._store, shelf._board = store, StatusBoard(redis)
    shelf.refresh()
    assert shelf.stale_seconds("small") is None


def test_damaged_copies_and_copies_under_another_name_are_refused(tmp_path):
    encoded = published()
    copies = Copies(tmp_path)
    copies.write("a/b", encoded.meta, encoded.arrays)
    assert [path.name for path in tmp_path.iterdir()] == ["a%2Fb.snapshot"]
    assert list(copies.read()) == []
    copies.write("small", encoded.meta, encoded.arrays)
    path = tmp_path / "small.snapshot"
    blob = path.read_bytes()
    for damaged in (b"", blob[:5], blob[:-1], blob[:100] + bytes([blob[100] ^ 1]) + blob[101:], b"\xff" * 8 + blob[8:]):
        path.write_bytes(damaged)
        assert list(copies.read()) == []
    path.write_bytes(blob)
    assert [snapshot.corpus for snapshot, _ in copies.read()] == ["small"]


def test_a_disk_that_cannot_be_written_does_no_harm(tmp_path):
    encoded = published()
    (tmp_path / "file").write_text("")
    Copies(tmp_path / "file").write("small", encoded.meta, encoded.arrays)
