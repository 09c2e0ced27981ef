"""Synonyms and banned tags."""

import pytest

from tests.worker.gathering import gather
from worker.sources.document import Document
from worker.vocabulary.rules import vocabulary


def test_synonyms_are_compared_in_normalised_form_and_followed_to_the_end_of_the_chain():
    words = vocabulary({"Automobile": "Car", "motor  CAR": "automobile"}, [])
    assert [words.keys({"bike": 1})[form] for form in ("automobile", "motor car", "car", "bike")] == [
        "car",
        "car",
        "car",
        "bike",
    ]


def test_what_counts_as_a_banned_tag_is_banned_too():
    words = vocabulary({"automobile": "car"}, [" CAR "])
    assert words.keys({})["automobile"] == words.keys({})["car"] == ""


@pytest.mark.parametrize(
    ("synonyms", "ban", "message"),
    [
        ({"a": "B", "b": "c", "C": "a"}, [], "goes round in a circle: 'a' = 'b' = 'c' = 'a'"),
        ({"Jazz": "jazz"}, [], "goes round in a circle: 'jazz' = 'jazz'"),
        ({"a": "b", "A": "c"}, [], "'A' is declared twice, as 'b' and as 'c'"),
        ({"a": " "}, [], "'a' = ' ' leaves one of them empty"),
        ({"a": "b"}, ["A"], "'a' is also a synonym of 'b'; it can be counted or left out, not both"),
    ],
)
def test_contradictions_are_refused(synonyms, ban, message):
    with pytest.raises(ValueError, match=message):
        vocabulary(synonyms, ban)


def test_synonyms_count_as_their_target_once_a_document_and_bans_are_left_out():
    documents = [Document("1", ("Auto", "auto", "Car", "spam")), Document("2", ("auto",)), Document("3", ("SPAM",))]
    corpus = gather(documents, vocabulary({"auto": "car"}, ["Spam"]))
    assert corpus.keys == ("car",)
    assert corpus.matrix.toarray().tolist() == [[1], [1], [0]]


def test_a_synonym_lends_no_spelling_however_common():
    documents = [Document(str(n), ("Auto",)) for n in range(5)] + [Document("x", ("CAR",))]
    assert gather(documents, vocabulary({"auto": "Car"}, [])).names == ("CAR",)
    assert gather(documents[:5], vocabulary({"auto": " Motor  Car"}, [])).names == ("Motor Car",)
