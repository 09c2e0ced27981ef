"""Why a corpus has no snapshot: API, page, readiness and metrics say the same, and it is true."""

import html
import re
import time
from datetime import timedelta

import pytest

from service.app import create_gateway
from service.live.snapshots import LiveSnapshots
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from snapshot import (
    EXPIRY_SECONDS,
    SCHEMA,
    CorpusRegister,
    Heartbeats,
    RegisteredCorpus,
    RunStatus,
    SnapshotStore,
    StatusBoard,
    connect,
)
from snapshot.store import keys
from snapshot.version.encoding.codec import NEWER
from tests.clustered import NOON, published
from tests.service.api.test_api import get, problem
from tests.service.asking import Served
from tests.service.heartbeats import write_heartbeats
from tests.service.live.test_live_snapshots import of_schema

LONG_AGO = EXPIRY_SECONDS + 60
BOTH = ("worker", "scheduler")


@pytest.fixture
def declared(redis):
    """`small` is declared, and nothing more."""
    CorpusRegister(redis).write({"small": RegisteredCorpus("small", "A small corpus", "24h", time.time() + 7300)})
    return redis


def service(redis, environment):
    """An app and its snapshots, read from the store once."""
    metrics = Metrics()
    live = LiveSnapshots(
        SnapshotStore(redis), StatusBoard(redis), register=CorpusRegister(redis), heartbeats=Heartbeats(redis)
    )
    live._try_refresh()
    return Served(create_gateway(live, redis, ServiceSettings(), metrics)).test_client(), live


def run(redis, state, age=0.0, **fields):
    then = time.time() - age
    StatusBoard(redis).write("small", RunStatus("small-1", state, then, then, **fields))


def case(reason, detail, *, parts=BOTH, job="", reload=None, **status):
    name = " ".join([reason, *map(str, status.values()), "with", *(parts or ["nobody"])])
    return pytest.param(reason, detail, parts, job, reload, status, id=name)


CASES = [
    case(
        "clustering",
        "there is no snapshot of small yet; its first clustering is under way",
        state="running",
        reload="2",
    ),
    case("clustering", "first clustering is under way", state="running", age=LONG_AGO, job="small-1", reload="2"),
    case("clustering", "first clustering is under way", state="running", parts=(), reload="2"),
    case("queued", "a run waits for a worker", state="queued", reload="2"),
    case("queued", "a run waits for a worker", state="queued", age=LONG_AGO, parts=("worker",), reload="2"),
    case("queued", "its first run is queued soon", reload="2"),
    case(
        "no-worker",
        "a run is queued, but no worker is running (start one: cotag worker)",
        state="queued",
        parts=("scheduler",),
        reload="10",
    ),
    case(
        "no-worker",
        "a run was interrupted, and no worker is running (start one: cotag worker)",
        state="running",
        age=LONG_AGO,
        parts=("scheduler",),
        reload="10",
    ),
    case(
        "interrupted",
        "a run was interrupted; it is tried again soon, at the latest in 2 h 1 min",
        state="running",
        age=LONG_AGO,
        job="another-job",
        reload="10",
    ),
    case(
        "no-scheduler",
        "a run was interrupted, and no scheduler is running (start one: cotag scheduler)",
        state="running",
        age=LONG_AGO,
        parts=("worker",),
        reload="10",
    ),
    case(
        "no-scheduler", "there is no snapshot of small yet, and no scheduler is running", parts=("worker",), reload="10"
    ),
    case(
        "failed",
        "there is no snapshot of small; its last run failed (its source or a setting is at fault, or Cotag itself);"
        " the next run is due in 2 h 1 min",
        state="failed",
        error="line 7 is <no> document",
    ),
    case(
        "failed",
        "Cotag itself); no scheduler is running (start one: cotag scheduler)",
        state="failed",
        error="line 7",
        parts=(),
    ),
    case(
        "failed",
        "(its source cannot be reached); it is tried again soon, at the latest in 2 h 1 min",
        state="failed",
        error="SourceUnavailable: no answer",
        transient=True,
        reload="10",
    ),
    case("cancelled", "its last run was cancelled; the next run is due in 2 h 1 min", state="cancelled"),
    case("held", "version V is held for inspection", state="held", version="V"),
    case("unreadable", "version V of small is no longer in the store", state="done", version="V"),
    case("unreadable", "version V of small is no longer in the store", state="unchanged", version="V"),
]


