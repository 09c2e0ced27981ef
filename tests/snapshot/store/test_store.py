"""Snapshots in a real store: published whole, read whole, rolled back, dropped."""

import itertools
import threading
from datetime import timedelta

import pytest

from snapshot import (
    Announcement,
    NoSuchVersion,
    PublishRefused,
    SnapshotCorrupt,
    SnapshotStore,
    StoreUnavailable,
    connect,
    encode,
    index_checksums,
    table_in,
)
from snapshot.store import keys
from snapshot.store.snapshots import PARTS, STAGING_SECONDS
from tests.clustered import NOON, clustered
from tests.clustered import published as encoded_at
from tests.waiting import DEADLINE, wait_until


def published(store, count):
    versions = []
    for minute in range(count):
        encoded = encoded_at(NOON + timedelta(minutes=minute))
        store.publish(encoded)
        versions.append(encoded.version)
    return versions


def test_a_published_snapshot_is_current_and_loads(redis):
    store = SnapshotStore(redis)
    assert store.current("small") is None
    (version,) = published(store, 1)
    assert store.current("small") == version
    assert store.corpora() == ["small"]
    assert "payment" in store.load("small", version).names
    assert store.documents("small", version).ids[0] == "d0"
    assert redis.hget(keys.part("small", version, "tags"), "rain") == encoded_at().tags["rain"].encode()


def test_publishing_never_goes_backwards(redis):
    store = SnapshotStore(redis)
    first, second = published(store, 2)
    with pytest.raises(PublishRefused, match="not newer"):
        store.publish(encoded_at(NOON + timedelta(seconds=1)))
    assert store.current("small") == second
    assert store.versions("small") == [second, first]


def test_an_incomplete_snapshot_is_not_made_current(redis, monkeypatch):
    store = SnapshotStore(redis)
    encoded = encoded_at()
    lost = keys.part("small", encoded.version, "dendrogram")
    monkeypatch.setattr(SnapshotStore, "_verify", lambda *_: redis.delete(lost))
    with pytest.raises(PublishRefused, match="dendrogram is missing"):
        store.publish(encoded)
    assert store.current("small") is None


def test_what_the_store_garbles_is_not_made_current(redis, monkeypatch):
    store = SnapshotStore(redis)
    encoded = encoded_at()
    verify = SnapshotStore._verify

    def garbled(self, encoded, names):
        redis.setrange(names["arrays"], 100, b"?")
        verify(self, encoded, names)

    monkeypatch.setattr(SnapshotStore, "_verify", garbled)
    with pytest.raises(SnapshotCorrupt, match="arrays"):
        store.publish(encoded)
    assert store.current("small") is None


def test_parts_of_an_unfinished_publication_go_away_by_themselves(redis, monkeypatch):
    def killed(*_):
        raise SystemExit

    monkeypatch.setattr(SnapshotStore, "_verify", killed)
    encoded = encoded_at()
    with pytest.raises(SystemExit):
        SnapshotStore(redis).publish(encoded)
    for part in PARTS:
        assert 0 < redis.ttl(keys.part("small", encoded.version, part)) <= STAGING_SECONDS
    monkeypatch.undo()
    later = encoded_at(NOON + timedelta(minutes=1))
    SnapshotStore(redis).publish(later)
    for part in PARTS:
        assert redis.ttl(keys.part("small", later.version, part)) == -1


def test_old_versions_are_dropped_but_never_the_current_one(redis):
    store = SnapshotStore(redis)
    versions = published(store, 5)
    store.activate("small", versions[0])
    assert store.retain("small", 2) == versions[2:0:-1]
    assert store.versions("small") == [versions[4], versions[3], versions[0]]
    left = {key.decode().split(":")[3] for key in redis.keys("cotag:small:v:*")}
    assert left == {versions[4], versions[3], versions[0]}
    assert store.load("small", versions[0]).version == versions[0]


def test_a_version_held_for_inspection_is_not_served_until_activated(redis):
    store = SnapshotStore(redis)
    (served,) = published(store, 1)
    held = encoded_at(NOON + timedelta(minutes=1))
    store.publish(held, serve=False)
    assert store.current("small") == served
    assert store.versions("small") == [held.version, served]
    store.activate("small", held.version)
    assert store.current("small") == held.version


def test_rolling_back_and_forward_moves_the_pointer(redis):
    store = SnapshotStore(redis)
    first, second = published(store, 2)
    store.activate("small", first)
    assert store.current("small") == first
    store.activate("small", second)
    assert store.current("small") == second
    with pytest.raises(PublishRefused, match="no version"):
        store.activate("small", "20200101T000000.000Z")


