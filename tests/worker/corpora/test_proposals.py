"""What a run proposes to editors: every kind finds what was planted, with its evidence, and no decided pair."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.sparse import csr_array

from cocluster import incidence
from cocluster.tags.relations import head_words, implications
from snapshot import PROPOSAL_KINDS
from tests.conftest import topic_documents
from tests.worker.gathering import gather
from worker import proposals as module
from worker.proposals import propose
from worker.proposals.company import company_of
from worker.proposals.pairs import EXPECTED, NEVER, SUBSTITUTE, substitutes
from worker.proposals.relations import nested_names
from worker.proposals.spelling import spelled_alike
from worker.sources.document import Document
from worker.vocabulary.breadth import breadth
from worker.vocabulary.folding import Folding
from worker.vocabulary.rules import vocabulary

TOPICS = ("money", "weather", "music", "food")
RARE = 3


def planted(count=800):
    """Topics in which one tag of each has another name of its own sort, and one tag that is everywhere."""
    seen = dict.fromkeys(("recipe", "forecast", "temperature", "piano"), 0)
    for number, document in enumerate(topic_documents(count)):
        tags = []
        for tag in document["tags"]:
            if tag in seen:
                seen[tag] += 1
            tags.append(other_name(tag, seen.get(tag, 0)))
        if "wallet" in tags:
            tags.append("purse")
        if number % 3 == 0:
            tags.append("todo")
        yield Document(document["id"], tuple(tags))


def other_name(tag, time):
    match tag:
        case "recipe" if time % 2:
            return "recipes"
        case "forecast" if time % 3 == 0:
            return "forcast"
        case "temperature" if time <= RARE:
            return "temprature"
        case "piano" if time % 2:
            return "keyboard"
    return tag


@cache
def proposed(variants="spelling", *distinct):
    tagged = gather(planted(), vocabulary({}, (), variants, distinct))
    filtered = incidence(tagged.matrix, 5)
    topics = np.array([int(tagged.ids[row][1:]) % len(TOPICS) for row in filtered.rows], dtype=np.int32)
    folding = vocabulary({}, (), variants, distinct).folding
    return tagged, propose(tagged, filtered, breadth(filtered.matrix, topics), folding)


def pairs(kind, *declared):
    return {(each.tag, each.other) for each in proposed(*declared)[1] if each.kind == kind}


def proposal(kind, tag, other):
    (found,) = [each for each in proposed()[1] if (each.kind, {each.tag, each.other}) == (kind, {tag, other})]
    return found


def documents_with(*tags):
    return {document.id for document in planted() if set(tags) <= set(document.tags)}


def test_each_kind_finds_what_was_planted_and_nothing_else():
    assert {frozenset(pair) for pair in pairs("variant")} == {
        frozenset(("recipe", "recipes")),
        frozenset(("forecast", "forcast")),
    }
    assert {frozenset(pair) for pair in pairs("co-occurring")} == {frozenset(("wallet", "purse"))}
    assert {frozenset(pair) for pair in pairs("substitute")} == {frozenset(("piano", "keyboard"))}
    assert pairs("rare") == {("temperature", "temprature")}
    assert pairs("broad") == {("todo", "")}


@pytest.mark.parametrize(
    ("kind", "tag", "other"),
    [
        ("variant", "forecast", "forcast"),
        ("co-occurring", "wallet", "purse"),
        ("substitute", "piano", "keyboard"),
        ("rare", "temperature", "temprature"),
    ],
)
def test_the_evidence_is_that_of_the_documents(kind, tag, other):
    found = proposal(kind, tag, other)
    assert (found.count, found.other_count) == (len(documents_with(found.tag)), len(documents_with(found.other)))
    assert found.count >= found.other_count
    assert found.together == len(documents_with(tag, other))
    assert 0.05 < found.similarity <= 1.0
    assert found.shared
    assert not {tag, other} & set(found.shared)
    one, second = found.documents
    assert one in documents_with(found.tag)
    assert second in documents_with(found.other)
    if kind == "co-occurring":
        assert {one, second} <= documents_with(tag, other)


def test_a_broad_tag_has_its_breadth_and_two_documents():
    found = proposal("broad", "todo", "")
    assert found.count == len(documents_with("todo"))
    assert found.similarity > 0.9
    assert set(found.documents) <= documents_with("todo")
    assert len(found.documents) == 2


def test_a_pair_that_an_editor_keeps_apart_is_not_proposed_under_any_kind():
    decided = ("spelling", ("recipe", "Recipes"), ("keyboard", "piano"), ("temprature", "temperature"))
    everything = {frozenset(pair) for kind in PROPOSAL_KINDS for pair in pairs(kind, *decided)}
    assert everything == {
        frozenset(("forecast", "forcast")),
        frozenset(("wallet", "purse")),
        frozenset(("todo", "")),
    }


def test_without_variants_no_spellings_are_compared():
    assert not pairs("variant", "off")
    assert not pairs("rare", "off")
    assert pairs("co-occurring", "off") == pairs("co-occurring")


def test_spellings_that_are_not_folded_are_proposed():
    def spelled(document):
        tags = (tag.replace("credit card", "credit-card") if int(document.id[1:]) % 8 else tag for tag in document.tags)
        return replace(document, tags=tuple(tags))

    folding = Folding("propose")
    tagged = gather(map(spelled, planted()), vocabulary({}, (), "propose"))
    filtered = incidence(tagged.matrix, 5)
    found = propose(tagged, filtered, np.zeros(len(filtered.columns), dtype=np.float32), folding)
    assert ("variant", "credit-card", "credit card") in {(each.kind, each.tag, each.other) for each in found}


def test_a_kind_has_no_more_proposals_than_the_limit(monkeypatch):
    monkeypatch.setattr(module, "MOST", 1)
    proposed.cache_clear()
    assert len(pairs("variant")) == 1
    assert len(pairs("rare")) == 1
    proposed.cache_clear()


ALIKE = [
    ("guilty pleasure", "guilty pleasures"),
    ("category", "categories"),
    ("box", "boxes"),
    ("rock progressive", "progressive rock"),
    ("pop rock", "pop/rock"),
    ("münchen", "muenchen"),
    ("r&b", "rb"),
    ("virgin islands (u.s.)", "virgin islands us"),
    ("hip hop", "hip-hop"),
    ("café", "cafe"),
    ("favourite", "favorite"),
    ("organise", "organize"),
    ("calendar", "calender"),
    ("techincal metal", "technical metal"),
]
DIFFERENT = [
    ("c", "c++"),
    ("c#", "c"),
    ("rock", "rack"),
    ("punk rock", "funk rock"),
    ("new wave", "new rave"),
    ("africa", "african"),
    ("minimalism", "minimalist"),
    ("1980", "1980s"),
    ("web 2.0", "web 3.0"),
    ("94-0", "940"),
    ("jazz1", "jazz2"),
    ("news", "new"),
    ("blues", "blue"),
    ("class", "clas"),
    ("+", "#"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_is_one_word_is_spelled_alike(one, other):
    found = {(pair.known, pair.other) for pair in spelled_alike([one], [other])}
    assert found == {(0, 0)}


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_is_two_words_is_not(one, other):
    assert list(spelled_alike([one], [other])) == []
    assert list(spelled_alike([other], [one])) == []


def test_the_company_of_tags_that_replace_each_other_is_the_same():
    """Two names of one tag in turn: the cosine is near 1, and each of them is left out of the other's company."""
    tagged, _ = proposed()
    filtered = incidence(tagged.matrix, 5)
    place = {tagged.keys[column]: place for place, column in enumerate(filtered.columns)}
    company = company_of(filtered.matrix, filtered.matrix)
    one, other, far = (np.array([place[tag]]) for tag in ("wallet", "purse", "rain"))
    assert company.similarity(one, other)[0] > 0.95
    assert company.similarity(one, far)[0] < 0.2
    assert place["wallet"] not in company.shared(place["wallet"], place["purse"])