@pytest.mark.parametrize(("reason", "detail", "parts", "job", "reload", "status"), CASES)
def test_api_page_and_readiness_say_why(declared, environment, *, reason, detail, parts, job, reload, status):
    write_heartbeats(declared, parts, job)
    if status:
        run(declared, **status)
    client, _ = service(declared, environment)
    told(client, reason, detail, reload)


def told(client, reason, detail, reload):
    """All that a client can ask about the corpus gives the same reason."""
    for path in ("/v1/corpora/small", "/v1/corpora/small/cloud?q=rain", "/v1/corpora/small/picture"):
        answer = client.get(path)
        assert int(answer.headers["Retry-After"]) > 0
        found = problem(client, path, 503)
        assert found["reason"] == reason
        assert detail in found["detail"]
        assert ("under way" in found["detail"]) == (reason == "clustering" or "under way" in detail)
    assert get(client, "/readyz", 503)["missing"] == {"small": reason}
    for path in ("/", "/?corpus=small", "/explore?corpus=small", "/embed?corpus=small"):
        page = client.get(path)
        assert page.status_code == 503
        notice = html.unescape(re.search(r'<p class="notice" role="status">(.*?)</p>', page.text)[1])
        for_visitors = path.startswith("/?") or path == "/"
        assert detail[1:] in html.unescape(page.text)
        assert (detail[1:] in notice) == (not for_visitors)
        for word in ("snapshot", "worker", "scheduler", "corpus", "clustering") if for_visitors else ():
            assert word not in notice
        assert page.headers.get("Refresh") == reload
        assert ("This page looks again by itself." in notice) == (reload is not None)


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        ("schema", f"the snapshot has schema 99; this Cotag reads schemas 1 to {SCHEMA}: {NEWER}"),
        ("arrays", "the checksum of its arrays does not match"),
        ("gone", "version 20261116T120000.000Z is missing in the store"),
    ],
)
@pytest.mark.parametrize(
    ("state", "follows", "reload"),
    [("running", "a new run is under way", "10"), ("done", "the next run is due in 2 h 1 min", None)],
)
def test_a_version_that_cannot_be_read_is_told_and_why(
    declared, environment, store, *, damage, fault, state, follows, reload
):
    encoded = published()
    store.publish(of_schema(encoded, 99) if damage == "schema" else encoded)
    if damage == "arrays":
        declared.setrange(keys.part("small", encoded.version, "arrays"), 50, b"damage")
    if damage == "gone":
        declared.delete(keys.part("small", encoded.version, "arrays"))
    write_heartbeats(declared)
    run(declared, state)
    client, live = service(declared, environment)
    told(client, "unreadable", f"{fault}); {follows}", reload)
    assert fault in html.unescape(client.get("/ops").text)
    store.publish(published(NOON + timedelta(minutes=1)))
    live.refresh()
    assert get(client, "/readyz")["missing"] == {}


def test_a_run_that_ends_while_the_store_is_read_leaves_no_wrong_reason(declared, environment, store, monkeypatch):
    """Its end is never seen without its version."""
    read = StatusBoard.read_all

    def at_the_last_moment(board, corpora):
        if store.current("small") is None:
            store.publish(published())
            run(declared, "done", version=published().version)
        return read(board, corpora)

    monkeypatch.setattr(StatusBoard, "read_all", at_the_last_moment)
    client, live = service(declared, environment)
    assert live.status("small").state == "done"
    assert get(client, "/readyz")["missing"] == {}


def test_a_store_that_was_never_there_is_told_whatever_the_corpus(environment, tmp_path):
    gone = connect(f"unix://{tmp_path}/gone.sock", timeout=0.2)
    client, _ = service(gone, environment)
    for path in ("/v1/corpora/small/cloud", "/v1/corpora/anything"):
        found = problem(client, path, 503)
        assert found["reason"] == "store-away"
        assert "the store is away, and this service has no snapshot of" in found["detail"]
    assert "The store is away, and this service has no snapshot at all." in client.get("/").text
    assert client.get("/").headers["Refresh"] == "10"


