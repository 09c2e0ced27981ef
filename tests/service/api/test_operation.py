"""What operators ask and decide over the API, and what the pages show of it."""

import time
from dataclasses import replace
from datetime import timedelta

import pytest

from service.live.absence import StoreState
from service.live.parts import Parts
from service.live.snapshots import LiveSnapshots
from service.pages.ops.operation import worker_wanted
from service.web.day_window import DayWindow, Totals, read_totals
from service.web.metrics import Metrics
from snapshot import CorpusRegister, Heartbeat, Heartbeats, RegisteredCorpus, RunStatus, SnapshotStore, StatusBoard
from snapshot.store.change_log import ChangeLog
from snapshot.store.operation.run_history import PastRun, RunHistory
from snapshot.store.publication import PublishedBeside
from snapshot.version.changes import concepts_of, encode_step, step_between
from tests.clustered import NOON, VERSION, published, snapshot_at

LATER = NOON + timedelta(hours=1)


@pytest.fixture
def changed(redis, store, live):
    """A second version, in which a concept has another label and a tag of it is gone; returns both versions."""
    before, after = snapshot_at(), snapshot_at(LATER)
    concepts = concepts_of(after)
    number = concepts.clusters["rain"]
    earlier = replace(
        concepts,
        clusters={**concepts.clusters, "hail": number},
        tags={**concepts.tags, "hail": "Hail"},
        names={**concepts.names, number: "old label"},
    )
    step = step_between(after.version, concepts, before.version, earlier)
    store.publish(published(LATER), beside=PublishedBeside(step=encode_step(step)))
    live._loader._change_log = ChangeLog(redis)
    live.refresh()
    return before.version, after.version, number


def test_changes_since_a_version_are_told_also_after_it_was_dropped(client, store, changed):
    before, after, number = changed
    store.retain("small", 1)
    answer = client.get(f"/v1/corpora/small/changes?since={before}").json
    assert (answer["since"], answer["version"]) == (before, after)
    assert answer["went"] == ["Hail"]
    assert answer["renamed"][0]["before"] == "old label"
    assert answer["renamed"][0]["id"] == number
    assert [answer[kind] for kind in ("new", "split", "merged", "gone", "came", "moved")] == [[]] * 6


def test_nothing_changed_since_the_version_that_is_served(client, changed):
    answer = client.get(f"/v1/corpora/small/changes?since={changed[1]}").json
    assert not any(answer[kind] for kind in ("new", "split", "merged", "gone", "renamed", "came", "went", "moved"))


def test_a_version_of_which_nothing_is_known_is_gone_and_the_oldest_known_one_is_named(client, changed):
    gone = client.get("/v1/corpora/small/changes?since=20200101T000000.000Z")
    assert (gone.status_code, gone.json["oldest"]) == (410, changed[0])
    assert changed[0] in gone.json["detail"]
    assert client.get("/v1/corpora/small/changes?since=yesterday").status_code == 422
    assert client.get("/v1/corpora/nothing/changes?since=20200101T000000.000Z").status_code == 404


def test_the_page_of_a_concept_tells_what_the_last_versions_changed_in_it(client, changed):
    html = client.get(f"/concept?corpus=small&id={changed[2]}").text
    assert "its label was &#39;old label&#39; before; left: Hail." in html
    other = next(number for number in range(4) if number != changed[2])
    assert "What the last versions changed" not in client.get(f"/concept?corpus=small&id={other}").text


def test_the_operators_page_tells_what_each_version_changed(client, changed):
    html = client.get("/ops").text
    assert "1 concepts renamed, 1 tags went" in html
    assert "old label →" in html


def test_past_runs_are_listed_page_by_page(client, redis):
    history = RunHistory(redis)
    for number in range(3):
        history.add("small", PastRun(f"job-{number}", "done", 1e9 + number, 2.0, version=f"v{number}"))
    answer = client.get("/v1/corpora/small/runs?limit=2").json
    assert answer["total"] == 3
    assert [run["job"] for run in answer["runs"]] == ["job-2", "job-1"]
    assert answer["runs"][0] == {
        "job": "job-2",
        "state": "done",
        "ended": 1e9 + 2,
        "seconds": 2.0,
        "version": "v2",
        "error": "",
        "times": 1,
    }
    assert client.get("/v1/corpora/pushed/runs").json["runs"] == []
    assert client.get("/v1/corpora/nothing/runs").status_code == 404


def test_a_schedule_is_paused_and_resumed(writer, live):
    answer = writer.post("/v1/corpora/small/pause")
    assert (answer.status_code, answer.json) == (200, {"corpus": "small", "paused": True, "pinned": None})
    live.refresh()
    shown = writer.get("/v1/corpora/small").json
    assert (shown["paused"], shown["next_run"]) == (True, None)
    html = writer.get("/ops").text
    assert "paused for" in html
    assert 'id="resume-small"' in html
    assert 'id="pause-small"' not in html
    assert writer.delete("/v1/corpora/small/pause").json["paused"] is False
    live.refresh()
    assert writer.get("/v1/corpora/small").json["next_run"] == 1.8e9
    assert writer.post("/v1/corpora/nothing/pause").status_code == 404


