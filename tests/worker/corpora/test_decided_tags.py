"""Tags about whose concepts editors decided something stay in concepts of their own."""

from pathlib import Path

from snapshot.edits import Edit
from worker.corpora.declaration import Corpus


def test_labels_of_the_corpora_file_and_stored_decisions_about_concepts_count():
    stored = (Edit(kind="apart", tags=("Sea", "Land")), Edit(kind="ban", tag="noise"))
    corpus = Corpus(
        name="some", source="a.jsonl", path=Path("a.jsonl"), labels={"Wind": "Weather"}, stored_edits=stored
    )
    assert corpus.decided_forms == {"wind", "sea", "land"}
