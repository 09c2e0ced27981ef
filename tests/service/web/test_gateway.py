"""The event loop and Flask behind it: one policy, the same bytes, bounded threads."""

import asyncio
import threading

import pytest

from service import gateway as gateways
from service.app import create_gateway
from service.live.snapshots import Freshness, LiveSnapshots
from service.live.store_gate import gated
from service.pages.frame.renderer import Renderer
from service.settings import ServiceSettings
from service.web import threads
from service.web.http import HttpResponse
from service.web.metrics import Metrics
from service.web.policy.access import digest
from snapshot import CorpusRegister, StatusBoard, StoreUnavailable, connect
from tests.clustered import NOON, published
from tests.service.asking import ask, ask_async, run, scope_of
from tests.service.conftest import KEY

SMALL = "/v1/corpora/small"
CLOUD = f"{SMALL}/cloud"

ADDRESSES = [
    CLOUD,
    f"{CLOUD}?q=payments&limit=3",
    f"{CLOUD}?q=pay%6Dent+%C3%A9t%C3%A9",
    f"{CLOUD}?q=%FF%FE+cash",
    f"{CLOUD}?tag=&q=cash",
    f"{CLOUD}?tag=none",
    f"{CLOUD}?limit=1&limit=2",
    f"{CLOUD}?unknown=1",
    "/v1/corpora/small/related?tag=payment&tag=Cash",
    "/v1/corpora/small/tags?prefix=c",
    "/v1/corpora/small/tag?tag=credit%20card",
    "/v1/corpora/small/clusters?k=2",
    "/v1/corpora/small/clusters?k=2&format=csv",
    "/v1/corpora/small/clusters?k=99",
    "/v1/corpora/small/clusters/99",
    "/v1/corpora/small/dendrogram?format=svg",
    "/v1/corpora/small/dendrogram?side=documents",
    "/v1/corpora/small/curve",
    "/v1/corpora/small/picture",
    "/v1/corpora/small/classify?tag=cash",
    "/v1/corpora/small/snapshots",
    "/v1/corpora/none/cloud",
    "/v1/corpora/pushed/cloud",
    "/v1/corpora/small/nothing",
    "/v1/corpora/small/cloud/",
    "/v1/jobs/none",
    "/v1/jobs/%00",
    "/healthz",
    "/healthz?x=1",
    "/readyz",
    "/",
    "/?q=payments",
    "/?q=zzzz",
    "/?tag=Cash&tag=payment&groups=2&specificity=0.9",
    "/?q=pay%6Dents%01&corpus=small",
    "/?corpus=pushed",
    "/?corpus=pushed&tag=cash",
    "/?corpus=none&corpus=small&tag=cash",
    "/explore?corpus=small",
    "/embed",
    "/docs",
    "/openapi.json",
    "/static/cotag.css",
    "/static/none.css",
    "/%E9t%E9",
    "/a%2Fb",
]
CONFIGURED = {
    "cors_origins": "https://shop.example",
    "read_keys": digest(KEY),
    "rate_limit": 1e9,
    "trusted_proxies": 1,
}
HEADERS = [
    {},
    {"Accept-Encoding": "gzip"},
    {"If-None-Match": "*", "Accept-Encoding": "br"},
    {"X-API-Key": KEY, "Origin": "https://shop.example", "X-Forwarded-For": "10.1.1.1"},
    {"X-API-Key": "wrong", "Origin": "https://evil.example"},
]


def another(redis, store):
    """The same snapshots as another process holds them. Its clock stands still, so nothing becomes stale."""
    live = LiveSnapshots(
        store, StatusBoard(redis), lambda: 1.8e9, register=CorpusRegister(redis), answer_bytes=1_000_000
    )
    live.refresh()
    return live


@pytest.fixture
def gateway_with(environment, live, redis):
    """The ASGI application over the small snapshot, with some settings."""

    def build(**settings):
        return create_gateway(live, redis, ServiceSettings(**settings), Metrics())

    return build


@pytest.mark.parametrize(
    "settings", [{}, pytest.param(CONFIGURED, marks=pytest.mark.slow)], ids=["plain", "configured"]
)
def test_an_answer_from_memory_has_the_bytes_that_a_thread_made(live, environment, redis, store, settings):
    """One gateway makes each answer in a thread, because nothing is quick there; the other where it likes."""
    gateway = create_gateway(another(redis, store), redis, ServiceSettings(**settings), Metrics())
    slow = create_gateway(another(redis, store), redis, ServiceSettings(**settings), Metrics())
    slow._from_memory = lambda *_: None
    for address in ADDRESSES:
        for method in ("GET", "HEAD", "OPTIONS", "PUT"):
            for headers in HEADERS:
                sent = {"X-Request-ID": "same", "Host": "localhost", **headers}
                for _ in range(2):  # new, then remembered
                    quick, made = (ask(each, address, method=method, headers=sent) for each in (gateway, slow))
                    assert quick == made, (method, address, headers)


