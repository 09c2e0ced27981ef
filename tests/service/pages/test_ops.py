"""The operators' page."""

import math
import re
from collections import Counter

import pytest

from service.pages.ops.metrics_summary import metrics_summary, quantile
from service.pages.ops.ops import ops_page
from service.web.day_window import read_totals
from service.web.metrics import Metrics
from snapshot import STAGES, ClusterLineage, Lineage, RunStatus, SnapshotStore, StatusBoard, connect
from tests.clustered import NOON, VERSION, published, snapshot_at
from tests.service.api.test_api import get
from tests.service.heartbeats import write_heartbeats

LINEAGE = Lineage(
    ari=0.8,
    clusters={
        0: ClusterLineage((0,), "kept"),
        1: ClusterLineage((1, 4), "merged"),
        2: ClusterLineage((), "new"),
    },
    gone=(4,),
    moved=0.125,
    next_id=5,
    previous=VERSION,
    runs_since_fresh=1,
)
"""Of a run that found two concepts to be one, and another new; the topics never change so."""


def later(hour, **changes):
    return published(NOON.replace(hour=hour), **changes)


def test_every_corpus_is_there_also_one_without_a_snapshot(client):
    html = client.get("/ops").text
    assert "A small corpus" in html
    assert "every 24 hours" in html
    assert "200 documents, 33 tags, 4 concepts" in html
    assert "no snapshot yet" in html
    assert "every hour, pushed documents" in html


def test_a_run_is_shown_stage_by_stage(client, live, redis):
    board = StatusBoard(redis)
    write_heartbeats(redis, job="small-1")
    board.write("small", RunStatus("small-1", "running", 1000.0, 1001.0, stage="agglomerate", done=30, total=120))
    board.write("pushed", RunStatus("pushed-1", "queued", 1000.0, 1001.0))
    live.refresh()
    html = client.get("/ops").text
    stages = re.findall(r'<li class="(done|now|later)"', html)
    before = STAGES.index("agglomerate")
    assert stages == ["done"] * before + ["now"] + ["later"] * (len(STAGES) - before - 1)
    assert 'value="0.250" aria-label="agglomerate"' in html
    assert 'data-method="DELETE" data-path="/v1/jobs/small-1"' in html
    assert "A run waits for its turn" in html
    assert 'data-pace="1"' in html


def test_a_stage_that_only_large_corpora_have_is_shown_while_they_are_there(client, live, redis):
    write_heartbeats(redis, job="small-1")
    StatusBoard(redis).write("small", RunStatus("small-1", "running", 1000.0, 1001.0, stage="group", done=1, total=6))
    live.refresh()
    html = client.get("/ops").text
    assert re.findall(r'<li class="(?:done|now)"[^>]*><span>(\w+)', html) == ["load", "matrix", "smooth", "group"]


def test_workers_and_schedulers_are_shown_with_what_they_do(client, live, redis):
    write_heartbeats(redis, job="small-1")
    live.refresh()
    html = client.get("/ops").text
    assert re.search(r"<dt>Workers</dt><dd>1</dd>.*<dt>Schedulers</dt><dd>1</dd>", html, re.DOTALL)
    assert re.search(r"<li>Worker on here, process 7, Cotag 1.2, for \d+ [^:]*: runs small-1</li>", html)
    assert re.search(r"<li>Scheduler on here, process 8, Cotag 1.2, for [^:]*</li>", html)
    assert "is running" not in html
    write_heartbeats(redis)
    live.refresh()
    assert "waits for a job" in client.get("/ops").text


def test_a_worker_or_scheduler_that_is_missing_is_told_and_what_follows(client, live, redis):
    html = client.get("/ops").text
    assert "No worker is running: no run begins or goes on. Start one: <code>cotag worker</code>" in html
    assert "No scheduler is running: no run is queued. Start one: <code>cotag scheduler</code>" in html
    write_heartbeats(redis)
    live.refresh()
    redis.flushall()
    live.refresh()
    assert re.search(r"No worker is running \(the last sign of life was [^)]+ ago\)", client.get("/ops").text)


def test_nobody_knows_which_workers_live_while_the_store_is_away(client, live, redis, tmp_path):
    write_heartbeats(redis)
    live.refresh()
    live._store = SnapshotStore(connect(f"unix://{tmp_path}/gone.sock", timeout=0.2))
    live._try_refresh()
    html = client.get("/ops").text
    assert "Workers" not in html
    assert "worker is running" not in html


def test_a_run_that_nobody_works_on_is_not_said_to_be_running(client, live, redis):
    StatusBoard(redis).write("small", RunStatus("small-1", "running", 1000.0, 1001.0, stage="smooth"))
    StatusBoard(redis).write("pushed", RunStatus("pushed-1", "queued", 1000.0, 1001.0))
    live.refresh()
    html = client.get("/ops").text
    assert html.count("A run waits, but no worker is running") == 2
    assert '<ol class="stages"' not in html
    write_heartbeats(redis)
    live.refresh()
    html = client.get("/ops").text
    assert "A run was interrupted" in html
    assert "A run waits for its turn" in html