def test_a_version_is_pinned_and_unpinned(writer, store, live):
    store.publish(published(LATER))
    assert writer.post(f"/v1/corpora/small/snapshots/{VERSION}/pin").json["pinned"] == VERSION
    live.refresh()
    assert writer.get("/v1/corpora/small").json["pinned"] == VERSION == live.view("small").snapshot.version
    other = published(LATER).version
    refused = writer.post(f"/v1/corpora/small/snapshots/{other}/activate")
    assert (refused.status_code, refused.json["detail"]) == (409, f"version {VERSION} is pinned; unpin it first")
    html = writer.get("/ops").text
    assert '<span class="pill good">pinned</span>' in html
    assert 'id="unpin-small"' in html
    assert 'id="activate-' not in html
    assert writer.delete("/v1/corpora/small/pin").json["pinned"] is None
    assert writer.delete("/v1/corpora/small/pin").status_code == 409
    assert writer.post(f"/v1/corpora/small/snapshots/{other}/activate").status_code == 200
    assert writer.post("/v1/corpora/small/snapshots/20200101T000000.000Z/pin").status_code == 404


def test_reading_keys_may_not_pause_or_pin(client):
    for method, path in (
        ("POST", "pause"),
        ("DELETE", "pause"),
        ("DELETE", "pin"),
        ("POST", f"snapshots/{VERSION}/pin"),
    ):
        assert client.open(f"/v1/corpora/small/{path}", method=method).status_code in {401, 403}


def test_a_corpus_that_runs_only_when_asked_says_so(client, redis, live):
    CorpusRegister(redis).write(
        {
            "small": RegisteredCorpus("small", "Small", "manual", 0.0),
            "new": RegisteredCorpus("new", "New", "manual", 0.0),
        }
    )
    live.refresh()
    assert client.get("/v1/corpora/small").json["next_run"] is None
    waiting = client.get("/v1/corpora/new/clusters")
    assert (waiting.status_code, waiting.json["reason"]) == (503, "not-started")
    assert "it runs only when asked (cotag recluster new)" in waiting.json["detail"]
    html = client.get("/ops").text
    assert "only when asked" in html
    assert 'id="pause-small"' not in html, "there is no schedule to pause"


def test_cron_is_shown_in_words(client, redis, live):
    CorpusRegister(redis).write({"small": RegisteredCorpus("small", "Small", "30 3 * * *", 1.8e9)})
    live.refresh()
    assert "daily 03:30 UTC" in client.get("/ops").text


def test_the_runs_of_the_last_day_are_counted(client, redis):
    history, now = RunHistory(redis), time.time()
    history.add("small", PastRun("old", "failed", now - 90_000, 7.0))
    history.add("small", PastRun("one", "done", now - 600, 60.0))
    history.add("small", PastRun("two", "held", now - 60, 60.0))
    assert "Last day: 1 done, 1 held; 2 min in all." in client.get("/ops").text


def state(*, queued, jobs):
    workers = tuple(Heartbeat("worker", "here", pid, 0.0, 0.0, job=job) for pid, job in enumerate(jobs))
    runs = {"small": RunStatus("small-1", "queued", queued, queued)} if queued is not None else {}
    return StoreState({}, runs, {}, Parts(workers))


def test_another_worker_is_needed_if_runs_wait_for_busy_ones_or_the_day_is_full():
    assert worker_wanted(state(queued=0.0, jobs=["a"]), 0.0, 1200.0).startswith("A run waits for 20 min because")
    assert worker_wanted(state(queued=0.0, jobs=["a", ""]), 0.0, 1200.0) is None, "one is free"
    assert worker_wanted(state(queued=900.0, jobs=["a"]), 0.0, 1200.0) is None, "it does not wait for long"
    full = "Runs took 20 h of the last day of the worker"
    assert worker_wanted(state(queued=None, jobs=[""]), 72_000.0, 0.0) == full
    assert worker_wanted(state(queued=None, jobs=["", ""]), 72_000.0, 0.0) is None
    assert worker_wanted(state(queued=0.0, jobs=[]), 72_000.0, 9e9) is None, "another notice says that none lives"


def test_the_operators_page_says_that_another_worker_is_needed(client, redis, live):
    now = time.time()
    Heartbeats(redis).write(Heartbeat("worker", "here", 7, now, now, job="pushed-1"))
    StatusBoard(redis).write("small", RunStatus("small-1", "queued", now - 3600, now - 3600))
    live.refresh()
    assert (
        "A run waits for 1 h because every worker is busy. Start another: <code>cotag worker</code>"
        in client.get("/ops").text
    )


def counted(metrics, requests):
    for _ in range(requests):
        metrics.observed("/v1/corpora", "GET", 200).observe(0.001)


@pytest.mark.parametrize("shared", [False, True])
def test_requests_of_the_last_day_are_told_and_not_those_before(tmp_path, shared):
    metrics = Metrics()
    window = DayWindow(metrics.gathered, tmp_path if shared else None)
    window.note(0.0)
    counted(metrics, 5)
    totals, seconds = window.last_day(60.0)
    assert (totals.statuses["200"], seconds) == (5, 60.0)
    for moment in range(600, 90_000, 600):
        window.note(float(moment))
        if moment == 43_200:
            counted(metrics, 3)
    other = DayWindow(metrics.gathered, tmp_path) if shared else window
    totals, seconds = other.last_day(89_400.0)
    assert (totals.statuses["200"], seconds) == (3, 86_400.0)
    assert len(window._samples) <= 147, "old samples are dropped"


def test_damaged_samples_are_no_error(tmp_path):
    (tmp_path / "day.json").write_text("[[1, 2]]")
    window = DayWindow(Metrics().gathered, tmp_path)
    window.note(10.0)
    assert window.last_day(20.0)[1] == 10.0
    assert read_totals(Metrics().gathered()) == Totals()


def test_a_view_from_a_store_without_steps_has_none(redis, store):
    store.publish(published())
    live = LiveSnapshots(SnapshotStore(redis), StatusBoard(redis), change_log=ChangeLog(redis))
    live.refresh()
    assert live.view("small").steps == []