def test_a_refused_write_is_refused_before_its_body_is_read(gateway_with):
    async def receive():
        raise AssertionError("the body was read")

    answered = []

    async def send(message):
        answered.append(message)

    gateway = gateway_with(api_keys=digest(KEY))

    run(gateway(scope_of("POST", "/v1/corpora/pushed/documents", {"Content-Length": "9"}), receive, send))
    assert answered[0]["status"] == 401


@pytest.mark.parametrize("pieces", [[b"x" * 60, b"y" * 60], [b"x" * 120]])
def test_a_body_that_is_too_large_is_refused_whether_announced_or_not(gateway_with, pieces):
    gateway = gateway_with(api_keys=digest(KEY), max_body_bytes=100)
    for headers in ({}, {"Content-Length": "120"}):
        sent = {"X-API-Key": KEY, **headers}
        answered = ask(gateway, "/v1/corpora/pushed/documents", method="POST", headers=sent, body=list(pieces))
        assert (answered.status, answered.headers["content-type"]) == (413, "application/problem+json")


def test_a_body_that_breaks_off_stores_nothing(gateway_with, redis):
    gateway = gateway_with(api_keys=digest(KEY))
    line = b'{"id": "1", "tags": ["cash"]}\n'
    address, headers = "/v1/corpora/pushed/documents", {"X-API-Key": KEY, "Content-Type": "application/x-ndjson"}
    assert ask(gateway, address, method="POST", headers=headers, body=[line, None]) is None
    whole = ask(gateway, address, method="POST", headers=headers, body=[line[:9], line[9:]])
    assert (whole.status, whole.json["documents"]) == (200, 1)


def test_requests_for_the_store_never_take_the_threads_of_others(gateway_with, monkeypatch):
    """Two threads wait for the store; pages, pictures and trees of tags have threads of their own."""
    gateway = gateway_with(web_threads=1)
    hang, asked = threading.Event(), []
    respond = gateway.flask.respond

    def slow(request, route, environ):
        if environ["PATH_INFO"] in {"/v1/jobs/x", "/ops", "/v1/corpora/small/snapshots"} or (
            "documents" in environ["QUERY_STRING"]
        ):
            asked.append(threading.current_thread().name)
            hang.wait()
        return respond(request, route, environ)

    gateway.flask.respond = slow

    async def scenario():
        hung = [
            asyncio.ensure_future(ask_async(gateway, address))
            for address in [
                "/v1/jobs/x",
                "/ops",
                "/v1/corpora/small/snapshots",
                f"{SMALL}/dendrogram?side=documents",
            ]
            * 5
        ]
        while len(asked) < gateways.STORE_THREADS:
            await asyncio.sleep(0.01)
        for address in ("/", "/explore", f"{SMALL}/dendrogram", f"{SMALL}/picture", CLOUD, "/healthz"):
            assert (await ask_async(gateway, address)).status == 200
        waiting = len(asked)
        hang.set()
        return waiting, [(await one).status for one in hung]

    waiting, statuses = run(scenario())
    assert waiting == gateways.STORE_THREADS == len(set(asked))
    assert set(statuses) == {200, 404}


def test_too_long_a_line_for_the_threads_is_refused_at_once(gateway_with, monkeypatch):
    monkeypatch.setattr(threads, "WAITING", 1)
    gateway = gateway_with(web_threads=1)
    hang = threading.Event()
    gateway.flask.respond = lambda *_: hang.wait() and HttpResponse(200, {}, b"")

    async def scenario():
        first = [asyncio.ensure_future(ask_async(gateway, f"/docs?{number}")) for number in range(2)]
        await asyncio.sleep(0)
        third = await ask_async(gateway, "/docs?2")
        hang.set()
        return third, [(await one).status for one in first]

    third, statuses = run(scenario())
    assert (third.status, third.headers["content-type"], third.headers["retry-after"]) == (
        503,
        "application/problem+json",
        "5",
    )
    assert statuses == [200, 200]


def test_a_store_known_to_be_away_is_not_asked(live, redis_url, store):
    """Not even a connection is tried: the client fails before it."""
    plain = connect(redis_url, timeout=3.0)
    client = gated(plain, live)
    assert client.ping()
    assert client.connection_pool.connection_kwargs == plain.connection_pool.connection_kwargs
    live._freshness = Freshness(connected=False, since=0.0)
    with pytest.raises(StoreUnavailable, match="the store is away"):
        StatusBoard(client).read("small")
    live._freshness = Freshness(connected=True, since=0.0)
    assert StatusBoard(client).read("small") is None


def test_an_unexpected_error_on_the_loop_is_a_logged_problem(gateway_with, live, monkeypatch, capsys):
    gateway = gateway_with()
    monkeypatch.setattr(live, "view", lambda _: 1 / 0)
    answered = ask(gateway, CLOUD)
    assert (answered.status, answered.headers["content-type"]) == (500, "application/problem+json")
    assert "unexpected error" in capsys.readouterr().out


