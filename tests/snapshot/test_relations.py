"""Relations between tags as edits: how they are read, which go round in a circle, and what they say of a version."""

import random

import orjson
import pytest

from snapshot.edits import Contradiction, Edit, EditState, check_change, conflicts, edit_json, parse_edit, relations_of
from snapshot.edits.relations import closing_circles
from snapshot.edits.state import decode_edit, encode_edit

KEYS = ("animal", "cat", "dog", "hound", "pet")


def relations(*edits, nested=None, keys=KEYS):
    return relations_of({key: tag for tag, key in enumerate(keys)}.get, keys, edits, version="v1", nested=nested)


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "broader", "tag": "cat", "to": "animal"},
        {"kind": "implies", "tag": "hound", "to": "dog"},
        {"kind": "describe", "tag": "cat", "text": "A *pet*\nthat meows."},
        {"kind": "translate", "tag": "cat", "label": "Katze", "language": "de"},
    ],
)
def test_a_relation_is_read_as_it_is_written_and_stored(record):
    edit = parse_edit(record)
    assert edit_json(edit) == record
    assert decode_edit(orjson.loads(encode_edit(edit))) == edit


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        ({"kind": "describe", "tag": "cat", "text": " "}, "1 to 1000 printable"),
        ({"kind": "describe", "tag": "cat", "text": "x" * 1001}, "1 to 1000 printable"),
        ({"kind": "translate", "tag": "cat", "label": "Katze", "language": "d e"}, "not a language"),
        ({"kind": "translate", "tag": "cat", "label": "Katze"}, "not a language"),
        ({"kind": "broader", "tag": "cat", "to": "Cat"}, "are one tag"),
    ],
)
def test_a_wrong_relation_is_refused_with_what_is_wrong(record, fault):
    with pytest.raises(ValueError, match=fault):
        parse_edit(record)


@pytest.mark.parametrize("kind", ["broader", "implies"])
def test_a_circle_is_refused_and_named(kind):
    """Also a long one; a tag may have several broader tags, and two ways to one are no circle."""
    edits = [Edit(kind, "a", "b"), Edit(kind, "b", "c"), Edit(kind, "a", "c"), Edit(kind, "a", "d")]
    state = EditState(1, tuple(edits))
    with pytest.raises(Contradiction, match=r"'a' .*'b'.*'c' .* 'a'") as refused:
        check_change(state, [Edit(kind, "c", "a")])
    assert refused.value.conflicts[0].edit == Edit(kind, "c", "a")


def test_all_circles_are_found_and_nothing_else():
    """Random relations: what is left without the refused edits can be ordered, and adding any of them back cannot."""
    chance = random.Random(4)
    for _ in range(30):
        edits = list({Edit("broader", *map(str, chance.sample(range(12), 2))) for _ in range(chance.randrange(40))})
        chance.shuffle(edits)
        left, refused = list(edits), []
        while found := conflicts(left):
            refused += [conflict.edit for conflict in found]
            left = [edit for edit in left if edit not in refused]
        assert _is_acyclic(left)
        assert (not refused) == _is_acyclic(edits)


def _is_acyclic(edits):
    pairs = {edit.forms for edit in edits}
    while pairs:
        ends = {end for _, end in pairs}
        left = {(start, end) for start, end in pairs if start in ends}
        if left == pairs:
            return False
        pairs = left
    return True


def test_a_tag_has_one_description_and_one_label_in_a_language():
    assert conflicts([Edit("describe", "cat", text="one"), Edit("describe", "Cat", text="two")])
    assert conflicts([Edit("translate", "cat", label=label, language="de") for label in ("Katze", "Kater")])
    assert not conflicts([Edit("translate", "cat", label="x", language=language) for language in ("de", "fr")])


def test_a_banned_tag_cannot_be_implied():
    assert conflicts([Edit("ban", "dog"), Edit("implies", "hound", "dog")])
    assert not conflicts([Edit("ban", "hound"), Edit("implies", "hound", "dog")])


def test_relations_of_a_version_go_both_ways_and_through_others():
    found = relations(
        Edit("broader", "hound", "dog"),
        Edit("broader", "dog", "animal"),
        Edit("broader", "dog", "pet"),
        Edit("implies", "hound", "dog"),
        Edit("describe", "dog", text="Barks."),
        Edit("translate", "dog", label="Hund", language="de"),
    )
    animal, _, dog, hound, pet = range(5)
    assert found.broader[dog] == [animal, pet]
    assert found.narrower[animal] == [dog]
    assert found.all_narrower(animal) == [dog, hound]
    assert found.all_broader(hound) == [animal, dog, pet]
    assert (found.implied[hound], found.implied_by[dog]) == ([dog], [hound])
    assert (found.descriptions[dog], found.labels[dog]) == ("Barks.", {"de": "Hund"})
    assert not found.inactive


def test_an_edit_about_a_tag_that_is_not_there_says_so():
    broader, implies = Edit("broader", "lynx", "animal"), Edit("implies", "cat", "feline")
    found = relations(broader, implies)
    assert found.inactive == {broader.id: "there is no tag 'lynx' in version v1"}  # a run will make 'feline'


def test_nested_names_are_kinds_of_their_parents():
    """The nearest parent that is a tag counts."""
    keys = ("animal", "animal/pet/cat", "animal/pet", "a/b/c", "a")
    found = relations(nested="/", keys=keys)
    assert found.broader == {1: [2], 2: [0], 3: [4]}
    assert relations(keys=keys).broader == {}


def test_what_synonyms_make_a_circle_of_has_no_effect():
    """A version counts two names as one tag: the younger of two edits that then contradict each other gives way."""
    first, second = Edit("broader", "hound", "animal"), Edit("broader", "animal", "dog")
    found = relations_of({"hound": 0, "dog": 0, "animal": 1}.get, ("hound", "animal"), [first, second], version="v1")
    assert found.broader == {0: [1]}
    assert list(found.inactive) == [second.id]


def test_an_edit_wins_over_a_path():
    keys = ("animal", "animal/cat")
    found = relations(Edit("broader", "animal", "animal/cat"), nested="/", keys=keys)
    assert (found.broader, found.narrower, found.inactive) == ({0: [1]}, {1: [0]}, {})


def test_circles_of_any_kind_are_opened_and_nothing_else_goes():
    chance = random.Random(5)
    for _ in range(50):
        pairs = list({tuple(chance.sample(range(10), 2)) for _ in range(chance.randrange(30))})
        gone = closing_circles(pairs)
        left = [pair for pair in pairs if pair not in gone]
        assert _is_acyclic([Edit("broader", *map(str, pair)) for pair in left])
        assert not gone or not _is_acyclic([Edit("broader", *map(str, pair)) for pair in [*left, gone[0]]])
