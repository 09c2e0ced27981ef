"""The table of documents that a run publishes: the matrix both ways, ids, concepts, cards and left-out tags."""

import numpy as np
import pytest

from snapshot import Card
from snapshot.cards import decode_card
from tests.clustered import NOON, documents
from tests.conftest import write_jsonl
from worker.clustering import cluster, load
from worker.corpora import Corpus
from worker.stages import Stages

RARE = {"d7": ["Unicorn", "secret"], "d3": ["unicorn", "payment"]}
"""More tags of two documents: one of two spellings that too few documents have, and one that is banned."""


def run(folder, **declared):
    every = [
        {**document, "tags": [*document["tags"], *RARE.get(document["id"], [])], "title": f"Title of {document['id']}"}
        for document in documents()
    ]
    every.append({"id": "alone", "tags": ["nobody else"]})
    path = write_jsonl(folder / "d.jsonl", every)
    declared = {"ban": ["secret"], **declared}
    corpus = Corpus(name="small", source=path.name, path=path, **declared)
    stages = Stages(lambda *_: None)
    tagged, notes = load(corpus, stages)
    return every, *cluster(corpus, tagged, NOON, stages, notes=notes)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return run(tmp_path_factory.mktemp("table"))


def test_it_holds_the_documents_and_tags_of_the_matrix(made):
    every, snapshot, stored = made
    table, ids = stored.table, stored.ids
    assert [table.ids.get(position).decode() for position in range(len(ids))] == list(ids)
    assert table.ids.find(b"alone") is None
    assert [table.index.count(tag) for tag in range(len(snapshot.names))] == snapshot.counts.tolist()
    known = set(snapshot.keys)
    for document in every[:-1]:
        position = table.ids.find(document["id"].encode())
        tags = {snapshot.keys[tag] for tag in table.index.tags_of(position).tolist()}
        assert tags == {tag.casefold() for tag in document["tags"]} & known
        assert decode_card(table.cards.get(position)) == Card(f"Title of {document['id']}")


def test_tags_that_were_left_out_are_kept_for_the_cards_but_banned_ones_are_not(made):
    _, _, stored = made
    table = stored.table
    having = [stored.ids[position] for position in table.left_out_documents.tolist()]
    assert having == ["d3", "d7"]
    names = [table.left_out_names.get(place).decode() for place in table.left_out.tolist()]
    assert len(names) == 2
    assert {name.casefold() for name in names} == {"unicorn"}
    assert len(table.left_out_names) == 1
    assert table.left_out_starts.tolist() == [0, 1, 2]


def test_each_document_has_its_concept_and_its_cluster(made):
    every, snapshot, stored = made
    table = stored.table
    topics = {document["id"]: document.get("label") for document in every}
    concepts = {}
    for position, name in enumerate(stored.ids):
        concepts.setdefault(topics[name], set()).add(int(table.concepts[position]))
    assert sorted(map(tuple, concepts.values())) == [(0,), (1,), (2,), (3,)]
    assert tuple(np.bincount(table.concepts).tolist()) == snapshot.cluster_documents
    np.testing.assert_array_equal(table.clusters, stored.clusters)


def test_a_corpus_may_leave_its_documents_out(tmp_path):
    _, snapshot, stored = run(tmp_path, documents=False)
    assert stored.table is None
    assert sum(snapshot.cluster_documents) == len(stored.ids)


def test_the_table_of_a_sample_has_only_the_sample(tmp_path):
    _, snapshot, stored = run(tmp_path, sample=120, min_count=2)
    table = stored.table
    assert len(table.ids) == table.index.document_count == snapshot.document_count < 121
    assert table.cards.get(0) == Card(f"Title of {stored.ids[0]}").encode()