def test_a_store_that_goes_away_before_the_first_snapshot_is_told(declared, environment, tmp_path):
    write_heartbeats(declared)
    run(declared, "running")
    client, live = service(declared, environment)
    live._store = SnapshotStore(connect(f"unix://{tmp_path}/gone.sock", timeout=0.2))
    live._try_refresh()
    told(client, "store-away", "the store is away, and this service has no snapshot of small", "10")
    assert problem(client, "/v1/corpora/nothing", 404)["reason"] is None


def test_without_any_corpus_the_page_says_what_is_missing(redis, environment):
    client, live = service(redis, environment)
    assert "No corpus is declared, and no scheduler is running (start one: cotag scheduler)." in client.get("/").text
    write_heartbeats(redis)
    live.refresh()
    page = client.get("/")
    assert "No corpus is declared yet." in page.text
    assert page.headers["Refresh"] == "2"


def test_a_corpus_that_nobody_declared_is_unknown_although_others_are_absent(declared, environment):
    client, _ = service(declared, environment)
    problem(client, "/v1/corpora/nothing/cloud", 404)
    page = client.get("/?corpus=nothing")
    assert page.status_code == 404
    assert "Refresh" not in page.headers


def test_a_question_never_asks_the_store(declared, environment, monkeypatch):
    client, _ = service(declared, environment)
    monkeypatch.setattr(StatusBoard, "read", None)
    monkeypatch.setattr(Heartbeats, "read", None)
    monkeypatch.setattr(CorpusRegister, "read", None)
    assert client.get("/v1/corpora/small/cloud").status_code == 503
    assert client.get("/v1/corpora/nothing/cloud").status_code == 404


def test_the_versions_of_a_declared_corpus_without_any_are_an_empty_list(declared, environment):
    client, _ = service(declared, environment)
    assert get(client, "/v1/corpora/small/snapshots")["total"] == 0
    problem(client, "/v1/corpora/nothing/snapshots", 404)


COUNT = r'cotag_request_seconds_count\{method="GET",route="([^"]*)",status="([^"]*)"\} (\d+)'


def counted(client):
    """Requests by route and status."""
    return {(route, status): int(number) for route, status, number in re.findall(COUNT, client.get("/metrics").text)}


@pytest.mark.parametrize(
    ("state", "status", "errors"), [("running", "waiting", 0), ("queued", "waiting", 0), ("failed", "503", 2)]
)
def test_a_corpus_that_is_not_yet_clustered_is_no_error_in_metrics_and_on_the_page(
    declared, environment, *, state, status, errors
):
    write_heartbeats(declared)
    run(declared, state)
    client, _ = service(declared, environment)
    for path in ("/v1/corpora/small/cloud", "/?corpus=small", "/readyz"):
        assert client.get(path).status_code == 503
    found = counted(client)
    for route in ("/v1/corpora/<string:corpus>/cloud", "/", "/readyz"):
        assert found[route, status] == 1
        assert (route, "503" if status == "waiting" else "waiting") not in found
    tile = re.search(r"<dt>Errors \(5xx\)</dt><dd>(?:<strong[^>]*>)?(\d+)", client.get("/ops").text)
    assert int(tile[1]) == errors


def test_readiness_counts_as_an_answer_while_something_is_served(client, live, redis):
    """Although another corpus is still being clustered."""
    write_heartbeats(redis)
    live.refresh()
    assert get(client, "/readyz")["missing"] == {"pushed": "queued"}
    assert counted(client)["/readyz", "200"] == 1


def test_metrics_count_living_workers_and_schedulers(declared, environment, tmp_path):
    client, live = service(declared, environment)
    assert {"cotag_workers 0.0", "cotag_schedulers 0.0"} <= set(client.get("/metrics").text.splitlines())
    write_heartbeats(declared)
    live.refresh()
    assert {"cotag_workers 1.0", "cotag_schedulers 1.0"} <= set(client.get("/metrics").text.splitlines())
    live._store = SnapshotStore(connect(f"unix://{tmp_path}/gone.sock", timeout=0.2))
    live._try_refresh()
    assert "cotag_workers" not in client.get("/metrics").text
