"""Documents that no run has seen."""

import pytest

from snapshot import SnapshotStore, encode
from tests.clustered import VERSION, clustered, published
from tests.conftest import TOPICS
from tests.service.api.test_api import get
from tests.service.api.test_endpoints import problem, push


def concept(client, tag, corpus="small"):
    """The cluster of tags that a tag belongs to."""
    return get(client, f"/v1/corpora/{corpus}/tag?tag={tag}")["cluster"]


def place(client, tag, corpus="small"):
    """The cluster of documents that a document with one tag belongs to."""
    return get(client, f"/v1/corpora/{corpus}/classify?tag={tag}")["document_cluster"]["id"]


def test_a_document_is_placed_by_its_tags(client):
    found = get(client, "/v1/corpora/small/classify?tag=Payment&tag=cash&limit=4")
    assert found["tags"] == ["cash", "payment"]
    assert set(found["document_cluster"]["label"].split(", ")) <= set(TOPICS["money"])
    assert found["document_cluster"]["size"] == 50
    assert 0.5 < found["document_cluster"]["confidence"] <= 1
    confidences = [place["confidence"] for place in [found["document_cluster"], *found["others"]]]
    assert len(confidences) == len(TOPICS)
    assert confidences == sorted(confidences, reverse=True)
    assert sum(confidences) == pytest.approx(1, abs=1e-3)
    assert found["new_tags"] == []


def test_the_order_and_repetition_of_tags_decide_nothing(client):
    one = get(client, "/v1/corpora/small/classify?tag=cash&tag=snow")
    other = get(client, "/v1/corpora/small/classify?tag=SNOW&tag=cash&tag=snow")
    assert one == other


def test_a_new_tag_goes_with_its_document(client):
    found = get(client, "/v1/corpora/small/classify?tag=rain&tag=snow&tag=Sleet&limit=1")
    assert set(found["document_cluster"]["label"].split(", ")) <= set(TOPICS["weather"])
    assert found["others"] == []
    (new,) = found["new_tags"]
    rain = get(client, "/v1/corpora/small/tag?tag=rain")
    assert (new["tag"], new["cluster"], new["label"], new["documents"]) == ("sleet", rain["cluster"], rain["label"], 1)
    assert 1 / 3 < new["confidence"] < 1


def test_without_a_known_tag_or_any_there_is_no_answer(client):
    assert problem(client, "/v1/corpora/small/classify?tag=pament", 404)["suggestions"] == ["payment"]
    problem(client, "/v1/corpora/small/classify", 422)
    problem(client, "/v1/corpora/small/classify?tag=cash&limit=0", 422)


def test_pushed_documents_are_placed_at_once(writer, redis, live):
    SnapshotStore(redis).publish(published(corpus="pushed"))
    live.refresh()
    lines = (
        b'{"id": "a", "tags": ["cash", "penny"]}\n{"id": "b", "tags": ["snow", "rain", "penny", "sleet"]}\n'
        b'{"id": "c", "tags": ["nothing known"]}\n{"id": "d", "tags": ["payment", "penny"]}'
    )
    answer = push(writer, lines).get_json()
    money, weather = place(writer, "cash", "pushed"), place(writer, "snow", "pushed")
    placed = [(each["id"], each["document_cluster"]) for each in answer["placed"]]
    assert placed == [("a", money), ("b", weather), ("c", None), ("d", money)]
    assert money != weather
    assert answer["version"] == VERSION
    assert [(tag["tag"], tag["cluster"], tag["documents"]) for tag in answer["new_tags"]] == [
        ("penny", concept(writer, "cash", "pushed"), 3),
        ("sleet", concept(writer, "snow", "pushed"), 1),
    ]
    alone = writer.get("/v1/corpora/pushed/classify?tag=cash&tag=penny").get_json()
    first = answer["placed"][0]
    assert (alone["document_cluster"]["id"], alone["document_cluster"]["confidence"]) == (
        first["document_cluster"],
        first["confidence"],
    )


def test_the_tree_of_micro_clusters_counts_documents(redis, live, client):
    """As the worker makes it of a corpus too large for every document to be a leaf."""
    SnapshotStore(redis).publish(encode(*clustered(name="large", max_exact=40, micro_clusters=40)))
    live.refresh()
    whole = get(client, "/v1/corpora/large/dendrogram?side=documents&format=linkage")
    assert whole["k"] < 50
    found = get(client, "/v1/corpora/large/dendrogram?side=documents&k=4&format=linkage")
    assert [leaf["size"] for leaf in found["leaves"]] == [50, 50, 50, 50]
    assert found["leaves"][0]["label"] == "d0 and 49 more"
