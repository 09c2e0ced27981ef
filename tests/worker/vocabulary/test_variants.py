"""Variants of a tag: which are folded, under which name, and what a snapshot knows of them."""

import logging
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshot import Alias
from tests.conftest import topic_documents, write_jsonl
from tests.worker.gathering import gather
from worker.clustering import fit as fitting
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.concepts import with_lasting_ids
from worker.clustering.continuity.inheritance import PreviousVersion, inheritance
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.sources.document import Document
from worker.vocabulary.aliases import former_keys, served_aliases, with_known_keys
from worker.vocabulary.rules import vocabulary


def documents(*tags):
    """One document for each list of tags."""
    return [Document(str(number), tuple(each)) for number, each in enumerate(tags)]


def folded(found, variants="spelling", distinct=(), synonyms=None, ban=()):
    return gather(found, vocabulary(synonyms or {}, ban, variants, distinct))


HIP_HOP = documents(["hip-hop"], ["Hip Hop"], ["hip hop", "hip-hop"], ["HipHop", "jazz"], ["hip hop"])


def test_the_commonest_spelling_names_the_tag_and_a_document_with_several_counts_once():
    corpus = folded(HIP_HOP)
    assert (corpus.keys, corpus.names) == (("hip hop", "jazz"), ("hip hop", "jazz"))
    assert corpus.matrix.toarray().sum(axis=0).tolist() == [5, 1]
    assert corpus.aliases == (
        Alias("hip-hop", "hip hop", "spelling", 2),
        Alias("HipHop", "hip hop", "spelling", 1),
    )


@pytest.mark.parametrize("variants", ["off", "propose"])
def test_nothing_is_folded_unless_wanted(variants):
    corpus = folded(HIP_HOP, variants)
    assert corpus.keys == ("hip hop", "hip-hop", "hiphop", "jazz")
    assert corpus.aliases == ()


def test_plurals_are_folded_only_if_wanted_and_regular():
    found = documents(["song", "blue", "news"], ["songs", "blues", "new"], ["Songs"])
    assert folded(found).keys == ("blue", "blues", "new", "news", "song", "songs")
    plural = folded(found, "plurals")
    assert plural.keys == ("blue", "blues", "new", "news", "songs")
    assert plural.aliases == (Alias("song", "songs", "plural", 1),)


def test_tags_declared_distinct_stay_apart_and_other_variants_join_the_commoner():
    corpus = folded(HIP_HOP, distinct=[["Hip Hop", "hip-hop"]])
    assert corpus.keys == ("hip hop", "hip-hop", "jazz")
    assert corpus.aliases == (Alias("HipHop", "hip hop", "spelling", 1),)
    found = documents(["windowing"], ["windowings"], ["windowings"], ["window-ing"], ["window-ing"], ["window-ing"])
    apart = folded(found, "plurals", [["windowing", "windowings"]])
    assert {alias.name: alias.tag for alias in apart.aliases} == {"windowing": "window-ing"}
    assert apart.keys == ("window-ing", "windowings")


def test_forms_that_have_no_letters_are_folded_with_none():
    assert folded(documents(["-", "_", "rock"])).keys == ("-", "_", "rock")


def test_a_variant_of_a_synonym_is_one_too_and_the_tag_of_a_synonym_leads_its_variants():
    found = documents(["auto-mobile"], ["automobile"], ["CAR"], ["c-a-r"], ["c-a-r"])
    corpus = folded(found, synonyms={"automobile": "car"})
    assert (corpus.keys, corpus.names) == (("car",), ("CAR",))
    assert {alias.name: alias.how for alias in corpus.aliases} == {
        "auto-mobile": "synonym",
        "automobile": "synonym",
        "c-a-r": "spelling",
    }
    assert folded(HIP_HOP, synonyms={"hip hop": "hiphop"}).names == ("HipHop", "jazz")


def test_a_synonym_that_no_document_has_is_an_alias_all_the_same():
    corpus = folded(documents(["car"]), synonyms={"Automobile": "car"})
    assert corpus.aliases == (Alias("Automobile", "car", "synonym", 0),)


def test_a_ban_holds_for_all_variants():
    corpus = folded(HIP_HOP, ban=["hip_hop"])
    assert corpus.keys == ("jazz",)
    assert corpus.aliases == ()


def test_equal_counts_are_decided_by_the_alphabet_so_that_the_order_of_documents_does_not_matter():
    found = documents(["b-b"], ["b b"], ["bb"])
    assert folded(found).keys == folded(found[::-1]).keys == ("b b",)


