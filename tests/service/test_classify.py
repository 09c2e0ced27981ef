"""Documents that no run has seen."""

import pytest

from snapshot import SnapshotStore
from tests.service.test_api import get
from tests.service.test_endpoints import problem, push
from tests.snapshot.snapshots import small_encoded, small_placing


def test_a_document_is_placed_by_its_tags(client):
    found = get(client, "/v1/corpora/small/classify?tag=Payment&tag=cash")
    assert found["tags"] == ["payment", "cash"]
    assert (found["cluster"]["id"], found["cluster"]["label"], found["cluster"]["size"]) == (0, "payment", 9)
    assert 0.5 < found["cluster"]["confidence"] <= 1
    assert [other["id"] for other in found["others"]] == [1, 2]
    assert sum(place["confidence"] for place in [found["cluster"], *found["others"]]) == pytest.approx(1, abs=1e-3)
    assert found["new_tags"] == []


def test_the_order_and_repetition_of_tags_decide_nothing(client):
    one = get(client, "/v1/corpora/small/classify?tag=cash&tag=snow")
    other = get(client, "/v1/corpora/small/classify?tag=SNOW&tag=cash&tag=snow")
    assert one == other


def test_a_new_tag_goes_with_its_document(client):
    found = get(client, "/v1/corpora/small/classify?tag=rain&tag=snow&tag=Sleet&limit=1")
    assert found["cluster"]["id"] == 1
    assert found["others"] == []
    (new,) = found["new_tags"]
    assert (new["tag"], new["cluster"], new["label"], new["documents"]) == ("sleet", 1, "Rain, snow", 1)
    assert 1 / 3 < new["confidence"] < 1


def test_without_a_known_tag_or_any_there_is_no_answer(client):
    assert problem(client, "/v1/corpora/small/classify?tag=pament", 404)["suggestions"] == ["payment"]
    problem(client, "/v1/corpora/small/classify", 422)
    problem(client, "/v1/corpora/small/classify?tag=cash&limit=0", 422)


def test_a_version_of_an_older_worker_says_so(redis, shelf, client):
    from datetime import UTC, datetime

    SnapshotStore(redis).publish(small_encoded(datetime(2026, 11, 17, tzinfo=UTC)))
    shelf.refresh()
    assert "older worker" in problem(client, "/v1/corpora/small/classify?tag=cash", 409)["detail"]


def test_pushed_documents_are_placed_at_once(writer, redis, shelf):
    SnapshotStore(redis).publish(small_encoded(corpus="pushed", placing=small_placing()))
    shelf.refresh()
    lines = (
        b'{"id": "a", "tags": ["cash", "coin"]}\n{"id": "b", "tags": ["snow", "rain", "coin", "sleet"]}\n'
        b'{"id": "c", "tags": ["nothing known"]}\n{"id": "d", "tags": ["payment", "coin"]}'
    )
    answer = push(writer, lines).get_json()
    assert [(each["id"], each["cluster"]) for each in answer["placed"]] == [("a", 0), ("b", 1), ("c", None), ("d", 0)]
    assert answer["version"] == small_encoded().version
    assert [(tag["tag"], tag["cluster"], tag["documents"]) for tag in answer["new_tags"]] == [
        ("coin", 0, 3),
        ("sleet", 1, 1),
    ]
    for each in answer["placed"][:1]:
        alone = writer.get("/v1/corpora/pushed/classify?tag=cash&tag=coin").get_json()
        assert (alone["cluster"]["id"], alone["cluster"]["confidence"]) == (each["cluster"], each["confidence"])


def test_the_tree_of_micro_clusters_counts_documents(redis, shelf, client):
    from datetime import UTC, datetime

    from snapshot import encode
    from tests.snapshot.snapshots import grouped_documents, small_snapshot

    encoded = encode(small_snapshot(datetime(2026, 11, 18, tzinfo=UTC)), grouped_documents())
    SnapshotStore(redis).publish(encoded)
    shelf.refresh()
    found = get(client, "/v1/corpora/small/dendrogram?side=documents&k=2&format=linkage")
    assert [(leaf["label"], leaf["size"]) for leaf in found["leaves"]] == [("d0 and 9 more", 10), ("d2 and 9 more", 10)]