def test_a_phrase_may_be_a_kind_of_its_last_words():
    """The longest end that is a tag and not rarer; hyphens and spaces are one; those first that change most."""
    forms = ["oil", "olive oil", "virgin olive oil", "sesame-oil", "water", "oil water", "boil", "boil and oil"]
    counts = [50, 20, 9, 12, 5, 30, 40, 30]
    M = np.array([[number < count for count in counts] for number in range(100)], dtype=float)
    M[[*range(50, 62)], [3] * 12] = 1.0  # twelve documents with sesame oil and no oil
    found = [(forms[tag], forms[other]) for tag, other in head_words(forms, csr_array(M))]
    assert found == [("oil", "sesame-oil"), ("oil", "olive oil"), ("olive oil", "virgin olive oil")]


def test_a_tag_that_nearly_always_comes_with_a_commoner_one_of_its_concept_may_imply_it():
    """The rarest of several counts. Another concept, a rare tag, or a pair about which nothing would change do not."""
    forms = ["all", "animal", "dog", "far", "few", "always"]
    rows = [{"all", "animal"}] * 60 + [{"all", "far"}] * 60
    rows += [{"all", "animal", "dog", "far"}] * 10 + [{"all", "dog", "far"}] * 2 + [{"all"}] * 100
    rows += [{"animal", "few"}] * 5 + [{"few"}] + [{"all", "animal", "always"}] * 9
    M = csr_array(np.array([[form in row for form in forms] for row in rows], dtype=float))
    concepts = np.array([0, 0, 0, 1, 0, 0])
    found = [(forms[tag], forms[other]) for tag, other in implications(M, concepts)]
    assert found == [("animal", "dog")]


