"""Documents with dates: shown, sorted, and counted in a span of time, of the version and fresh ones."""

import re
import tempfile
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path

import pytest

from service.app import create_gateway
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from snapshot import PushedDocument, PushedDocuments, SnapshotStore, StatusBoard, encode
from tests import clustered
from tests.clustered import NOON
from tests.conftest import write_jsonl
from tests.service.asking import Served
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

FIRST = datetime(2026, 1, 1, tzinfo=UTC)


@cache
def dated():
    """The small corpus, a document a day; every seventh has no date."""
    listed = []
    for number, document in enumerate(clustered.documents()):
        day = (FIRST + timedelta(days=number)).date().isoformat()
        listed.append({**document, **({} if number % 7 == 3 else {"created": day})})
    return listed


@cache
def encoded():
    stages = Stages(lambda *_: None)
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder:
        path = write_jsonl(Path(folder) / "dated.jsonl", dated())
        source = {"files": path.name, "fields": {"date": "created"}}
        corpus = Corpus(name="dated", title="With dates", source=source, path=path)
        tagged, notes = load_documents(corpus, stages)
    return encode(*cluster(corpus, tagged, NOON, stages, notes=notes))


@pytest.fixture
def dated_live(environment, redis, tmp_path):
    SnapshotStore(redis).publish(encoded())
    live = LiveSnapshots(
        SnapshotStore(redis),
        StatusBoard(redis),
        document_files=DocumentFiles(tmp_path / "documents"),
        pushed=partial(PushedDocuments, redis),
        answer_bytes=1_000_000,
    )
    live.refresh()
    return live


@pytest.fixture
def ask(dated_live, redis):
    client = Served(create_gateway(dated_live, redis, ServiceSettings(), Metrics())).test_client()

    def answer(path, status=200):
        response = client.get(f"/v1/corpora/dated/{path}")
        assert response.status_code == status, response.json
        return response.json

    return answer


def having(tag, start, end):
    """How many documents have a tag, or any, and a date of these days."""
    return sum(
        (tag is None or tag in document["tags"]) and start <= document.get("created", "") <= end for document in dated()
    )


def test_documents_have_their_dates_and_are_sorted_by_them(ask):
    answer = ask("documents?sort=date&limit=100&tag=rain")
    dates = [document["date"] for document in answer["documents"]]
    known = [date for date in dates if date]
    assert known == sorted(known, reverse=True)
    assert dates == known + [None] * (len(dates) - len(known))
    assert answer["total"] == len(dates) == sum("rain" in document["tags"] for document in dated())


@pytest.mark.parametrize(
    ("span", "start", "end"),
    [
        ("from=2026-02-01&to=2026-02-28", "2026-02-01", "2026-02-28"),
        ("from=2026-02&to=2026-03", "2026-02-01", "2026-03-31"),
        ("to=2026-01-15", "0", "2026-01-15"),
        ("from=2026-06-01", "2026-06-01", "9"),
        ("from=2026&to=2026", "2026-01-01", "2026-12-31"),
    ],
)
def test_a_span_of_time_counts_exactly_its_documents(ask, span, start, end):
    assert ask(f"documents?{span}&limit=1")["total"] == having(None, start, end)
    assert ask(f"documents?{span}&limit=1&tag=rain&match=all")["total"] == having("rain", start, end)
    shown = ask(f"cloud?{span}&limit=500")
    counts = {tag["tag"]: tag["count"] for group in shown["groups"] for tag in group["tags"]}
    assert counts == {tag: count for tag in clustered.TAGS if (count := having(tag, start, end))}
    beside = ask(f"cloud?{span}&tag=rain&together=true&limit=500")
    for group in beside["groups"]:
        for tag in group["tags"]:
            joint = [d for d in dated() if {"rain", tag["tag"]} <= set(d["tags"])]
            assert tag["together"] == sum(start <= d.get("created", "") <= end for d in joint)


def test_the_last_days_end_with_the_newest_document(ask):
    newest = max(document.get("created", "") for document in dated())
    start = (datetime.fromisoformat(newest) - timedelta(days=29)).date().isoformat()
    last, same = ask("documents?last=30d&limit=100"), ask(f"documents?from={start}&limit=100")
    assert (last["total"], last["documents"]) == (same["total"], same["documents"])


def test_a_fresh_document_counts_in_its_span(ask, dated_live, redis):
    before = ask("documents?from=2027&limit=1")["total"]
    PushedDocuments(redis, "dated").put([PushedDocument("new", ["rain"], None, {"fields": {"date": "2027-03-04"}})])
    dated_live.refresh()
    answer = ask("documents?from=2027&limit=5")
    assert (before, answer["total"], answer["documents"][0]["date"]) == (0, 1, "2027-03-04")
    assert ask("documents?last=1d&limit=5")["documents"][0]["id"] == "new"


@pytest.mark.parametrize("wrong", ["from=soon", "to=2026-99", "last=30", "last=0d", "last=7d&from=2026"])
def test_a_wrong_span_is_refused(ask, wrong):
    ask(f"documents?{wrong}", status=422)


def test_a_corpus_without_dates_says_so(client):
    answer = client.get("/v1/corpora/small/documents?last=30d")
    assert answer.status_code == 409
    assert "date" in answer.json["detail"]
    assert client.get("/v1/corpora/small/documents").json["documents"][0]["date"] is None


def test_a_group_is_opened_in_a_span_of_time(ask):
    """The positions of its documents are those of the whole version."""
    tags = [tag["tag"] for tag in ask("cloud?limit=20")["groups"][0]["tags"]][:3]
    query = "&".join(f"group={tag}" for tag in tags)
    whole, part = (ask(f"documents?{query}{span}&limit=100") for span in ("", "&last=4w"))
    assert 0 < part["total"] < whole["total"]
    assert all(document["date"] for document in part["documents"])


@pytest.fixture
def shown(dated_live, redis):
    client = Served(create_gateway(dated_live, redis, ServiceSettings(), Metrics())).test_client()
    return lambda query: client.get(f"/?corpus=dated&{query}").text


def test_the_page_sorts_by_date_and_offers_spans_that_leave_some_documents(ask, shown):
    tag = ask("tags?limit=1")["tags"][0]["tag"]
    html = shown(f"tag={tag}")
    offered = re.findall(r'last=(\w+)">(the last [^<]+) <small>([\d,]+)</small>', html)
    assert offered
    for last, _, count in offered:
        assert int(count) == ask(f"documents?tag={tag}&match=all&last={last}")["total"]
    assert f'href="/?corpus=dated&amp;tag={tag}&amp;sort=date"' in html
    last, label, count = offered[0]
    html = shown(f"tag={tag}&last={last}&sort=date")
    assert re.search(rf'aria-current="true">{label}<', html)
    newest = ask(f"documents?tag={tag}&last={last}&sort=date&limit=12")["documents"]
    titles = re.findall(r"<h3><a [^>]*>([^<]*)</a></h3>\s*<time [^>]*>([^<]+)</time>", html)
    assert [title for title, _ in titles] == [document["title"] or document["id"] for document in newest]
    assert len(titles) == min(int(count), 12)
    assert shown("last=nonsense&sort=worst") == shown("")
    assert shown(f"last={last}").count('<section class="group') > 0


def test_a_corpus_without_dates_offers_nothing_about_them(client):
    html = client.get("/?tag=payment&last=7d&sort=date").text
    assert "the last" not in html
    assert "Newest first" not in html
    assert "with payment" in html
