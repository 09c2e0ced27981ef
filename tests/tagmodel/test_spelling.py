"""When two spellings are the same tag."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshot import normalise, plural_key, spelling_key


def test_spellings_of_one_tag_are_equal():
    assert normalise("  Credit\tCARD ") == "credit card"
    assert normalise("Straße") == normalise("STRASSE")
    assert normalise("ｆｕｌｌ ｗｉｄｔｈ") == "full width"
    assert normalise("ﬁsh") == "fish"


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    assert normalise(normalise(text)) == normalise(text)


def key(text):
    return spelling_key(normalise(text))


@pytest.mark.parametrize(
    "spellings",
    [
        ("Hip-Hop", "hip hop", "HIPHOP", "hip_hop", "hip‐hop", "hip–hop", " hip  hop"),
        ("R'n'B", "r’n’b", "RnB", "r`n`b", "r´n´b"),
        ("Café", "cafe", "CAFÉ", "cafe\u0301"),
        ("Pop", "pop.", "pop...", "_pop", "pop-"),
        ("dr. dre", "Dr Dre"),
        ("24-7", "24 7", "24_7"),
        ("한국 음악", "한국-음악"),
    ],
)
def test_variants_of_one_spelling_share_a_key(spellings):
    assert len({key(spelling) for spelling in spellings}) == 1


@pytest.mark.parametrize(
    "tags",
    [
        ("c", "c++", "c#"),
        ("net", ".net"),
        ("nodejs", "node.js"),
        ("и", "й"),
        ("が", "か"),
        ("96-0", "960", "96.0"),
        ("web 2.0", "web 20"),
        ("rock", "rock!", "rock & roll", "rock/roll"),
        ("blue", "blues"),
    ],
)
def test_what_differs_by_more_than_spelling_has_another_key(tags):
    assert len({key(tag) for tag in tags}) == len(tags)


@pytest.mark.parametrize("text", ["-", " _ ", "'", "...", "–’"])
def test_separators_alone_have_no_key(text):
    assert key(text) == ""


@given(st.text())
def test_a_key_is_its_own_key(text):
    assert spelling_key(key(text)) == key(text)


@pytest.mark.parametrize(
    ("plural", "singular"), [("guitars", "guitar"), ("love songs", "love-song"), ("podcasts", "podcast")]
)
def test_regular_plurals_share_the_key_of_their_singular(plural, singular):
    assert plural_key(plural) == plural_key(singular)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("delta blues", "delta blue"),
        ("news", "new"),
        ("Good News", "good new"),
        ("windows", "window"),
        ("princess", "princes"),
        ("dogs", "dog"),
    ],
)
def test_words_that_are_no_plurals_or_too_short_keep_their_s(one, other):
    assert plural_key(normalise(one)) != plural_key(normalise(other))
