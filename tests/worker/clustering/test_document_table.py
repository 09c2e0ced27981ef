"""The table of documents that a run publishes: the matrix both ways, ids, concepts and cards."""

import numpy as np
import pytest

from snapshot import NO_CONCEPT, Card
from snapshot.version.documents.cards import decode_card
from tests.clustered import NOON, documents
from tests.conftest import write_jsonl
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

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
    tagged, notes = load_documents(corpus, stages)
    return every, *cluster(corpus, tagged, NOON, stages, notes=notes)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return run(tmp_path_factory.mktemp("table"))


def test_it_holds_all_documents_and_all_tags(made):
    """Also those without a tag of the tree; banned tags are in no document."""
    every, snapshot, stored = made
    table = stored.table
    ids = [table.ids.get(position).decode() for position in range(len(table.ids))]
    assert ids == sorted(document["id"] for document in every)
    assert (snapshot.document_count, snapshot.tail_document_count) == (len(stored.ids), 1)
    counts = [*snapshot.counts.tolist(), *snapshot.tail.counts.tolist()]
    assert [table.index.count(tag) for tag in range(table.index.tag_count)] == counts
    keys = snapshot.keys + snapshot.tail.keys
    for document in every:
        position = table.ids.find(document["id"].encode())
        tags = {keys[tag] for tag in table.index.tags_of(position).tolist()}
        assert tags == {tag.casefold() for tag in document["tags"]} - {"secret"}
    assert decode_card(table.cards.get(table.ids.find(b"d7"))) == Card("Title of d7")


def test_rare_tags_are_placed_where_the_tags_beside_them_are(made):
    """Unicorn is in two documents; nobody else has what the document alone has, so nothing tells its concept."""
    _, snapshot, stored = made
    tail, table = snapshot.tail, stored.table
    assert tail.keys == ("nobody else", "unicorn")
    assert tail.counts.tolist() == [1, 2]
    homes = {snapshot.clusters[int(table.concepts[table.ids.find(name)])].id for name in (b"d3", b"d7")}
    assert tail.concepts[1] in homes
    assert tail.concepts[0] == NO_CONCEPT
    assert tail.placed == 1


def test_each_document_has_its_concept_and_its_cluster(made):
    every, snapshot, stored = made
    table = stored.table
    topics = {document["id"]: document.get("label") for document in every}
    concepts = {}
    for name in stored.ids:
        concepts.setdefault(topics[name], set()).add(int(table.concepts[table.ids.find(name.encode())]))
    assert sorted(map(tuple, concepts.values())) == [(0,), (1,), (2,), (3,)]
    alone = table.ids.find(b"alone")
    assert int(table.concepts[alone]) == len(snapshot.clusters), "it has none"
    assert tuple(np.bincount(table.concepts)[:4].tolist()) == snapshot.cluster_documents
    np.testing.assert_array_equal(np.delete(table.clusters, alone), stored.clusters)


def test_a_corpus_may_leave_its_documents_out(tmp_path):
    _, snapshot, stored = run(tmp_path, documents=False)
    assert stored.table is None
    assert sum(snapshot.cluster_documents) == len(stored.ids)


def test_the_table_of_a_sample_has_only_the_sample(tmp_path):
    _, snapshot, stored = run(tmp_path, sample=120, min_count=2)
    table = stored.table
    assert len(table.ids) == table.index.document_count == 120
    assert snapshot.document_count + snapshot.tail_document_count == 120
    first = table.ids.find(stored.ids[0].encode())
    assert table.cards.get(first) == Card(f"Title of {stored.ids[0]}").encode()