def test_paths_are_kinds_of_their_parents_if_they_have_siblings():
    forms = ["animals", "animals/cat", "animals/dog", "animals/dog/puppy", "client", "client/server", "a::b", "a"]
    counts = np.array([9, 5, 8, 2, 9, 3, 1, 1])
    named = [(forms[tag], forms[other]) for tag, other in nested_names(forms, counts, None)]
    assert named == [("animals", "animals/dog"), ("animals", "animals/cat"), ("animals/dog", "animals/dog/puppy")][:2]
    assert nested_names(forms, counts, "/") == []


def test_substitutes_are_those_that_comparing_all_pairs_finds():
    """A sparse product finds what a dense matrix of all pairs does, whatever is left out early."""
    random = np.random.default_rng(3)
    topic = random.integers(0, 6, 600)
    M = (random.random((600, 48)) < np.where(np.arange(48) % 6 == topic[:, None], 0.5, 0.05)).astype(np.float64)
    M[:, 6] *= 1.0 - M[:, 0]  # two of a topic that are never together
    M[:, 13] *= 1.0 - M[:, 1]
    M = csr_array(M)
    company, counts = company_of(M, M), M.sum(axis=0)
    alike = (company.normalised @ csr_array(company.normalised.T)).toarray()
    alike[(M.T @ M).toarray() > NEVER * np.minimum.outer(counts, counts)] = 0.0
    alike[np.multiply.outer(counts, counts) < EXPECTED * M.shape[0]] = 0.0
    partner, ranked = alike.argmax(axis=1), np.sort(alike, axis=1)
    expected = {
        frozenset((tag, int(partner[tag])))
        for tag in range(48)
        if partner[partner[tag]] == tag and ranked[tag, -1] >= SUBSTITUTE
        if max(ranked[tag, -2], ranked[partner[tag], -2]) <= 0.9 * ranked[tag, -1]
    }
    assert {frozenset(pair) for pair, _ in substitutes(M, company)} == expected
    assert {frozenset((0, 6)), frozenset((1, 13))} <= expected
