"""Cleaning of tags: what people expect goes, what belongs to a tag stays, and each step can be switched off."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worker.gathering import gather
from worker.sources.blocks import in_blocks
from worker.sources.cleaning import Cleaning, split_list
from worker.sources.document import Document
from worker.vocabulary.tag_corpus import build_corpus, read_entries

CLEANED = {
    "R&amp;B": "R&B",
    "AT&amp;amp;T": "AT&T",
    "caf&eacute;": "café",
    "it&#39;s": "it's",
    "#food": "food",
    "##food": "food",
    "#2024goals": "2024goals",
    "#c#": "c#",
    " rock ,": "rock",
    "rock;": "rock",
    '"rock"': "rock",
    "“rock”": "rock",
    "(rock)": "rock",
    "[rock]": "rock",
    "- rock": "rock",
    "• rock": "rock",
    "food.": "food",
    "\u200brock\ufeff": "rock",
    "ro\u00adck": "rock",
    "&nbsp;jazz": "jazz",
}
UNCHANGED = [
    *("c#", "c++", ".net", "f(x)", "node.js", "U.S.A.", "#1", "#1 hits", "yahoo!", '12"', "rock'n'roll", "'tis"),
    *(
        "*nix",
        "!!!",
        "...",
        "#",
        ":-)",
        "rock&reggae",
        "R&B",
        "(a) and (b)",
        "👨\u200d👩\u200d👧",
        "می\u200cخواهم",
        "100%",
    ),
]


@pytest.mark.parametrize(("tag", "expected"), CLEANED.items())
def test_what_does_not_belong_to_a_tag_goes(tag, expected):
    assert Cleaning().clean(tag) == expected


@pytest.mark.parametrize("tag", UNCHANGED)
def test_what_belongs_to_a_tag_stays(tag):
    assert Cleaning().clean(tag) == tag


@pytest.mark.parametrize(
    ("step", "tag"),
    [("entities", "R&amp;B"), ("invisible", "ro\u200bck"), ("hashes", "#food"), ("punctuation", "(a),")],
)
def test_each_step_can_be_switched_off(step, tag):
    assert Cleaning().clean(tag) != tag
    assert Cleaning(**{step: False}).clean(tag) == tag


@given(st.text(max_size=20))
def test_cleaning_is_done_at_once_and_leaves_no_tag_empty_that_has_a_letter(tag):
    cleaned = Cleaning().clean(tag)
    assert Cleaning(entities=False).clean(cleaned) == cleaned
    assert not any(map(str.isalnum, Cleaning(entities=False).clean(tag))) or cleaned


def test_the_semicolon_of_an_entity_separates_nothing():
    assert split_list("R&amp;B;soul;x&#39;s", ";") == ["R&amp;B", "soul", "x&#39;s"]
    assert split_list("R&B;soul", ";") == ["R&B", "soul"]
    assert split_list("a|b", "|") == ["a", "b"]


def test_spellings_that_cleaning_makes_equal_are_one_tag_and_count_together():
    documents = [Document("1", ("#Food",)), Document("2", ("Food,",)), Document("3", ("FOOD",)), Document("4", ("c#",))]
    corpus = gather(documents)
    assert (corpus.keys, corpus.names) == (("c#", "food"), ("c#", "Food"))
    kept = build_corpus(read_entries(in_blocks(documents), pairs=False), None, Cleaning(hashes=False))
    assert set(kept.keys) == {"c#", "food", "#food"}
