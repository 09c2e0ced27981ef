"""Suggestions at the moment of tagging: from a text, from tags, from both, with reasons; and what becomes of tags."""

import json
import threading

import pytest

from service.api.routes import checks
from service.app import create_gateway
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from snapshot import StatusBoard, encode
from snapshot.edits import Edit
from snapshot.store.edits import EditStore
from tests.conftest import TOPICS
from tests.service.api.test_checks import ask
from tests.service.asking import Served
from tests.service.written import documents, written
from tests.waiting import DEADLINE

SUGGEST = "/v1/corpora/written/suggest"


@pytest.fixture
def client(environment, redis, store, tmp_path):
    """A service that serves documents with texts, whose editor banned a tag."""
    store.publish(encode(*written()))
    live = LiveSnapshots(
        store,
        StatusBoard(redis),
        edits=EditStore(redis),
        document_files=DocumentFiles(tmp_path / "documents"),
        answer_bytes=1_000_000,
    )
    live.refresh()
    return Served(create_gateway(live, redis, ServiceSettings(), Metrics())).test_client()


def suggested(client, **document):
    answer = ask(client, SUGGEST, document).get_json()
    assert answer["text_known"]
    (one,) = answer["documents"]
    return one


def names(document):
    return [tag["tag"] for tag in document["tags"]]


def test_the_words_of_a_text_bring_its_tags_with_reasons(client):
    found = suggested(client, title="About weather", text="storm and snow are coming", limit=4)
    assert {"storm", "snow"} == set(names(found)[:2])
    assert set(names(found)) <= set(TOPICS["weather"])
    first = found["tags"][0]
    kinds = {reason["kind"]: reason for reason in first["reasons"]}
    assert first["tag"] in kinds["words"]["words"]
    assert kinds["words"]["sentence"].startswith("the word")
    tags_of = {document["id"]: document["tags"] for document in documents()}
    assert kinds["documents"]["documents"]
    assert all(first["tag"] in tags_of[name] for name in kinds["documents"]["documents"])
    assert [tag["score"] for tag in found["tags"]] == sorted((tag["score"] for tag in found["tags"]), reverse=True)
    assert found["concept"]["id"] == first["cluster"]
    assert found["concept"]["share"] > 0.5


def test_given_tags_bring_those_usual_beside_them_and_are_not_suggested_again(client):
    found = suggested(client, tags=["guitar", "piano"], limit=3)
    assert set(names(found)) <= set(TOPICS["music"]) - {"guitar", "piano"}
    reasons = [reason for tag in found["tags"] for reason in tag["reasons"]]
    assert {reason["kind"] for reason in reasons} == {"tags"}
    assert all(set(reason["tags"]) <= {"guitar", "piano"} for reason in reasons)


def test_text_and_tags_count_together(client):
    """Beside one and the same tag, the text decides which of its usual company comes first, and both are reasons."""
    for named in ("snow", "storm", "wind"):
        found = suggested(client, text=f"a note on {named}", tags=["rain"], limit=8)
        assert names(found)[0] == named
        assert set(names(found)) <= set(TOPICS["weather"]) - {"rain"}
        assert {"words", "tags"} <= {reason["kind"] for reason in found["tags"][0]["reasons"]}


def test_each_given_tag_is_kept_replaced_near_new_or_refused(client, redis):
    given = {
        tag["input"]: tag for tag in suggested(client, tags=["Rain", "rains", "zebra", "secret", "stork"])["given"]
    }
    assert (given["Rain"]["state"], given["Rain"]["tag"]) == ("kept", "rain")
    assert (given["rains"]["state"], given["rains"]["tag"], given["rains"]["how"]) == ("canonical", "rain", "plural")
    assert given["zebra"]["state"] == "new"
    assert given["secret"]["state"] == "refused"
    assert given["stork"]["state"] in {"near", "canonical"}
    assert given["stork"]["tag"] == "storm" or given["stork"]["near"][0]["tag"] == "storm"


def test_a_ban_says_by_whom_and_when(client, redis):
    from service.questions.tagging.suggest import UntaggedDocument, suggest_tags
    from service.view.view import View
    from snapshot.edits.state import EditState

    ban = Edit("ban", tag="rain", by="ann", at="2026-11-18T09:00:00Z")
    view = View(written()[0]).with_edits(EditState(1, (ban,)))
    answer = suggest_tags(view, [UntaggedDocument(tags=("rain", "snow"))], 20).documents[0]
    assert answer["given"][0]["state"] == "refused"
    assert (answer["given"][0]["by"], answer["given"][0]["at"]) == ("ann", "2026-11-18T09:00:00Z")
    assert "rain" not in names(answer)


def test_a_batch_is_answered_in_its_order(client):
    batch = [{"text": "storm"}, {"tags": ["piano"]}, {}]
    answer = ask(client, SUGGEST, {"documents": batch, "limit": 2}).get_json()
    first, second, empty = answer["documents"]
    assert names(first)[0] == "storm"
    assert set(names(second)) <= set(TOPICS["music"])
    assert empty == {"tags": [], "given": [], "concept": None}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "not an object"),
        ({"limit": 0}, "limit"),
        ({"words": "x"}, "unknown field words"),
        ({"text": 3}, "text"),
        ({"text": "x" * 100_001}, "at most 100000 characters"),
        ({"tags": ["x"] * 101}, "at most 100"),
        ({"documents": []}, "1 to 1000"),
        ({"documents": [{}] * 1001}, "1 to 1000"),
        ({"documents": [{"tags": [7]}]}, "documents[0].tags"),
        ({"documents": [{}], "title": "x"}, "beside documents"),
    ],
)
def test_a_wrong_body_is_refused_with_what_is_wrong(client, body, message):
    assert message in ask(client, SUGGEST, body, status=422).get_json()["detail"]


def test_a_version_without_texts_suggests_by_tags_alone(app_with):
    served = app_with().test_client()
    answer = ask(served, "/v1/corpora/small/suggest", {"text": "storm", "tags": ["rain"]}).get_json()
    assert not answer["text_known"]
    assert set(names(answer["documents"][0])) & set(TOPICS["weather"])


def test_the_run_says_how_well_it_learnt(client):
    quality = json.loads(client.get("/v1/corpora/written").text)["quality"]
    assert quality["text_recall_10"] > 0.9
    assert quality["both_recall_10"] >= max(quality["text_recall_10"], quality["tags_recall_10"]) - 0.02


def test_of_two_large_batches_one_is_refused_at_once_and_small_ones_are_answered(client, monkeypatch):
    """Otherwise two of them take every thread of a process for seconds, and all pages wait."""
    inside, released, suggest_tags = threading.Event(), threading.Event(), checks.suggest_tags

    def slow(*arguments):
        inside.set()
        assert released.wait(DEADLINE)
        return suggest_tags(*arguments)

    large, statuses = {"documents": [{"text": "storm"}] * 21}, []
    with monkeypatch.context() as patch:
        patch.setattr(checks, "suggest_tags", slow)
        thread = threading.Thread(target=lambda: statuses.append(ask(client, SUGGEST, large).status_code))
        thread.start()
        assert inside.wait(DEADLINE)
    try:
        refused = ask(client, SUGGEST, large, status=503)
        assert ask(client, SUGGEST, {"text": "storm"}).status_code == 200
    finally:
        released.set()
        thread.join()
    assert "large batch" in refused.get_json()["detail"]
    assert int(refused.headers["Retry-After"]) > 0
    assert statuses == [200]
    assert ask(client, SUGGEST, large).status_code == 200
