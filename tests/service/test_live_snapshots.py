from dataclasses import replace
from datetime import timedelta

import pytest

from service.disk_cache import DiskCache
from service.errors import NothingServed, UnknownCorpus
from service.live_snapshots import LiveSnapshots
from snapshot import SCHEMA, RunStatus, SnapshotStore, StatusBoard, connect, keys
from tests.clustered import NOON, TAGS, published
from tests.waiting import wait_until


@pytest.fixture
def following(redis, redis_url):
    """A live that follows the store, as in production."""
    client = connect(redis_url)
    live = LiveSnapshots(SnapshotStore(client), StatusBoard(client))
    live.start()
    yield live
    live.stop()


def test_a_new_version_is_taken_up_without_a_restart(following, store):
    live = following
    store.publish(published(NOON))
    wait_until(lambda: "small" in live.views(), "the first version")
    old = live.view("small")
    store.publish(published(NOON + timedelta(minutes=1)))
    wait_until(lambda: live.view("small") is not old, "the next version")
    assert live.view("small").snapshot.version == store.current("small")


def test_a_corpus_that_appears_later_is_taken_up(following, store):
    assert following.views() == {}
    store.publish(published())
    wait_until(lambda: "small" in following.views(), "the corpus")


def test_a_corrupt_version_is_refused_and_the_old_one_stays(redis, store, live):
    held = live.view("small")
    encoded = published(NOON + timedelta(minutes=1))
    store.publish(encoded)
    redis.setrange(keys.part("small", encoded.version, "arrays"), 50, b"damage")
    live.refresh()
    assert live.view("small") is held


def test_a_corrupt_version_is_told_once_not_every_second(redis, store, live, capsys):
    encoded = published(NOON + timedelta(minutes=1))
    store.publish(encoded)
    redis.setrange(keys.part("small", encoded.version, "arrays"), 50, b"damage")
    for _ in range(3):
        live.refresh()
    assert capsys.readouterr().out.count("snapshot refused") == 1


def test_a_roll_back_is_followed(store, live):
    first = store.current("small")
    store.publish(published(NOON + timedelta(minutes=1)))
    live.refresh()
    store.activate("small", first)
    live.refresh()
    assert live.view("small").snapshot.version == first


def test_an_unknown_corpus_and_one_still_being_clustered_are_told_apart(redis, live):
    with pytest.raises(UnknownCorpus):
        live.view("nothing")
    StatusBoard(redis).write("coming", RunStatus("job", "running", 0.0, 0.0))
    with pytest.raises(NothingServed):
        live.view("coming")


def test_without_a_store_the_shelf_starts_empty_and_says_so(tmp_path):
    client = connect(f"unix://{tmp_path}/nothing.sock", timeout=0.2)
    live = LiveSnapshots(SnapshotStore(client), StatusBoard(client))
    live.start()
    assert live.views() == {}
    assert not live.freshness.connected
    live.stop()


def test_documents_are_never_loaded_into_memory(redis, store, monkeypatch):
    """Memory grows with tags: the part that grows with documents is not even asked for."""
    store.publish(published())
    asked = []
    part = SnapshotStore._part
    monkeypatch.setattr(SnapshotStore, "_part", lambda self, *names: asked.append(names[2]) or part(self, *names))
    LiveSnapshots(store, StatusBoard(redis)).refresh()
    assert asked == ["meta", "arrays"]


def test_a_newer_schema_is_refused_and_counted(store, live):
    encoded = published(NOON + timedelta(minutes=1))
    store.publish(replace(encoded, meta=encoded.meta.replace(b'"schema":%d' % SCHEMA, b'"schema":99')))
    held = live.view("small")
    live.refresh()
    assert live.view("small") is held
    assert live.stale_seconds("small") is not None
    assert live._metrics.refused.labels("small", "schema")._value.get() == 1.0


def test_garbage_in_the_store_does_not_stop_the_shelf(redis, store, live):
    redis.set(keys.run("small"), b"not json")
    redis.hset(keys.DECLARED, "small", b'{"unknown": 1}')
    store.publish(published(NOON + timedelta(minutes=1)))
    live.refresh()
    assert live.view("small").snapshot.version == store.current("small")
    assert live.status("small") is None


def test_copies_on_disk_are_served_until_the_store_answers(redis, store, tmp_path):
    store.publish(published())
    LiveSnapshots(store, StatusBoard(redis), copies=DiskCache(tmp_path)).refresh()
    gone = connect(f"unix://{tmp_path}/gone.sock", timeout=0.2)
    live = LiveSnapshots(SnapshotStore(gone), StatusBoard(gone), copies=DiskCache(tmp_path))
    live._try_refresh()
    live._take_copies()
    assert live.view("small").snapshot.names == tuple(TAGS)
    assert live.stale_seconds("small") is not None
    live._store, live._board = store, StatusBoard(redis)
    live.refresh()
    assert live.stale_seconds("small") is None


def test_damaged_copies_and_copies_under_another_name_are_refused(tmp_path):
    encoded = published()
    copies = DiskCache(tmp_path)
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
    DiskCache(tmp_path / "file").write("small", encoded.meta, encoded.arrays)
