"""New tags wait until enough documents have them, or an editor admits them; the whole run, without mocks."""

import pytest

from snapshot.edits import Edit, EditState, conflicts
from tests.clustered import NOON
from tests.conftest import topic_documents, write_jsonl
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.continuity.inheritance import PreviousVersion
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.corpora.edits import with_edits

ADDED = (["rain", "snow", "stromy"], ["rain", "wind", "drizzel"], ["piano", "drum", "drizzel"], ["guitar", "paymnet"])


@pytest.fixture
def version(tmp_path):
    """Runs a corpus of the topics and some documents more; gives the snapshot, its documents' tags and its tags."""

    def run(documents, *, previous=None, edits=(), **keys):
        listed = [*topic_documents(), *({"id": f"new{n}", "tags": tags} for n, tags in enumerate(documents))]
        path = write_jsonl(tmp_path / "topics.jsonl", listed)
        corpus = Corpus(name="topics", source=path.name, path=path, **{"new_tags": "staged", "min_count": 3, **keys})
        corpus = with_edits(corpus, EditState(1, tuple(edits)))
        stages = Stages(lambda *_: None)
        tagged, notes = load_documents(corpus, stages)
        before = None if previous is None else PreviousVersion(*previous)
        return cluster(corpus, tagged, NOON, stages, previous=before, notes=notes)

    return run


def served(made):
    snapshot = made[0]
    return {*snapshot.names, *snapshot.tail.names}


def waiting(made):
    found = [each for each in made[0].proposals if each.kind == "staged"]
    return {each.other or each.tag: each for each in found}


def test_a_new_tag_waits_with_its_evidence_and_its_documents_are_served(version):
    made = version(ADDED)
    assert not {"stromy", "drizzel", "paymnet"} & served(made)
    assert made[0].document_count + made[0].tail_document_count == len(list(topic_documents())) + len(ADDED)
    found = waiting(made)
    assert set(found) == {"stromy", "drizzel", "paymnet"}
    assert (found["paymnet"].tag, found["paymnet"].other_count) == ("payment", 1)
    assert found["paymnet"].documents == ("new3",)
    assert (found["drizzel"].tag, found["drizzel"].other, found["drizzel"].count) == ("drizzel", "", 2)
    assert {"rain", "wind", "piano", "drum"} >= set(found["drizzel"].shared)
    assert found["drizzel"].shared


def test_every_tag_that_waits_has_choices_by_its_letters_and_its_company(version):
    found = waiting(version([*ADDED, ["rain", "snow", "xqx"], ["piana"], ["qqqq"]]))
    assert found["paymnet"].choices[0] == "payment"
    assert found["drizzel"].choices
    assert found["piana"].choices == ("piano",)
    assert found["piana"].other == ""
    assert found["qqqq"].choices == ()
    weather = {"rain", "snow", "wind", "sun", "storm", "cloud", "temperature", "forecast"}
    assert {"rain", "snow"}.isdisjoint(found["xqx"].choices)
    assert found["xqx"].choices[0] in weather, found["xqx"].choices


def test_enough_documents_admit_a_tag_and_it_does_not_wait_again(version):
    third = version([*ADDED, ["wind", "drizzel"]])
    assert "drizzel" in served(third)
    assert "drizzel" not in waiting(third)
    again = version(ADDED, previous=third)
    assert "drizzel" in served(again)
    assert {"stromy", "paymnet"} == set(waiting(again))


def test_an_editor_admits_bans_or_replaces_a_tag(version):
    edits = (
        Edit("admit", tag="Drizzel", at="2026-11-18T09:00:00Z"),
        Edit("ban", tag="stromy", at="2026-11-18T09:00:01Z"),
        Edit("synonym", tag="paymnet", to="payment", at="2026-11-18T09:00:02Z"),
    )
    made = version(ADDED, edits=edits)
    assert "drizzel" in served(made)
    assert not {"stromy", "paymnet"} & served(made)
    assert waiting(made) == {}
    assert {each.name for each in made[0].aliases} >= {"paymnet"}
    assert "drizzel" in served(version(ADDED, admit=["drizzel"]))


def test_an_open_corpus_serves_every_tag(version):
    assert {"stromy", "drizzel", "paymnet"} <= served(version(ADDED, new_tags="open"))


def test_a_tag_cannot_be_admitted_and_banned():
    (conflict,) = conflicts((Edit("admit", tag="drizzel"), Edit("ban", tag="Drizzel")))
    assert "not both" in conflict.detail
