import time
from datetime import UTC, datetime, timedelta

import pytest

from service.errors import NothingServed, UnknownCorpus
from service.shelf import Shelf
from snapshot import RunStatus, SnapshotStore, StatusBoard, connect, keys
from tests.snapshot.snapshots import small_encoded

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


def wait_until(condition, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


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
    store.publish(small_encoded(NOON))
    wait_until(lambda: "small" in shelf.views())
    old = shelf.view("small")
    store.publish(small_encoded(NOON + timedelta(minutes=1)))
    wait_until(lambda: shelf.view("small") is not old)
    assert shelf.view("small").snapshot.version == store.current("small")


def test_a_corpus_that_appears_later_is_taken_up(following, store):
    assert following.views() == {}
    store.publish(small_encoded())
    wait_until(lambda: "small" in following.views())


def test_a_corrupt_version_is_refused_and_the_old_one_stays(redis, store, shelf):
    held = shelf.view("small")
    encoded = small_encoded(NOON + timedelta(minutes=1))
    store.publish(encoded)
    redis.setrange(keys.part("small", encoded.version, "arrays"), 50, b"damage")
    shelf.refresh()
    assert shelf.view("small") is held


def test_a_corrupt_version_is_told_once_not_every_second(redis, store, shelf, capsys):
    encoded = small_encoded(NOON + timedelta(minutes=1))
    store.publish(encoded)
    redis.setrange(keys.part("small", encoded.version, "arrays"), 50, b"damage")
    for _ in range(3):
        shelf.refresh()
    assert capsys.readouterr().out.count("snapshot refused") == 1


def test_a_roll_back_is_followed(store, shelf):
    first = store.current("small")
    store.publish(small_encoded(NOON + timedelta(minutes=1)))
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
