"""Steps between versions lead both ways, over any number of versions, and give the same as a direct comparison."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshot import SnapshotStore
from snapshot.store import keys
from snapshot.store.change_log import ChangeLog, StoredSteps, UnknownSince
from snapshot.store.publication import PublishedBeside
from snapshot.version.changes import Concepts, concepts_of, decode_step, encode_step, origins, redo, step_between, undo
from snapshot.version.comparison import compare
from tests.clustered import NOON, published, snapshot_at

TAGS = "abcdefghij"


def concepts(clusters, names=()):
    """Concepts in which each cluster is named after its number, or as given."""
    named = {number: f"concept {number}" for number in clusters.values()} | dict(names)
    return Concepts(dict(clusters), {key: key.upper() for key in clusters}, named)


versions = st.dictionaries(st.sampled_from(TAGS), st.integers(0, 4), min_size=1).flatmap(
    lambda clusters: st.dictionaries(st.sampled_from(sorted(set(clusters.values()))), st.sampled_from("XYZ")).map(
        lambda names: concepts(clusters, names)
    )
)


def chain(known):
    """The stored steps of versions in a row, named v0, v1, …"""
    steps = [
        step_between(f"v{place}", after, f"v{place - 1}", before)
        for place, (before, after) in enumerate(pairwise(known), start=1)
    ]
    return StoredSteps({step.version: encode_step(step) for step in steps})


@given(versions, versions)
def test_a_step_leads_both_ways_and_survives_the_store(before, after):
    step = decode_step(encode_step(step_between("v1", after, "v0", before)))
    assert undo(after, step) == before
    assert redo(before, step) == after


@given(st.lists(versions, min_size=2, max_size=5))
def test_steps_in_a_row_give_the_concepts_of_every_earlier_version(known):
    steps, newest = chain(known), f"v{len(known) - 1}"
    for place, before in enumerate(known):
        found = steps.concepts_at(f"v{place}", newest, known[-1])
        assert found == before
        assert compare(found, known[-1]) == compare(before, known[-1])


@given(st.lists(versions, min_size=3, max_size=4))
def test_after_a_roll_back_the_way_leads_over_the_common_version(known):
    """v2 continues v1; then v1 was activated again, and v3 continues it, too."""
    base, left, right = known[:3]
    steps = StoredSteps(
        {
            "v2": encode_step(step_between("v2", left, "v1", base)),
            "v3": encode_step(step_between("v3", right, "v1", base)),
        }
    )
    assert steps.concepts_at("v2", "v3", right) == left
    assert steps.concepts_at("v3", "v2", left) == right


def test_what_is_new_split_merged_gone_and_renamed_is_told():
    before = concepts({"a": 0, "b": 0, "c": 0, "d": 0, "e": 1, "f": 1, "g": 2, "h": 2, "i": 3})
    after = concepts({"a": 0, "b": 0, "c": 4, "d": 4, "e": 1, "f": 1, "g": 1, "h": 1, "j": 5, "i": 3}, {0: "renamed"})
    found = compare(before, after)
    assert [change.id for change in found.split] == [0, 4]
    assert [(change.id, change.parents) for change in found.merged] == [(1, (1, 2))]
    assert [change.id for change in found.new] == [5]
    assert [change.id for change in found.gone] == [2]
    assert [(change.id, change.before, change.label) for change in found.renamed] == [(0, "concept 0", "renamed")]
    assert found.came == ("J",)
    assert found.went == ()
    assert [(move.tag, move.before, move.after) for move in found.moved] == [
        ("C", 0, 4),
        ("D", 0, 4),
        ("G", 2, 1),
        ("H", 2, 1),
    ]
    assert list(found.counts.values()) == [1, 2, 1, 1, 1, 1, 0, 4]


def test_another_order_of_a_label_is_no_other_name():
    before, after = concepts({"a": 0, "b": 1}, {0: "x, y", 1: "x"}), concepts({"a": 0, "b": 1}, {0: "y, x", 1: "z"})
    assert [change.id for change in compare(before, after).renamed] == [1]


def test_versions_without_a_change_have_none():
    same = concepts({"a": 0, "b": 1})
    assert not any(compare(same, same).counts.values())
    assert {origin.kind for origin in origins(same.clusters, same.clusters).values()} == {"kept"}


def test_a_version_to_which_no_step_leads_is_unknown_and_the_oldest_known_one_is_named():
    steps = chain([concepts({"a": 0}), concepts({"a": 1}), concepts({"a": 2})])
    with pytest.raises(UnknownSince, match="the oldest known one is v0") as raised:
        steps.concepts_at("v9", "v2", concepts({"a": 2}))
    assert raised.value.oldest == "v0"


def test_a_damaged_step_is_a_version_unknown_and_no_error():
    steps = chain([concepts({"a": 0}), concepts({"a": 1})])
    damaged = StoredSteps({"v1": steps.raw["v1"][:-3]})
    with pytest.raises(UnknownSince):
        damaged.concepts_at("v0", "v1", concepts({"a": 1}))
    assert decode_step(b"garbage") is None


def test_a_step_is_published_with_its_version_and_outlives_it(redis):
    store, log = SnapshotStore(redis), ChangeLog(redis)
    first, second = snapshot_at(), snapshot_at(NOON.replace(hour=13))
    store.publish(published())
    step = step_between(second.version, concepts_of(second), first.version, concepts_of(first))
    store.publish(published(NOON.replace(hour=13)), beside=PublishedBeside(step=encode_step(step)))
    store.retain("small", 1)
    assert store.versions("small") == [second.version]
    steps = log.steps("small")
    assert log.latest("small", second.version, 5) == [step]
    assert log.latest("small", second.version, 0) == log.latest("small", first.version, 5) == []
    assert steps.concepts_at(first.version, second.version, concepts_of(second)) == concepts_of(first)
    log.trim("small", datetime(2027, 11, 1, tzinfo=UTC))
    assert list(log.steps("small").raw) == [second.version]
    log.trim("small", datetime(2027, 12, 1, tzinfo=UTC))
    assert log.steps("small").raw == {}


def test_a_damaged_key_is_no_reason_not_to_publish(redis):
    redis.set(keys.changes("small"), "x")
    redis.set(keys.OUTBOX, "x")
    redis.set(keys.NOTICES, "x")
    beside = PublishedBeside(step=b"step", if_served={"one": "{}"})
    assert SnapshotStore(redis).publish(published(), beside=beside)
    assert ChangeLog(redis).steps("small").raw == {}
    assert ChangeLog(redis).latest("small", published().version, 5) == []
    ChangeLog(redis).trim("small", NOON)
    assert not redis.exists(keys.changes("small"))