@pytest.mark.parametrize(
    ("state", "error", "shown"),
    [
        ("failed", "", "last run failed"),
        ("held", "", "held for inspection"),
        ("unchanged", "", "unchanged"),
    ],
)
def test_how_the_last_run_ended_is_told(client, live, *, redis, state, error, shown):
    StatusBoard(redis).write("small", RunStatus("small-1", state, 1000.0, 1030.0, error=error))
    live.refresh()
    html = client.get("/ops").text
    assert shown in html
    assert error in html
    assert "took 30 s" in html
    assert 'data-pace="3"' in html


def test_the_history_tells_drift_and_lineage_and_offers_to_roll_back(client, live, store):
    recall = {"recall": 0.437}
    store.publish(later(13, lineage=LINEAGE, timings={"load": 1.5, "agglomerate": 70.0}, suggestions=recall))
    live.refresh()
    html = client.get("/ops").text
    assert "1 kept, 1 merged, 1 new, 1 gone" in html
    merged = get(client, "/v1/corpora/small/clusters/1")["label"]
    assert f"<li>{merged}: merged from 1, 4</li>" in html
    assert "12 %" in html
    assert "44 %" in html
    assert "1 min" in html
    assert "/snapshots/20261116T120000.000Z/activate" in html
    assert "/snapshots/20261116T130000.000Z/activate" not in html
    assert "Roll back" in html
    store.activate("small", "20261116T120000.000Z")
    live.refresh()
    assert "Roll forward" in client.get("/ops").text


def test_bits_and_npmi_are_shown_and_a_warning_if_the_concepts_mean_little(client, live, store):
    figures = {**snapshot_at().quality, "bits": 1.5, "random_bits": 0.25, "npmi": 0.125}
    store.publish(later(13, quality=figures))
    live.refresh()
    html = client.get("/ops").text
    assert "+1.25" in html
    assert "NPMI 0.12" in html
    assert "mean little" not in html
    store.publish(later(14, quality={**figures, "bits": 0.3}))
    live.refresh()
    assert '<p class="notice">These concepts mean little' in client.get("/ops").text
    warnings = [each["warning"] for each in get(client, "/v1/corpora/small/snapshots")["snapshots"]]
    assert [warning is None for warning in warnings] == [False, True, True]
    assert get(client, "/v1/corpora/small")["warning"] == warnings[0]


def test_a_version_that_cannot_be_read_is_told_and_not_offered(client, live, store, redis):
    store.publish(later(13))
    redis.set("cotag:small:v:20261116T120000.000Z:meta", b"broken")
    html = client.get("/ops").text
    assert "the snapshot&#39;s meta is not JSON" in html
    assert "20261116T120000.000Z/activate" not in html


def test_without_the_store_the_page_shows_what_is_served(live, app_with, redis):
    from service.app import create_gateway
    from service.settings import ServiceSettings
    from snapshot import connect
    from tests.service.asking import Served

    away = connect("redis://127.0.0.1:1/0", timeout=0.2)
    client = Served(create_gateway(live, away, ServiceSettings(), Metrics())).test_client()
    html = client.get("/ops").text
    assert "The store is away" in html
    assert "20261116T120000.000Z" in html
    assert "Roll back" not in html


def test_nothing_at_all_is_told(environment, redis, store):
    from service.live.snapshots import LiveSnapshots

    assert ops_page(LiveSnapshots(store, StatusBoard(redis)), redis, Metrics(), operates=True).corpora == []


def test_the_summary_of_the_metrics_is_what_was_counted():
    metrics = Metrics()
    for seconds, status in [(0.0004, 200)] * 98 + [(0.02, 404), (0.02, 503)]:
        metrics.observed("/x", "GET", status).observe(seconds)
    metrics.observed("/readyz", "GET", 503).observe(0.1)
    metrics.cache_hits.inc(3)
    metrics.cache_misses.inc()
    metrics.limited.inc(2)
    metrics.refused.labels("small", "corrupt").inc()
    found = metrics_summary(read_totals(metrics.gathered()))
    assert (found.requests, found.failed, found.limited, found.refused) == (100, 1, 2, 1)
    assert found.cached == 0.75
    assert 0 < found.median < 0.0005
    assert 0.01 < found.slow <= 0.025
    empty = metrics_summary(read_totals(Metrics().gathered()))
    assert (empty.requests, empty.median, empty.cached) == (0, None, None)


def test_quantiles_of_a_histogram():
    buckets = Counter({1.0: 50, 2.0: 100, math.inf: 100})
    assert quantile(buckets, 0.5) == 1.0
    assert quantile(buckets, 0.75) == 1.5
    assert quantile(Counter({1.0: 0, math.inf: 10}), 0.5) == 1.0
    assert quantile(Counter(), 0.5) is None


def test_the_page_needs_nothing_from_elsewhere_and_runs_no_inline_code(client):
    answer = client.get("/ops")
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    assert " style=" not in answer.text
    assert not re.search(r"<script(?![^>]* src=)", answer.text)
    assert not re.search(r"\son\w+=", answer.text)
