"""What texts say about tags that replace each other; the whole run, with titles and texts."""

from datetime import UTC, datetime

import pytest

from tests.conftest import topic_documents, write_jsonl
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
SPLIT = {"piano": "keyboard", "bread": "rye"}
"""Tags of which every second document has another one: one name is as good as the other, and two things."""


def text_of(tags):
    """The name of each tag, and a word: the same for both names, another for the two things, none beside others."""
    said = {"piano": "pedals", "keyboard": "pedals", "bread": "butter", "rye": "caraway"}
    return " ".join(["today", *tags, *(said[tag] for tag in tags if tag in said)])


def documents():
    seen = dict.fromkeys(SPLIT, 0)
    for document in topic_documents(800):
        tags = []
        for tag in document["tags"]:
            if tag in SPLIT:
                seen[tag] += 1
                tag = SPLIT[tag] if seen[tag] % 2 else tag  # noqa: PLW2901 - the other name
            tags.append(tag)
        yield {"id": document["id"], "tags": tags, "text": text_of(tags)}


@pytest.fixture(scope="module")
def substitutes(tmp_path_factory):
    """Runs the documents, with or without a text; gives the substitutes by their tags, in their order."""

    def run(*, text):
        path = write_jsonl(
            tmp_path_factory.mktemp("texts") / "topics.jsonl",
            (each if text else {"id": each["id"], "tags": each["tags"]} for each in documents()),
        )
        stages = Stages(lambda *_: None)
        tagged, notes = load_documents(corpus := Corpus(name="topics", source=path.name, path=path), stages)
        found = cluster(corpus, tagged, NOON, stages, notes=notes)[0].proposals
        return {frozenset((each.tag, each.other)): each for each in found if each.kind == "substitute"}

    return run


def test_texts_tell_two_names_from_two_things(substitutes):
    """The names themselves do not count: the text of every document has them."""
    found = substitutes(text=True)
    names, things = found[frozenset(("piano", "keyboard"))], found[frozenset(("bread", "rye"))]
    assert names.text_similarity > 0.8
    assert things.text_similarity < 0.6
    assert names.words[0] == "pedals"
    assert not {"piano", "keyboard"} & set(names.words)
    assert next(iter(found.values())) == names


def test_without_texts_there_is_no_such_evidence(substitutes):
    found = substitutes(text=False)
    assert {frozenset(("piano", "keyboard")), frozenset(("bread", "rye"))} <= set(found)
    assert {(each.text_similarity, each.words) for each in found.values()} == {(None, ())}
