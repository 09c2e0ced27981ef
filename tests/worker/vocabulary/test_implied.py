"""Implied tags: who tags hound means dog, too."""

import numpy as np
import pytest
from pydantic import ValidationError

from snapshot.edits import Edit, EditState
from tests.worker.gathering import gather
from worker.corpora.declaration import Corpus
from worker.corpora.edits import with_edits
from worker.sources.document import Document
from worker.vocabulary.rules import vocabulary

DOCUMENTS = [Document("1", ("Hound", "x")), Document("2", ("dog",)), Document("3", ("cat", "hound"))]


def counts(corpus):
    return dict(zip(corpus.names, np.asarray(corpus.matrix.sum(axis=0)).ravel().astype(int).tolist(), strict=True))


def test_a_document_counts_as_having_what_its_tags_imply_also_by_way_of_others():
    corpus = gather(DOCUMENTS, words=vocabulary({}, (), implied=[("hound", "dog"), ("dog", "Animal")]))
    assert counts(corpus) == {"Animal": 3, "cat": 1, "dog": 3, "Hound": 2, "x": 1}


def test_an_implication_that_is_taken_back_leaves_no_trace():
    plain = gather(DOCUMENTS)
    implied = gather(DOCUMENTS, words=vocabulary({}, (), implied=[("hound", "dog")]))
    assert implied.fingerprint != plain.fingerprint
    assert gather(DOCUMENTS, words=vocabulary({}, ())).fingerprint == plain.fingerprint


def test_implications_follow_synonyms_and_stop_at_bans():
    words = vocabulary({"hound": "dog"}, ["pet"], implied=[("hound", "animal"), ("dog", "pet"), ("cat", "x")])
    assert counts(gather(DOCUMENTS, words=words)) == {"animal": 3, "cat": 1, "dog": 3, "x": 2}


def test_nested_tags_count_for_their_parents_if_the_corpus_says_so():
    documents = [Document("1", ("animals/pets/cat",)), Document("2", ("animals",))]
    assert counts(gather(documents, words=vocabulary({}, ()))) == {"animals": 1, "animals/pets/cat": 1}
    nested = vocabulary({}, (), counted_path="/")
    assert counts(gather(documents, words=nested)) == {"animals": 2, "animals/pets": 1, "animals/pets/cat": 1}


def declared(**keys):
    return Corpus(name="a", source="a.jsonl", **keys)


def test_the_corpora_file_declares_relations():
    corpus = declared(
        broader={"cat": ["animal", "pet"], "dog": "animal"},
        implies={"hound": "dog"},
        descriptions={"cat": "Meows."},
        translations={"cat": {"de": "Katze"}},
    )
    said = {(edit.kind, *edit.names, edit.text, edit.language, edit.label) for edit in corpus.edits}
    assert said == {
        ("broader", "cat", "animal", "", "", ""),
        ("broader", "cat", "pet", "", "", ""),
        ("broader", "dog", "animal", "", "", ""),
        ("implies", "hound", "dog", "", "", ""),
        ("describe", "cat", "Meows.", "", ""),
        ("translate", "cat", "", "de", "Katze"),
    }
    with pytest.raises(ValidationError, match="round in a circle"):
        declared(broader={"a": "b", "b": "a"})
    with pytest.raises(ValidationError, match="what separates"):
        declared(nested_counts=True)


def test_a_run_knows_the_implications_of_the_file_and_of_editors():
    """Each changes what decides about a run; descriptions do not."""
    corpus = declared(implies={"hound": "dog"})
    edited = with_edits(corpus, EditState(1, (Edit("implies", "cat", "pet"),), corpus.edits))
    assert edited.implications == [("hound", "dog"), ("cat", "pet")]
    assert edited.parameters()["implies"] == [["hound", "dog"], ["cat", "pet"]]
    assert edited.digest() != corpus.digest()
    assert declared(descriptions={"cat": "Meows."}).digest() == declared().digest()
