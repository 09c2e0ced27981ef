"""What editors decide: how decisions are read, which contradict each other, and what they do to a partition."""

import random
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshot.edits import (
    Contradiction,
    DeclaredEdit,
    Edit,
    EditState,
    Tags,
    UnknownEdit,
    check_change,
    conflicts,
    decided_pairs,
    decided_tags,
    decode_state,
    edit_json,
    edit_partition,
    encode_state,
    parse_edit,
    postponed,
)
from snapshot.edits.conflicts import _ends

NAMES = [f"t{number}" for number in range(12)]
CLUSTERS = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]


def tags_with(clusters=CLUSTERS, names=NAMES):
    """Tags t0, t1 …, the first commonest; every tag fits the clusters in the order of their ids."""
    index = {name: tag for tag, name in enumerate(names)}
    ids = sorted(set(clusters))
    return Tags(index.get, clusters, list(range(100, 100 - len(names), -1)), lambda _: ids, "v1")


def move(tag, to, **more):
    return Edit("move", tag, to, **more)


def together(*tags, **more):
    return Edit("together", tags=tags, **more)


def apart(*tags, **more):
    return Edit("apart", tags=tags, **more)


def label(tag, text, **more):
    return Edit("label", tag, label=text, **more)


@pytest.mark.parametrize(
    ("record", "wrong"),
    [
        ("no", "not an object"),
        ({"kind": "rename"}, "\"kind\" is 'rename', not one of move, together"),
        ({"kind": "move", "tag": "apple"}, '"to" is not a text of 1 to 500 printable characters'),
        ({"kind": "move", "tag": "apple", "to": "Apple "}, "'apple' and 'Apple' are one tag"),
        ({"kind": "move", "tag": "apple", "to": "b", "cluster": 3}, "unknown field 'cluster'; move has tag and to"),
        ({"kind": "ban", "tag": "a", "to": "b"}, "unknown field 'to'; ban has tag"),
        ({"kind": "apart", "tags": ["a"]}, '"tags" is not a list of 2 to 100'),
        ({"kind": "label", "tag": "a", "label": "x" * 201}, '"label" is not a text of 1 to 200 printable characters'),
        ({"kind": "label", "tag": "a", "label": "x\u0000y"}, '"label" is not a text of 1 to 200 printable characters'),
        ({"kind": "together", "tags": ["a", 7]}, '"tag" is not a text'),
    ],
)
def test_a_wrong_edit_is_refused_with_what_is_wrong(record, wrong):
    with pytest.raises(ValueError, match=r".") as refused:
        parse_edit(record)
    assert str(refused.value).startswith(wrong)


def test_an_edit_may_be_posted_again_as_it_was_listed():
    """Fields that a list adds, and those that the kind does not use, do not matter."""
    listed = {
        "id": "x",
        "kind": "ban",
        "tag": "misc",
        "to": "",
        "tags": [],
        "label": "",
        "by": "anna",
        "state": "active",
    }
    assert parse_edit(listed) == Edit("ban", "misc")
    assert edit_json(parse_edit(listed)) == {"kind": "ban", "tag": "misc"}


def test_the_same_decision_has_the_same_id_whoever_makes_it():
    """Case, white space, order, time and editor make no difference; what is said does."""
    assert apart("Hip  Hop", "jazz").id == apart("jazz", "hip hop", by="anna", at="2026").id
    ids = {move("a", "b").id, move("b", "a").id, together("a", "b").id, label("a", "b").id, label("a", "c").id}
    assert len(ids) == 5


@pytest.mark.parametrize(
    ("edits", "named"),
    [
        ([move("a", "b"), move("a", "c")], "'a' cannot go to two places"),
        ([label("a", "One"), label("A", "Two")], "'A' cannot have two labels"),
        ([Edit("synonym", "a", "b"), Edit("synonym", "a", "c")], "'a' cannot be two tags"),
        ([move("a", "b"), move("b", "c"), move("c", "a")], "round in a circle"),
        ([Edit("synonym", "a", "b"), Edit("synonym", "b", "a")], "round in a circle"),
        ([together("a", "b"), move("a", "c"), move("c", "b")], "round in a circle"),
        ([together("a", "b"), apart("a", "b")], "'a' and 'b' can be together or apart, not both"),
        ([apart("a", "c"), together("a", "b"), together("b", "c")], "'a' and 'c' can be together or apart"),
        ([apart("a", "c"), move("a", "b"), move("b", "c")], "'a' and 'c' can be together or apart"),
        ([together("a", "b"), move("a", "x"), move("b", "y")], "belong together but go to two places"),
        ([Edit("synonym", "a", "b"), Edit("ban", "a")], "'a' can be counted or left out, not both"),
        ([Edit("keep", "a"), Edit("ban", "a")], "'a' can be counted or left out, not both"),
        ([Edit("synonym", "a", "c"), Edit("synonym", "b", "c"), Edit("distinct", tags=("a", "b"))], "one tag or two"),
        ([Edit("synonym", "a", "b"), apart("a", "b")], "one tag or two"),
    ],
)
def test_contradictions_and_circles_name_both_edits(edits, named):
    """The younger edit is the one to refuse, wherever it stands; without it the others are fine."""
    (found, *_) = conflicts(edits)
    assert named in found.detail
    assert str(found.edit) in found.detail
    assert found.edit != found.other
    assert found.edit is edits[-1]
    assert not conflicts(edits[:-1])


