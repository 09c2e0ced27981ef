"""What rises and falls, and feeds: with planted bursts in a corpus that the real worker clustered."""

import tempfile
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from defusedxml import ElementTree

from service.app import create_gateway
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from snapshot import PushedDocument, PushedDocuments, SnapshotStore, StatusBoard, encode
from tagmodel.trends import signed_g_squared, trend_scores
from tests.clustered import NOON
from tests.conftest import TOPICS, topic_documents, write_jsonl
from tests.service.asking import Served
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

NEWEST = datetime(2026, 11, 15, tzinfo=UTC)
ATOM = "{http://www.w3.org/2005/Atom}"


@cache
def documents():
    """Topics in turn over five weeks; in the last one, food bursts, and one rare tag comes once."""
    listed = []
    for number, document in enumerate(topic_documents()):
        day = NEWEST - timedelta(days=number % 35)
        card = {"date": day.date().isoformat(), "title": f"<{number}> & more", "url": f"https://site.example/{number}"}
        listed.append({**document, **card})
    for number in range(40):
        day = (NEWEST - timedelta(days=number % 7)).date().isoformat()
        listed.append({"id": f"burst{number:02}", "tags": ["bread", "cheese", "oven"], "date": day})
    return [*listed, {"id": "once", "tags": ["rain", "a whim"], "date": NEWEST.date().isoformat()}]


@cache
def encoded():
    stages = Stages(lambda *_: None)
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder:
        path = write_jsonl(Path(folder) / "stream.jsonl", documents())
        source = {"files": path.name, "fields": {"date": "date"}}
        corpus = Corpus(name="stream", title="A stream", source=source, path=path)
        tagged, notes = load_documents(corpus, stages)
    return encode(*cluster(corpus, tagged, NOON, stages, notes=notes))


@pytest.fixture
def stream(environment, redis, tmp_path):
    SnapshotStore(redis).publish(encoded())
    live = LiveSnapshots(
        SnapshotStore(redis),
        StatusBoard(redis),
        document_files=DocumentFiles(tmp_path / "documents"),
        pushed=partial(PushedDocuments, redis),
    )
    live.refresh()
    return live


@pytest.fixture
def ask(stream, redis):
    client = Served(create_gateway(stream, redis, ServiceSettings(), Metrics())).test_client()
    return lambda path: client.get(f"/v1/corpora/stream/{path}")


def counted(tag, days):
    """Documents with a tag that are so many days old."""
    dates = {(NEWEST - timedelta(days=day)).date().isoformat() for day in days}
    return sum(tag in document["tags"] and document["date"] in dates for document in documents())


def test_what_bursts_is_rising_and_what_comes_once_is_not(ask):
    answer = ask("trends?window=7d").json
    assert {trend["tag"] for trend in answer["tags"]} == {"bread", "cheese", "oven"}
    for trend in answer["tags"]:
        assert trend["count"] == counted(trend["tag"], range(7))
        assert trend["before"] == counted(trend["tag"], range(7, 35))
        assert trend["series"] == [counted(trend["tag"], [day]) for day in reversed(range(35))]
        assert all(trend["tag"] in document["tags"] for document in trend["documents"])
        assert {document["date"] for document in trend["documents"]} == {NEWEST.date().isoformat()}
    (concept,) = answer["concepts"]
    assert concept["cluster"] == ask("tag?tag=bread").json["cluster"]
    assert concept["tag"] is None
    assert sum(concept["series"]) == concept["count"] + concept["before"]
    assert (answer["start"], answer["end"], answer["step"]) == ("2026-11-09", "2026-11-16", 86400)


def test_what_others_take_from_falls(ask):
    falling = ask("trends?window=7d&direction=falling").json
    assert not {trend["tag"] for trend in falling["tags"]} & set(TOPICS["food"])


