"""The judged folds, and the measurement of folding."""

import pytest

from bench.worker.folding import measuring
from bench.worker.folding.judged import JUDGED, judgements, table
from bench.worker.folding.measuring import measure
from snapshot import normalise, spelling_key
from tests.conftest import topic_documents
from worker.sources.document import Document


def test_two_hundred_folds_of_each_corpus_were_judged_and_are_folds_by_the_rule_of_now():
    for corpus in JUDGED:
        judged = [each for each in judgements() if each.corpus == corpus]
        assert len(judged) == len({each.alias for each in judged}) == 200
        for each in judged:
            assert spelling_key(normalise(each.alias)) == spelling_key(each.tag) != ""
            assert each.right == (each.reason == "")


def test_at_least_ninety_eight_of_a_hundred_judged_folds_are_right():
    for line in table()[2:]:
        assert float(line.split("|")[3].strip(" %")) >= 98


def spelled(document):
    """Every other document of each topic writes its tags with a hyphen in the middle."""
    tags = (
        document["tags"] if int(document["id"][1:]) // 4 % 2 else [f"{tag[:3]}-{tag[3:]}" for tag in document["tags"]]
    )
    return Document(document["id"], tuple(tags))


def test_both_sides_are_judged_on_the_folded_tags_that_both_have(monkeypatch):
    documents = [spelled(each) for each in topic_documents(400)]
    monkeypatch.setattr(measuring, "_split", lambda *_: (documents[:320], documents[320:]))
    monkeypatch.setattr(measuring, "KS", (2, 4))
    figures = measure("topics", 0, 400)
    assert figures["tags"] == [64, 32]
    assert figures["common"] == figures["folds"] == 32
    assert figures["4"]["gain"] == [None, None]
    before, after = figures["4"]["bits"]
    assert after > before
    with pytest.raises(KeyError):
        figures["15"]
