"""Tags about whose concepts editors decided something stay in concepts of their own."""

from pathlib import Path

import pytest

from snapshot import SnapshotStore
from snapshot.edits import Edit
from snapshot.store.edits import EditStore
from tests.conftest import TOPICS, topic_documents, write_jsonl
from tests.corpora import read_corpora
from worker.corpora.declaration import Corpus
from worker.runs.job import run

HERMIT = "hermit"
"""A tag that always stands alone: the cut leaves it a branch to itself."""


def test_labels_of_the_corpora_file_and_stored_decisions_about_concepts_count():
    stored = (Edit(kind="apart", tags=("Sea", "Land")), Edit(kind="ban", tag="noise"))
    corpus = Corpus(
        name="some", source="a.jsonl", path=Path("a.jsonl"), labels={"Wind": "Weather"}, stored_edits=stored
    )
    assert corpus.decided_forms == {"wind", "sea", "land"}


@pytest.fixture
def concept_of_hermit(redis, corpora_file):
    """The other tags of the hermit's concept after a run that finds these edits in the store."""

    def after(*edits):
        alone = [{"id": f"alone{number}", "tags": [HERMIT]} for number in range(20)]
        write_jsonl(corpora_file.parent / "topics.jsonl.gz", [*topic_documents(), *alone])
        if edits:
            EditStore(redis).change("topics", 0, add=edits)
        outcome = run(read_corpora(corpora_file)["topics"], redis, "job-1")
        snapshot = SnapshotStore(redis).load("topics", outcome["version"])
        tag = snapshot.keys.index(HERMIT)
        ids = snapshot.partition.item_ids
        others = {snapshot.names[each] for each in (ids == ids[tag]).nonzero()[0] if each != tag}
        return others, bool(snapshot.moved_by_refinement[tag])

    return after


def test_a_concept_of_one_tag_joins_a_concept_of_several(concept_of_hermit):
    others, moved = concept_of_hermit()
    assert len(others) > 1
    assert any(others <= set(tags) for tags in TOPICS.values()), "one topic"
    assert moved


@pytest.mark.parametrize(
    "edit",
    [Edit(kind="label", tag=HERMIT, label="Hermits"), Edit(kind="apart", tags=(HERMIT, "wind"))],
    ids=["label", "apart"],
)
def test_a_stored_decision_about_the_tag_keeps_its_concept(concept_of_hermit, edit):
    assert concept_of_hermit(edit) == (set(), False)


def test_a_stored_decision_that_is_not_about_its_concept_keeps_nothing(concept_of_hermit):
    elsewhere = Edit(kind="label", tag="rain", label="Rain")
    said = Edit(kind="describe", tag=HERMIT, text="Stands alone.")
    others, moved = concept_of_hermit(elsewhere, said)
    assert others
    assert moved