def test_fresh_documents_make_a_trend_at_once(ask, stream, redis):
    day = NEWEST.date().isoformat()
    pushed = PushedDocuments(redis, "stream")
    pushed.put(PushedDocument(f"p{n}", ["never seen"], None, {"fields": {"date": day}}) for n in range(30))
    stream.refresh()
    answer = ask("trends?window=7d").json
    assert "never seen" in {trend["tag"] for trend in answer["tags"]}
    assert answer["fresh"] == 30


def test_documents_with_most_of_what_rose_come_first_though_others_are_as_new(ask, stream, redis):
    day = NEWEST.date().isoformat()
    pushed = PushedDocuments(redis, "stream")
    pushed.put(PushedDocument(f"a{n}", ["bread", "butter"], None, {"fields": {"date": day}}) for n in range(5))
    stream.refresh()
    answer = ask("trends?window=7d").json
    for trend in [*answer["tags"], *answer["concepts"]]:
        assert len(trend["documents"]) == 3
        for document in trend["documents"]:
            assert {"bread", "cheese", "oven"} <= set(document["tags"]), trend["label"]


def test_a_feed_lists_the_newest_documents_of_a_concept(ask):
    concept = ask("tag?tag=bread").json["cluster"]
    response = ask(f"feed?cluster={concept}&limit=5")
    assert response.headers["Content-Type"].startswith("application/atom+xml")
    root = ElementTree.fromstring(response.data)
    entries = root.findall(f"{ATOM}entry")
    assert len(entries) == 5
    moments = [entry.find(f"{ATOM}updated").text for entry in entries]
    assert moments == sorted(moments, reverse=True)
    assert root.find(f"{ATOM}updated").text == "2026-11-15T00:00:00Z"
    titles = ElementTree.fromstring(ask("feed?tag=rain&limit=50").data).findall(f"{ATOM}entry/{ATOM}title")
    assert any(title.text.startswith("<") for title in titles)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("trends?window=soon", 422),
        ("trends?window=99999y", 422),
        ("trends?window=36501d", 422),
        ("documents?last=101y", 422),
        ("feed?cluster=999", 404),
        ("feed?tag=no", 404),
    ],
)
def test_a_wrong_question_is_refused(ask, path, status):
    assert ask(path).status_code == status


def test_the_time_before_a_long_window_begins_with_the_calendar(ask):
    assert ask("trends?window=100y").json["before"].startswith("1527-")


def test_characters_that_no_xml_may_contain_break_no_feed(ask, stream, redis):
    """One document with such a title would hide all the others from every reader of feeds."""
    card = {"title": "a\u0000b\u000b\ufffe<c>", "fields": {"date": NEWEST.date().isoformat()}}
    PushedDocuments(redis, "stream").put([PushedDocument("odd", ["bell\u0007", "rain"], None, card)])
    stream.refresh()
    titles = ElementTree.fromstring(ask("feed?limit=100").data).findall(f"{ATOM}entry/{ATOM}title")
    assert "a�b �<c>" in {title.text for title in titles}


def test_without_dates_there_are_no_trends(client):
    assert client.get("/v1/corpora/small/trends").status_code == 409
    assert client.get("/v1/corpora/small/feed").status_code == 409


def test_g_squared_equals_its_definition():
    a, n, b, m = 30, 100, 40, 400
    observed = np.array([[a, n - a], [b, m - b]], dtype=float)
    expected = observed.sum(axis=1, keepdims=True) * observed.sum(axis=0) / observed.sum()
    g = 2 * (observed * np.log(observed / expected)).sum()
    assert signed_g_squared(np.array([a]), n, np.array([b]), m)[0] == pytest.approx(g)
    assert signed_g_squared(np.array([b]), m, np.array([a]), n)[0] == pytest.approx(-g)


def test_small_counts_never_make_a_trend():
    for count in range(1, 5):
        assert trend_scores(np.array([count]), 1000, np.array([0]), 4000)[0] == 0
    assert trend_scores(np.array([20]), 1000, np.array([0]), 4000)[0] > 0
