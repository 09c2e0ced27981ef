"""The documents behind a query, one document, those like it, and how many each tag leaves."""

from functools import cache
from urllib.parse import quote

import pytest

from service.app import create_app
from service.document_files import DocumentFiles
from service.live_snapshots import LiveSnapshots
from service.metrics import Metrics
from service.settings import ServiceSettings
from snapshot import SnapshotStore, StatusBoard, encode
from tests import clustered
from tests.clustered import BROAD, NOON, by_count
from tests.conftest import TOPICS, write_jsonl
from worker.clustering import cluster, load
from worker.corpora import Corpus
from worker.stages import Stages

AT = "/v1/corpora/carded"
RARE = "blorb"
ODD_ID = "d/8 é&?"


@cache
def documents():
    """The small corpus. Every second document has a card, one a tag that nobody else has, one an odd id."""
    listed = []
    for number, document in enumerate(clustered.documents()):
        card = {key: f"https://site.example/{number}.{key}" for key in ("url", "image")} | {"title": f"Number {number}"}
        name = {"id": ODD_ID} if number == 8 else {}
        tags = [*document["tags"], RARE] if number == 7 else document["tags"]
        listed.append({**document, **name, "tags": tags, **(card if number % 2 == 0 else {})})
    return listed


@pytest.fixture(scope="module")
def encoded(tmp_path_factory):
    """The corpus as the worker publishes it."""
    stages = Stages(lambda *_: None)
    path = write_jsonl(tmp_path_factory.mktemp("documents") / "carded.jsonl", documents())
    corpus = Corpus(name="carded", title="With cards", source=path.name, path=path)
    tagged, notes = load(corpus, stages)
    return encode(*cluster(corpus, tagged, NOON, stages, notes=notes))


@pytest.fixture
def client(environment, redis, encoded, tmp_path):
    store = SnapshotStore(redis)
    store.publish(encoded)
    files = DocumentFiles(tmp_path / "documents")
    live = LiveSnapshots(store, StatusBoard(redis), document_files=files, answer_bytes=1_000_000)
    live.refresh()
    return create_app(live, redis, ServiceSettings(), Metrics()).test_client()


def get(client, path, status=200):
    answer = client.get(f"{AT}/{path}")
    assert answer.status_code == status, answer.json
    return answer.json


def having(*tags):
    """The ids of all documents with these tags, by the corpus alone."""
    return {document["id"] for document in documents() if set(tags) <= set(document["tags"])}


def ids(answer):
    return [document["id"] for document in answer["documents"]]


@pytest.mark.parametrize("tags", [("payment",), ("payment", "cash"), ("payment", BROAD), ("rain", "snow", "cloud")])
def test_the_total_is_the_number_of_documents_with_all_tags(client, tags):
    """`total` is exact, and match=all lists exactly these documents."""
    query = "&".join(f"tag={quote(tag)}" for tag in tags)
    answer = get(client, f"documents?{query}&match=all&limit=100")
    assert answer["total"] == len(having(*tags))
    assert set(ids(answer)) == having(*tags)
    assert all(set(tags) <= set(document["tags"]) for document in answer["documents"])


def test_the_total_of_one_tag_is_its_count(client):
    """The index holds the documents and tags of the matrix."""
    for tag in by_count():
        assert (
            get(client, f"documents?tag={quote(tag)}&limit=1")["total"] == get(client, f"tag?tag={quote(tag)}")["count"]
        )


def test_documents_with_all_tags_come_first_then_near_ones(client):
    """Without `match`, pages go through the complete documents, then through near ones, and no document comes twice."""
    seen, offset = [], 0
    while True:
        page = get(client, f"documents?tag=payment&limit=7&offset={offset}")
        seen += ids(page)
        offset += 7
        if not page["more"] or offset > 200:
            break
    complete = having("payment")
    assert set(seen[: len(complete)]) == complete
    assert len(seen) == len(set(seen)) > len(complete)


def test_any_and_near_find_documents_that_lack_a_tag(client):
    """match=any asks for one tag of the query at least; match=near ranks all documents that fit."""
    either = get(client, "documents?tag=payment&tag=rain&match=any&limit=100")
    assert set(ids(either)) <= having("payment") | having("rain")
    near = get(client, "documents?tag=payment&match=near&limit=100")
    lacking = [document for document in near["documents"] if "payment" not in document["tags"]]
    assert lacking
    assert all(reason["tag"] in document["tags"] for document in lacking for reason in document["because"])