def test_both_ways_are_measured_and_logged_once_with_the_same_fields(environment, live, redis):
    said, metrics = [], Metrics()
    gateway = create_gateway(live, redis, ServiceSettings(), metrics, said.append)
    for address in (CLOUD, "/v1/corpora/small/curve", "/nowhere", "/?q=cash", "/?q=cash"):
        ask(gateway, address, headers={"X-Request-ID": "one"})
    assert [(line["path"], line["status"], line["request_id"]) for line in said] == [
        (CLOUD, 200, "one"),
        ("/v1/corpora/small/curve", 200, "one"),
        ("unmatched", 404, "one"),
        ("/", 200, "one"),
        ("/", 200, "one"),
    ]
    counts = {
        (sample.labels["route"], sample.labels["status"]): sample.value
        for family in metrics.registry.collect()
        for sample in family.samples
        if sample.name == "cotag_request_seconds_count"
    }
    assert counts == {
        ("/v1/corpora/<string:corpus>/cloud", "200"): 1,
        ("/v1/corpora/<string:corpus>/curve", "200"): 1,
        ("unmatched", "404"): 1,
        ("/", "200"): 2,
    }


def test_pages_are_remembered_until_what_they_show_changes(gateway_with, live, store, redis, monkeypatch):
    rendered, render = [], Renderer.render
    monkeypatch.setattr(Renderer, "render", lambda *given, **more: rendered.append(1) or render(*given, **more))
    gateway = gateway_with()
    first, again = ask(gateway, "/?q=cash"), ask(gateway, "/?q=cash")
    assert first.body == again.body
    assert len(rendered) == 1
    unchanged = ask(gateway, "/?q=cash", headers={"If-None-Match": first.headers["etag"]})
    assert (unchanged.status, unchanged.body) == (304, b"")
    store.publish(published(NOON.replace(hour=13)))
    live.refresh()
    ask(gateway, "/?q=cash")
    assert len(rendered) == 2
    monkeypatch.setattr(live, "_freshness", Freshness(connected=False, since=0.0))
    stale = ask(gateway, "/?q=cash")
    assert len(rendered) == 3
    assert stale.body != first.body
    assert ask(gateway, "/?tag=nothing-like-this").status == 404
    assert ask(gateway, "/?tag=nothing-like-this").status == 404
    assert len(rendered) == 5


def test_rates_count_the_same_whoever_answers(gateway_with):
    """Two quick answers and one page use up the allowance that the next of either kind then lacks."""
    gateway = gateway_with(rate_limit=3, web_workers=2)
    gateway._policy._limit._clock = lambda: 0.0  # no time passes, so nothing is given back
    statuses = [ask(gateway, address).status for address in (CLOUD, CLOUD, "/docs", CLOUD, "/docs", "/healthz")]
    assert statuses == [200, 200, 200, 429, 429, 200]


@pytest.mark.parametrize(
    ("address", "on_loop"),
    [
        (f"{CLOUD}?tag=payment", True),
        (f"{SMALL}/related?q=payments", True),
        (f"{SMALL}/tags?prefix=p", True),
        (f"{SMALL}/tag?tag=cash", True),
        ("/healthz", True),
        ("/readyz", True),
        (f"{CLOUD}?q=paymnet", False),
        (f"{SMALL}/tags?infix=a", False),
        (f"{SMALL}/clusters?k=3", False),
        (f"{SMALL}/dendrogram", False),
        ("/metrics", False),
        ("/openapi.json", False),
        ("/", False),
    ],
)
def test_only_what_takes_a_moment_runs_on_the_loop_and_what_was_answered_does(gateway_with, address, on_loop):
    gateway = gateway_with()
    respond, threads = gateway.flask.respond, []
    gateway.flask.respond = lambda *given: threads.append(1) or respond(*given)
    assert ask(gateway, address).status == 200
    assert bool(threads) is not on_loop
    threads.clear()
    assert ask(gateway, address).status == 200
    assert bool(threads) is (address in {"/metrics", "/openapi.json"})


def test_the_same_question_is_answered_once_for_all_who_wait(gateway_with):
    gateway = gateway_with()
    respond, made, hold = gateway.flask.respond, [], threading.Event()
    gateway.flask.respond = lambda *given: [made.append(1), hold.wait()] and respond(*given)

    async def scenario(address):
        asked = [asyncio.ensure_future(ask_async(gateway, address)) for _ in range(20)]
        await asyncio.sleep(0)
        hold.set()
        return [await one for one in asked]

    answers = run(scenario(f"{SMALL}/clusters?k=3"))
    assert len(made) == 1
    assert {answer.status for answer in answers} == {200}
    assert len({answer.body for answer in answers}) == 1
    made.clear()
    unknown = run(scenario(f"{SMALL}/clusters?k=99"))  # not remembered: everybody gets an answer of their own
    assert {answer.status for answer in unknown} == {422}
