"""What somebody else left among the keys of Cotag is skipped and reported, and the next write heals it."""

from datetime import timedelta

import pytest

from snapshot import SnapshotStore
from snapshot.edits import Edit
from snapshot.store import keys
from snapshot.store.edits import EditStore
from tests.clustered import NOON, published

KEEP = Edit("keep", "apple")


def test_a_member_that_is_no_version_stops_no_publication(redis):
    """It sorts after every version; the next publication removes it."""
    store = SnapshotStore(redis)
    store.publish(published())
    redis.zadd(keys.versions("small"), {"zebra": 0, "30000101": 0})
    assert len(store.versions("small")) == 1
    assert store.publish(published(NOON + timedelta(hours=1)))
    assert len(redis.zrange(keys.versions("small"), 0, -1)) == 2


@pytest.mark.parametrize("raw", [b'{"kind": "synonym"}', b'{"kind": "keep", "tag": 7}', b"rubbish", b"[]"])
def test_a_stored_edit_without_its_fields_is_skipped_counted_and_removed(redis, raw):
    counted = []
    store = EditStore(redis, counted.append)
    first = store.change("small", 0, add=[KEEP])
    redis.hset(keys.edits("small"), "bad", raw)
    assert [edit.tag for edit in store.read("small").stored] == ["apple"]
    store.read("small")
    assert counted == ["Edit"], "once"
    store.change("small", first, add=[Edit("keep", "pear")])
    assert b"bad" not in redis.hgetall(keys.edits("small"))
    assert len(store.read("small").stored) == 2


def test_an_edit_of_a_newer_release_is_skipped_but_kept(redis):
    store = EditStore(redis)
    redis.hset(keys.edits("small"), "newer", b'{"kind": "weigh", "tag": "apple"}')
    assert store.read("small").stored == ()
    store.change("small", 0, add=[KEEP])
    assert b"newer" in redis.hgetall(keys.edits("small"))


@pytest.mark.parametrize("garbage", ["seven", "-3", "9" * 30, "1.5"])
def test_a_revision_that_is_no_number_is_healed_by_the_next_change(redis, garbage):
    """Readers still have the edits, and see that something changed."""
    store = EditStore(redis)
    store.change("small", 0, add=[KEEP])
    redis.set(keys.revision("small"), garbage)
    state = store.read("small")
    assert [edit.tag for edit in state.stored] == ["apple"]
    assert store.revisions(["small"]) == {"small": state.revision}
    assert state.revision > 1
    new = store.change("small", state.revision, add=[Edit("keep", "pear")])
    assert (new, int(redis.get(keys.revision("small")))) == (state.revision + 1, new)


def test_the_corpora_file_heals_a_revision_too(redis):
    store = EditStore(redis)
    redis.set(keys.revision("small"), "seven")
    store.declare("small", [KEEP])
    assert store.read("small").declared[0].tag == "apple"
    assert redis.get(keys.revision("small")).isdigit()


def test_keys_of_another_type_are_written_anew(redis):
    store = EditStore(redis)
    redis.rpush(keys.revision("small"), "x")
    redis.rpush(keys.edits("small"), "x")
    assert store.change("small", 0, add=[KEEP]) == 1
    assert len(store.read("small").stored) == 1