@given(
    st.lists(st.lists(st.sampled_from(["a b", "a-b", "AB", "ab", "abs", "x", "é", "E", "_", "c++", "c"]), max_size=5)),
    st.sampled_from(["spelling", "plurals", "off"]),
)
def test_every_document_has_the_tags_that_its_names_stand_for(lists, variants):
    found = documents(*lists)
    corpus = folded(found, variants, [["ab", "a-b"]])
    alias_of = {alias.name.casefold(): alias.tag for alias in corpus.aliases}
    assert not alias_of.keys() & set(corpus.keys)
    assert set(alias_of.values()) <= set(corpus.keys)
    rows = dict(zip(corpus.ids, corpus.matrix.toarray(), strict=True))
    for document in found:
        tags = {corpus.keys[column] for column in np.flatnonzero(rows[document.id])}
        assert tags == {alias_of.get(tag.casefold(), tag.casefold()) for tag in document.tags}


@pytest.mark.parametrize(
    ("distinct", "synonyms", "message"),
    [
        ([["blue"]], {}, "does not have two or more different tags"),
        ([["blue", "Blue "]], {}, "does not have two or more different tags"),
        ([["blue", "blues"]], {"blues": "blue"}, "'blue' and 'blues' are also declared as synonyms"),
        ([["a", "b"]], {"a": "c", "b": "c"}, "'a' and 'b' are also declared as synonyms"),
    ],
)
def test_what_keeps_nothing_apart_is_refused(distinct, synonyms, message):
    with pytest.raises(ValueError, match=message):
        vocabulary(synonyms, (), "spelling", distinct)


def test_a_snapshot_stores_the_aliases_of_its_tags_and_the_synonyms_of_rare_ones():
    aliases = (
        Alias("hiphop", "hip hop", "spelling", 1),
        Alias("rare-one", "rare one", "spelling", 1),
        Alias("auto", "car", "synonym", 1),
    )
    assert served_aliases(aliases, ["hip hop"]) == (aliases[0], aliases[2])


def test_a_tag_is_the_same_when_another_spelling_has_become_the_commonest():
    aliases = (Alias("hip-hop", "hip hop", "spelling", 3), Alias("hiphop", "hip hop", "spelling", 5))
    keys = ("hip hop", "jazz", "new")
    assert former_keys(keys, aliases, ["hip-hop", "jazz"]) == ("hip-hop", "jazz", "new")
    assert former_keys(keys, aliases, ["hip-hop", "hiphop", "jazz"]) == ("hiphop", "jazz", "new")
    assert former_keys(keys, aliases, ["hip hop", "hiphop", "jazz"]) == keys


def test_labels_may_name_a_tag_by_an_alias():
    aliases = (Alias("Hip_Hop", "hip hop", "spelling", 3),)
    assert with_known_keys({"hip_hop": "Rap", "jazz": "Jazz"}, aliases) == {"hip hop": "Rap", "jazz": "Jazz"}


def spelled(document, old, new, *, every):
    """The document, with another spelling of one tag if its number is a multiple of `every`."""
    if int(document["id"][1:]) % every:
        return document
    return {**document, "tags": [new if tag == old else tag for tag in document["tags"]]}


def clustered(folder, found, previous=None, **declared):
    path = write_jsonl(folder / "topics.jsonl", found)
    corpus = Corpus(name="topics", source=path.name, path=path, **declared)
    stages = Stages(lambda *_: None)
    tagged, notes = load_documents(corpus, stages)
    now = datetime(2026, 11, 16, 13 if previous else 12, tzinfo=UTC)
    return PreviousVersion(*cluster(corpus, tagged, now, stages, previous=previous, notes=notes))


def test_a_run_inherits_under_the_spelling_that_was_the_commonest_before(tmp_path, monkeypatch):
    known = []
    monkeypatch.setattr(fitting, "inheritance", lambda *given: known.append(given[2]) or inheritance(*given))
    monkeypatch.setattr(fitting, "with_lasting_ids", lambda *given: known.append(given[1]) or with_lasting_ids(*given))
    before = clustered(tmp_path, [spelled(each, "credit card", "credit-card", every=12) for each in topic_documents()])
    assert "credit card" in before.snapshot.keys
    assert [(alias.name, alias.tag) for alias in before.snapshot.aliases] == [("credit-card", "credit card")]
    known.clear()
    hyphens = [spelled(each, "credit card", "credit-card", every=1) for each in topic_documents()]
    found = [spelled(each, "credit-card", "credit card", every=12) for each in hyphens]
    after = clustered(tmp_path, found, before)
    assert "credit-card" in after.snapshot.keys
    assert len(known) == 2
    assert all("credit card" in keys and "credit-card" not in keys for keys in known)


def test_a_run_warns_of_a_synonym_that_is_spelled_like_another_tag_in_use(tmp_path, caplog):
    with caplog.at_level(logging.WARNING, "worker.clustering.cluster"):
        clustered(tmp_path, topic_documents(), synonyms={"credit-card": "cash"}, variants="off")
    expected = "the synonym 'credit-card' of 'cash' is spelled like the tag 'credit card', which wins in questions"
    assert [record.getMessage() for record in caplog.records] == [f"topics: {expected}"]