def test_what_does_not_contradict_may_be_decided_together():
    fine = [
        move("a", "b"),
        move("c", "b"),
        together("a", "c"),
        together("d", "e"),
        apart("a", "d"),
        apart("b", "e"),
        Edit("synonym", "f", "a"),
        Edit("ban", "g"),
        Edit("distinct", tags=("a", "b")),
        Edit("keep", "a"),
        Edit("later", tags=("a", "b")),
        label("a", "A"),
    ]
    assert not conflicts(fine)


def test_a_moved_tag_goes_to_the_cluster_that_holds_the_other():
    """Also along a chain, and with its whole block."""
    edited = edit_partition(tags_with(), [move("t0", "t4"), move("t4", "t8")])
    assert [edited.clusters[tag] for tag in (0, 4, 8, 1, 5)] == [2, 2, 2, 0, 1]
    assert edited.changed == {0, 1, 2}
    edited = edit_partition(tags_with(), [together("t0", "t1"), move("t1", "t8")])
    assert [edited.clusters[tag] for tag in (0, 1, 2)] == [2, 2, 0]


def test_tags_that_belong_together_gather_where_most_of_them_are():
    edited = edit_partition(tags_with(), [together("t0", "t4", "t5")])
    assert [edited.clusters[tag] for tag in (0, 4, 5)] == [1, 1, 1]
    assert len({edited.blocks[tag] for tag in (0, 4, 5)}) == 1


def test_of_two_tags_that_are_apart_the_rarer_one_goes_to_the_next_best_cluster():
    edited = edit_partition(tags_with(), [apart("t0", "t1")])
    assert edited.clusters[:2] == [0, 1]
    assert edited.apart == {0: {1}, 1: {0}}


def test_a_block_stays_and_a_single_tag_leaves():
    """t1 was moved to where t4 is: t4 and t1 are two, t5 is one and gives way, to a cluster without either."""
    edited = edit_partition(tags_with(), [move("t1", "t4"), apart("t1", "t5")])
    assert [edited.clusters[tag] for tag in (1, 4)] == [1, 1]
    assert edited.clusters[5] == 0


def test_more_tags_apart_than_clusters_is_inactive_and_says_why():
    edit = apart("t0", "t1", "t2", "t3")
    assert "no other concept" in edit_partition(tags_with(), [edit]).inactive[edit.id]


def test_an_edit_without_its_anchor_is_inactive_and_names_it():
    """Nothing else changes. A list of tags holds as long as two of them are left."""
    gone = [move("nowhere", "t1"), label("nowhere", "N"), together("t0", "nowhere")]
    edited = edit_partition(tags_with(), [*gone, together("t1", "t4", "nowhere")])
    assert [edited.inactive[edit.id] for edit in gone] == ["there is no tag 'nowhere' in version v1"] * 3
    assert edited.clusters[4] == edited.clusters[1] == 0
    assert len(edited.inactive) == 3


def test_the_label_follows_its_tag_and_the_file_comes_first():
    named = [label("t0", "Zero"), label("t1", "File", origin="file", line=3), label("t4", "Four"), move("t4", "t8")]
    edited = edit_partition(tags_with(), named)
    assert edited.labels == {0: "File", 2: "Four"}
    assert list(edited.inactive) == [named[0].id]


def test_a_cluster_that_loses_all_its_tags_has_an_heir():
    edited = edit_partition(tags_with(), [move(f"t{number}", "t8") for number in range(4)])
    assert edited.heirs == {0: 2}
    assert set(edited.clusters) == {1, 2}


tag_names = st.sampled_from([*NAMES, "gone"])
lists = st.lists(tag_names, min_size=2, max_size=4, unique=True).map(tuple)
any_edit = st.one_of(
    st.builds(lambda pair: move(*pair), st.lists(tag_names, min_size=2, max_size=2, unique=True)),
    lists.map(lambda tags: together(*tags)),
    lists.map(lambda tags: apart(*tags)),
    st.builds(label, tag_names, st.sampled_from(["One", "Two"])),
)
partitions = st.lists(st.integers(0, 4), min_size=len(NAMES), max_size=len(NAMES))