def test_a_document_shows_what_the_source_says(client):
    """Title, URL and image come from the source; tags that the corpus leaves out stand apart."""
    shown = get(client, "document?id=d2")["document"]
    assert (shown["title"], shown["url"], shown["image"]) == (
        "Number 2",
        "https://site.example/2.url",
        "https://site.example/2.image",
    )
    plain = get(client, "document?id=d7")["document"]
    assert (plain["title"], plain["url"], plain["image"], plain["left_out"]) == (None, None, None, [RARE])
    assert RARE not in plain["tags"]


def test_a_document_names_missing_tags_and_similar_documents(client):
    """Missing tags are related ones that it lacks; it is not similar to itself."""
    answer = get(client, "document?id=d1&limit=5")
    tags = set(answer["document"]["tags"])
    assert answer["missing"]
    assert tags.isdisjoint(tag["tag"] for tag in answer["missing"])
    assert len(answer["similar"]) == 5
    assert "d1" not in {document["id"] for document in answer["similar"]}


def test_similar_documents_of_tags_are_of_their_topic(client):
    """Documents like some tags share the topic, by `id` as by `tag`; the reason is a tag of theirs."""
    answer = get(client, "similar?tag=guitar&tag=piano&limit=10")
    for document in answer["documents"]:
        assert set(document["tags"]) & set(TOPICS["music"])
    first = get(client, "similar?id=d1&limit=3")
    assert first["document"] == "d1"
    assert first["documents"] == get(client, "document?id=d1&limit=3")["similar"]


def test_ids_of_any_kind_are_found(client):
    """Ids with slashes, spaces and other letters travel as parameters."""
    assert get(client, f"document?id={quote(ODD_ID, safe='')}")["document"]["id"] == ODD_ID


def test_an_unknown_id_is_404_with_close_ids(client):
    """A misspelt id gets the ids that look like it."""
    problem = get(client, "document?id=d10o", 404)
    assert problem["detail"] == "there is no document 'd10o' in carded"
    assert "d10" in problem["suggestions"]


def test_cluster_restricts_documents_to_a_concept(client):
    """`cluster` is the lasting id of a tag cluster, and every document has one."""
    concept = get(client, "document?id=d0")["document"]["cluster"]
    answer = get(client, f"documents?cluster={concept}&limit=100")
    assert answer["total"] == get(client, f"clusters/{concept}")["documents"]
    assert {document["cluster"] for document in answer["documents"]} == {concept}
    assert get(client, "documents?cluster=999", 404)["detail"] == "carded has no cluster 999"


def test_concepts_count_every_document_once_and_show_those_that_stand_for_them(client):
    """The documents of all concepts sum to those of the corpus; representatives belong to the concept."""
    clusters = [each["id"] for each in get(client, "clusters")["clusters"]]
    details = [get(client, f"clusters/{each}") for each in clusters]
    assert sum(detail["documents"] for detail in details) == len(documents())
    for detail in details:
        assert {document["cluster"] for document in detail["representatives"]} <= {detail["id"]}


@pytest.mark.parametrize("path", ["related?tag=payment", "cloud?tag=payment", "tag?tag=payment"])
def test_together_counts_documents_with_the_query_and_each_tag(client, path):
    """The number beside a tag is how many documents a search page would still show."""
    answer = get(client, f"{path}&together=true&limit=10")
    tags = (
        answer.get("related")
        or answer.get("neighbours")
        or [tag for group in answer["groups"] for tag in group["tags"]]
    )
    assert tags
    for tag in tags:
        assert tag["together"] == len(having("payment", tag["tag"]))
    plain = client.get(f"{AT}/{path}&limit=10").get_data(as_text=True)
    assert "together" not in plain


def test_narrow_leaves_out_tags_that_would_give_no_document(client):
    """With narrow=true every tag leaves at least one document; without it some leave none."""
    query = "related?tag=payment&tag=rain&together=true&limit=100"
    wide, narrow = get(client, query), get(client, f"{query}&narrow=true")
    assert any(tag["together"] == 0 for tag in wide["related"])
    assert narrow["related"]
    assert [tag for tag in wide["related"] if tag["together"]] == narrow["related"]


def test_similar_needs_a_document_or_tags(client):
    """Neither, or both, is an error that says so."""
    for query in ("similar", "similar?id=d1&tag=rain"):
        assert "either the id of a document, or tags" in get(client, query, 422)["detail"]


def test_all_documents_are_listed_without_a_query(client):
    """Without a query, pages go through all documents in the order of their ids."""
    answer = get(client, "documents?limit=100")
    assert answer["total"] == 200
    assert ids(answer) == sorted(ids(answer))
    assert answer["more"]