def test_after_a_roll_back_the_next_publication_still_has_to_be_newer_than_all(redis):
    store = SnapshotStore(redis)
    first, _ = published(store, 2)
    store.activate("small", first)
    with pytest.raises(PublishRefused):
        store.publish(encoded_at(NOON + timedelta(seconds=30)))
    assert store.current("small") == first


def test_every_change_of_the_current_version_is_announced(redis, redis_url):
    heard = []

    def listen():
        for announcement in SnapshotStore(connect(redis_url)).announcements(wait=0.1):
            heard.append(announcement)
            if len([each for each in heard if each]) == 2:
                return

    listener = threading.Thread(target=listen)
    listener.start()
    wait_until(lambda: redis.pubsub_numsub(keys.ANNOUNCEMENTS)[0][1], "a listener")
    store = SnapshotStore(redis)
    (version,) = published(store, 1)
    wait_until(lambda: any(heard), "the first announcement")  # two together are told as one
    store.activate("small", version)
    listener.join(DEADLINE)
    assert [each for each in heard if each] == [Announcement("small", version)] * 2


def test_readers_never_see_half_a_snapshot_while_versions_change(redis, redis_url):
    """One thread publishes and drops old versions as fast as it can, readers load whatever is current."""
    writer = SnapshotStore(redis)
    published(writer, 1)
    stop = threading.Event()
    loads = []

    def read():
        reader = SnapshotStore(connect(redis_url))
        while not stop.is_set():
            version = reader.current("small")
            try:
                loads.append(reader.load("small", version).version == version)
            except NoSuchVersion:  # dropped in between: the reader looks again
                continue

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    seconds = itertools.count(1)

    def swapped():
        """Whether versions and readers have met often enough."""
        second = next(seconds)
        writer.publish(encoded_at(NOON + timedelta(seconds=second)))
        writer.retain("small", 1)
        return second >= 60 and len(loads) >= 60

    wait_until(swapped, "60 versions and 60 loads", pause=0)
    stop.set()
    for reader in readers:
        reader.join()
    assert all(loads)


def test_a_store_that_is_away_is_an_error_of_its_own(tmp_path):
    store = SnapshotStore(connect(f"unix://{tmp_path}/nothing.sock", timeout=0.2))
    for call in (store.corpora, lambda: store.current("small"), lambda: store.publish(encoded_at())):
        with pytest.raises(StoreUnavailable):
            call()


def test_a_missing_version_is_named(redis):
    with pytest.raises(NoSuchVersion, match="small has no version x"):
        SnapshotStore(redis).load("small", "x")


def test_the_documents_are_stored_in_chunks_and_read_verified(redis):
    store = SnapshotStore(redis)
    (version,) = published(store, 1)
    checksums = index_checksums(store.raw_meta("small", version))
    table = table_in(b"".join(store.index_chunks("small", version, checksums)))
    assert table.ids.get(0) == b"d0"
    key = keys.part("small", version, "index")
    assert redis.hlen(key) == len(checksums)
    redis.hset(key, "0", redis.hget(key, "0")[:-1] + b"?")
    with pytest.raises(SnapshotCorrupt, match="chunk 0 of the documents of small"):
        list(store.index_chunks("small", version, checksums))
    redis.hdel(key, "0")
    with pytest.raises(NoSuchVersion, match="not all of its documents"):
        list(store.index_chunks("small", version, checksums))


def test_a_chunk_that_the_store_garbles_is_not_made_current(redis, monkeypatch):
    store = SnapshotStore(redis)
    verify = SnapshotStore._verify

    def garbled(self, encoded, names):
        redis.hset(names["index"], "0", b"?")
        verify(self, encoded, names)

    monkeypatch.setattr(SnapshotStore, "_verify", garbled)
    with pytest.raises(SnapshotCorrupt, match="chunk 0"):
        store.publish(encoded_at())
    assert store.current("small") is None


def test_a_version_without_documents_has_no_index(redis):
    snapshot, documents = clustered(documents=False)
    encoded = encode(snapshot, documents)
    assert (documents.table, encoded.index, index_checksums(encoded.meta)) == (None, (), None)
    store = SnapshotStore(redis)
    store.publish(encoded)
    assert store.current("small") == snapshot.version
    assert not redis.exists(keys.part("small", snapshot.version, "index"))
    assert sum(snapshot.cluster_documents) == snapshot.document_count