@settings(max_examples=300, deadline=None)
@given(partitions, st.lists(any_edit, max_size=12), st.randoms(use_true_random=False))
def test_the_result_depends_on_the_set_of_edits_alone(clusters, edits, shuffle: random.Random):
    """In any order the same tags are in the same clusters, with the same labels and the same reasons."""
    first = edit_partition(tags_with(clusters), edits)
    other = list(edits)
    shuffle.shuffle(other)
    again = edit_partition(tags_with(clusters), other)
    assert vars(first) == vars(again)


@settings(max_examples=300, deadline=None)
@given(partitions, st.lists(any_edit, max_size=12))
def test_no_tag_is_lost_and_what_is_active_holds(clusters, edits):
    """Every tag is in one cluster that the run made. Edits without contradiction hold, unless marked as inactive."""
    holding: list[Edit] = []
    for edit in edits:
        if not conflicts([*holding, edit]):
            holding.append(edit)
    edited = edit_partition(tags_with(clusters), holding)
    assert len(edited.clusters) == len(NAMES)
    assert set(edited.clusters) <= set(clusters)
    assert set(clusters) - set(edited.clusters) == edited.heirs.keys()
    place = dict(zip(NAMES, edited.clusters, strict=True))
    for edit in holding:
        if edit.id in edited.inactive:
            continue
        at = [place[name] for name in edit.names if name in place]
        if edit.kind in {"move", "together"}:
            assert len(set(at)) == 1
        elif edit.kind == "apart":
            assert all(one != other for one, other in combinations(at, 2))
        else:
            assert edited.labels[at[0]] == edit.label


def test_untouched_tags_stay():
    """Tags that no edit names keep their cluster."""
    edited = edit_partition(tags_with(), [move("t0", "t4"), apart("t8", "t9"), together("t1", "t2")])
    touched = {0, 4, 8, 9, 1, 2}
    assert all(edited.clusters[tag] == CLUSTERS[tag] for tag in range(12) if tag not in touched)


def test_a_change_is_checked_against_what_is_stored_and_declared():
    state = EditState(3, (move("a", "b"),), (apart("c", "d", origin="file", line=12),))
    with pytest.raises(Contradiction, match=r"line 12 of the corpora file"):
        check_change(state, [together("c", "d")])
    with pytest.raises(UnknownEdit, match="there is no edit 'x'"):
        check_change(state, remove=["x"])
    with pytest.raises(DeclaredEdit, match="remove it in the corpora file"):
        check_change(state, remove=[apart("c", "d").id])
    change = check_change(state, [move("a", "c"), move("a", "c")], [move("a", "b").id])
    assert (change.added, change.removed) == ((move("a", "c"),), (move("a", "b"),))
    assert change.state.stored == (move("a", "c"),)


def test_what_is_there_already_is_not_added_again():
    state = EditState(3, (move("a", "b"),), (apart("c", "d"),))
    change = check_change(state, [move("A", "b", by="bert"), apart("d", "c")])
    assert not change.added
    assert not change.removed


def test_an_edit_that_the_file_contradicts_later_gives_way_and_does_not_block_others():
    """It stays stored, is inactive with the line, and further edits are still accepted."""
    state = EditState(3, (together("a", "b"), move("x", "y")), (apart("a", "b", origin="file", line=7),))
    assert [edit.kind for edit in state.holding] == ["apart", "move"]
    assert "line 7" in state.contradicted[together("a", "b").id]
    assert check_change(state, [label("a", "A")]).added


def test_proposals_learn_what_is_decided():
    edits = [
        Edit("distinct", tags=("Blue", "blues")),
        Edit("synonym", "us", "usa"),
        Edit("keep", "misc"),
        Edit("ban", "x"),
    ]
    assert decided_pairs(edits) == {frozenset({"blue", "blues"}), frozenset({"us", "usa"})}
    assert decided_tags(edits) == {"misc", "x"}
    assert postponed([Edit("later", tags=("a", "b"))]) == {frozenset({"a", "b"})}


def test_a_state_survives_its_copy():
    state = EditState(3, (move("a", "b", by="anna", at="2026"),), (apart("c", "d", origin="file", line=7),))
    copy = decode_state(encode_state(state))
    assert (copy.revision, copy.stored, copy.declared) == (3, state.stored, state.declared)
    assert decode_state(encode_state(EditState())).declared is None
    with pytest.raises(ValueError, match=r"."):
        decode_state(b'{"revision": 1}')


class Counting(dict):
    """Counts how often somebody looks a step up."""

    looked_up = 0

    def __getitem__(self, key):
        self.looked_up += 1
        return super().__getitem__(key)


def test_long_chains_of_synonyms_are_followed_once():
    """10,000 in a chain took minutes when each was followed to the end."""
    steps = Counting({f"t{number}": f"t{number + 1}" for number in range(1000)})
    assert set(_ends(steps).values()) == {"t1000"}
    assert steps.looked_up <= 2 * len(steps)
    backwards = Counting(reversed(list(dict(steps).items())))
    assert set(_ends(backwards).values()) == {"t1000"}
    assert backwards.looked_up <= 2 * len(steps)
