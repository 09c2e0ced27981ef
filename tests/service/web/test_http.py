"""What all answers have in common: validators, codings, caching, keys, rates, CORS, ids, headers, logs, metrics."""

import gzip
import json
import re
from datetime import timedelta

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.log_writer import LogWriter
from service.api_keys import parse_key
from service.app import create_gateway
from service.errors import KeyRequired, TooManyRequests
from service.response_cache import CachedResponse, ResponseCache
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from service.web.negotiation import matches, preferred
from service.web.policy.access import Access, ApiKeys, RateLimit, digest, request_key
from service.web.policy.request_log import ConsoleRequestLogger, JsonRequestLogger, discard, request_logger
from snapshot import SettingsError, read_settings
from tests.clustered import NOON, published
from tests.service.asking import Served
from tests.waiting import wait_until

CLOUD = "/v1/corpora/small/cloud"
BIG = "/v1/corpora/small/dendrogram?format=svg"


def test_the_same_question_has_the_same_strong_etag_and_a_304(client):
    first = client.get(CLOUD)
    tag = first.headers["ETag"]
    assert re.fullmatch(r'"20261116T120000\.000Z-0-[0-9a-f]{16}"', tag)
    again = client.get(CLOUD, headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == tag
    assert again.headers["Cache-Control"] == first.headers["Cache-Control"]
    assert client.get(CLOUD, headers={"If-None-Match": f'"other", W/{tag}'}).status_code == 304
    assert client.get(CLOUD, headers={"If-None-Match": '"other"'}).status_code == 200


def test_other_parameters_or_another_version_have_another_etag(client, store, live):
    tags = {client.get(f"{CLOUD}?limit={limit}").headers["ETag"] for limit in (1, 2, 60, 61)}
    assert len(tags) == 4
    before = client.get(CLOUD).headers["ETag"]
    store.publish(published(NOON + timedelta(days=1)))
    live.refresh()
    answer = client.get(CLOUD, headers={"If-None-Match": before})
    assert answer.status_code == 200
    assert answer.headers["Cotag-Version"] == answer.get_json()["version"] == "20261117T120000.000Z"


def test_caches_may_keep_answers_for_seconds_and_errors_not_at_all(client):
    assert client.get(CLOUD).headers["Cache-Control"] == (
        "public, max-age=5, stale-while-revalidate=30, stale-if-error=86400"
    )
    assert client.get("/v1/corpora").headers["Cache-Control"] == "no-cache"
    assert client.get("/v1/corpora/none").headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(("coding", "unpack"), [("gzip", gzip.decompress), ("br", brotli.decompress)])
@pytest.mark.parametrize("path", [BIG, "/openapi.json", "/docs", "/"])
def test_compressed_bodies_are_the_plain_ones_with_an_etag_of_their_own(client, coding, unpack, path):
    plain = client.get(path)
    packed = client.get(path, headers={"Accept-Encoding": coding})
    assert packed.headers["Content-Encoding"] == coding
    assert unpack(packed.data) == plain.data
    assert int(packed.headers["Content-Length"]) == len(packed.data) < len(plain.data)
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert "Accept-Encoding" in plain.headers["Vary"]
    if "ETag" in plain.headers:
        assert packed.headers["ETag"] == plain.headers["ETag"][:-1] + f'-{coding}"'
        tag = {"Accept-Encoding": coding, "If-None-Match": packed.headers["ETag"]}
        assert client.get(path, headers=tag).status_code == 304


def test_short_bodies_are_left_alone(client):
    assert "Content-Encoding" not in client.get("/healthz", headers={"Accept-Encoding": "gzip"}).headers


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("", "identity"),
        ("gzip", "gzip"),
        ("gzip, deflate, br", "br"),
        ("br;q=0.1, gzip;q=0.9", "gzip"),
        ("gzip;q=0", "identity"),
        ("*", "br"),
        ("*;q=0", "identity"),
        ("identity, gzip;q=0.5", "identity"),
        ("GZIP", "gzip"),
        ("gzip;q=nonsense", "identity"),
        ("br;q=0.5, gzip;q=0.5, *;q=0.8", "identity"),
    ],
)
def test_which_coding_is_preferred(accepted, coding):
    assert preferred(accepted) == coding


@given(st.text(max_size=60), st.text(max_size=30))
def test_no_header_breaks_negotiation(accepted, tag):
    assert preferred(accepted) in {"identity", "gzip", "br"}
    assert matches(accepted, tag) in {True, False}


def test_head_is_get_without_the_body(client):
    for path in (CLOUD, "/v1/corpora", "/", "/docs", "/openapi.json", "/metrics"):
        got, head = client.get(path), client.head(path)
        assert head.status_code == 200
        assert head.data == b""
        if path != "/metrics":
            assert head.headers["Content-Length"] == str(len(got.data))


def test_request_ids_are_kept_if_sensible_and_made_otherwise(client):
    assert client.get("/healthz", headers={"X-Request-ID": "abc-1"}).headers["X-Request-ID"] == "abc-1"
    for odd in ("", "x" * 65, "a b", "<script>"):
        made = client.get("/healthz", headers={"X-Request-ID": odd}).headers["X-Request-ID"]
        assert re.fullmatch(r"[0-9a-f]{16}", made)
    lost = client.get("/v1/corpora/none", headers={"X-Request-ID": "abc-2"})
    assert lost.get_json(force=True)["instance"] == "abc-2"


def test_every_answer_has_security_headers(client):
    for path, policy in ((CLOUD, "default-src 'none'"), ("/", "default-src 'self'"), ("/docs", "default-src 'self'")):
        headers = client.get(path).headers
        assert policy in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_bodies_have_a_limit(app_with):
    client = app_with(api_keys=digest("k"), max_body_bytes=100).test_client()
    answer = client.post("/v1/corpora/pushed/documents", data=b"x" * 101, headers={"X-API-Key": "k"})
    assert answer.status_code == 413
    assert answer.mimetype == "application/problem+json"


def test_writing_needs_a_known_key_in_either_header(app_with):
    client = app_with(api_keys=digest("right")).test_client()
    path = "/v1/corpora/small/jobs"
    for headers in ({}, {"X-API-Key": "wrong"}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic right"}):
        answer = client.post(path, headers=headers)
        assert (answer.status_code, answer.mimetype) == (401, "application/problem+json")
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    for headers in ({"X-API-Key": "right"}, {"Authorization": "Bearer right"}, {"Authorization": "bearer right"}):
        assert client.post(path, headers=headers).status_code == 202
    assert client.get(CLOUD).status_code == 200


def test_without_keys_nobody_writes(client):
    for method, path in (
        ("POST", "/v1/corpora/small/jobs"),
        ("DELETE", "/v1/jobs/x"),
        ("POST", "/v1/corpora/pushed/documents"),
        ("DELETE", "/v1/corpora/pushed/documents?all=true"),
        ("POST", "/v1/corpora/small/snapshots/20261116T120000.000Z/activate"),
    ):
        assert client.open(path, method=method, headers={"X-API-Key": "any"}).status_code == 403


def test_read_keys_close_everything_but_health_and_documentation(app_with):
    client = app_with(api_keys=digest("w"), read_keys=f"{digest('r')}, {digest('r2')}").test_client()
    for path in (CLOUD, "/v1/corpora", "/", "/metrics"):
        assert client.get(path).status_code == 401
        for key in ("r", "r2", "w"):
            assert client.get(path, headers={"X-API-Key": key}).status_code == 200
    for path in ("/healthz", "/readyz", "/docs", "/openapi.json", "/static/docs.css"):
        with client.get(path) as answer:
            assert answer.status_code == 200
    assert client.post("/v1/corpora/small/jobs", headers={"X-API-Key": "r"}).status_code == 403
    assert client.get(CLOUD, headers={"X-API-Key": "r"}).headers["Cache-Control"].startswith("private, ")


def test_keys_are_compared_by_their_digests_in_constant_time(monkeypatch):
    import hmac

    compared = []
    monkeypatch.setattr(hmac, "compare_digest", lambda a, b: compared.append((a, b)) or a == b)
    writing = [parse_key(digest(key), "operate") for key in "ab"]
    keys = ApiKeys([*writing, parse_key(digest("r"), "read")])
    keys.check(keys.access("", "a"), "operate")
    assert compared == [(digest("a"), other) for other in (digest("a"), digest("b"), digest("r"))]
    for header, scope in (("", "push"), ("made up", "operate"), ("", "read")):
        with pytest.raises(KeyRequired):
            keys.check(keys.access("", header), scope)
    assert request_key("Bearer  abc ", "") == "abc"


def test_only_headers_with_a_key_of_ours_are_remembered_and_not_without_end():
    key = parse_key(digest("r"), "read")
    keys = ApiKeys([key])
    for number in range(3000):
        assert keys.access("", f"made up {number}") == Access()
    assert not keys._remembered
    for spaces in range(3000):
        keys.check(keys.access("Bearer" + " " * (spaces + 1) + "r", ""), "read")
    assert 0 < len(keys._remembered) <= 1000
    assert keys.access("Bearer r", "") == keys.access("Bearer r", "") == Access(f"key {digest('r')}", key)


def test_settings_that_are_no_digests_fail_without_being_repeated(environment):
    environment.setenv("COTAG_API_KEYS", "plain-secret")
    with pytest.raises(SettingsError, match="COTAG_API_KEYS: every key is given by its SHA-256") as caught:
        read_settings(ServiceSettings)
    assert "plain-secret" not in str(caught.value)


def test_settings_are_read_with_commas(environment):
    environment.setenv("COTAG_API_KEYS", f"{digest('a')},{digest('b')}")
    environment.setenv("COTAG_CORS_ORIGINS", "https://a.example, https://b.example")
    found = read_settings(ServiceSettings)
    assert found.api_keys == (digest("a"), digest("b"))
    assert found.cors_origins == ("https://a.example", "https://b.example")
    assert digest("a") not in repr(found)


def test_a_client_that_asks_too_often_waits_and_others_do_not(app_with):
    app = app_with(rate_limit=2, web_workers=2, read_keys="", api_keys=digest("k"))
    client = app.test_client()
    statuses = [client.get(CLOUD).status_code for _ in range(4)]
    assert statuses == [200, 200, 429, 429]
    refused = client.get(CLOUD)
    assert refused.mimetype == "application/problem+json"
    assert int(refused.headers["Retry-After"]) >= 1
    assert client.get(CLOUD, environ_base={"REMOTE_ADDR": "10.0.0.9"}).status_code == 200
    assert client.get(CLOUD, headers={"X-API-Key": "k"}).status_code == 200
    assert client.get(CLOUD, headers={"X-API-Key": "made up"}).status_code == 429
    assert client.get("/healthz").status_code == 200
    assert "cotag_rate_limited_total 4.0" in client.get("/metrics", headers={"X-API-Key": "k"}).text


@pytest.mark.parametrize(("method", "path"), [("GET", "/docs"), ("GET", "/nothing"), ("PUT", CLOUD), ("BREW", CLOUD)])
def test_documents_and_paths_and_methods_that_do_not_exist_count_against_the_limit(app_with, method, path):
    client = app_with(rate_limit=1, web_workers=1).test_client()
    statuses = [client.open(path, method=method).status_code for _ in range(3)]
    assert statuses[2] == 429
    assert 429 not in statuses[:2]


def test_invented_methods_share_one_time_series(app_with):
    client = app_with().test_client()
    for number in range(20):
        client.open(CLOUD, method=f"BREW{number}")
    text = client.get("/metrics").text
    assert 'method="other"' in text
    assert "BREW" not in text


def test_tokens_come_back_with_time():
    now = [0.0]
    limit = RateLimit(2.0, lambda: now[0])
    for _ in range(4):
        limit.take("a")
    with pytest.raises(TooManyRequests):
        limit.take("a")
    now[0] += 0.5
    limit.take("a")
    with pytest.raises(TooManyRequests):
        limit.take("a")


def test_clients_that_come_and_go_do_not_fill_the_memory():
    limit = RateLimit(1.0)
    for number in range(12_000):
        limit.take(str(number))
    assert len(limit._left) == 10_000


def test_cors_is_off_by_default_and_for_strangers(client, app_with):
    origin = {"Origin": "https://a.example"}
    assert "Access-Control-Allow-Origin" not in client.get(CLOUD, headers=origin).headers
    shared = app_with(cors_origins="https://a.example").test_client()
    answer = shared.get(CLOUD, headers=origin)
    assert answer.headers["Access-Control-Allow-Origin"] == "https://a.example"
    assert "Origin" in ", ".join(answer.headers.getlist("Vary"))
    assert "Accept-Encoding" in ", ".join(answer.headers.getlist("Vary"))
    assert "Access-Control-Allow-Origin" not in shared.get(CLOUD, headers={"Origin": "https://b.example"}).headers
    everyone = app_with(cors_origins="*").test_client()
    assert everyone.get(CLOUD, headers=origin).headers["Access-Control-Allow-Origin"] == "*"


def test_a_preflight_is_answered_without_a_key(app_with):
    client = app_with(cors_origins="https://a.example", api_keys=digest("k"), read_keys=digest("r")).test_client()
    headers = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    answer = client.options("/v1/corpora/small/jobs", headers=headers)
    assert answer.status_code == 204
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]
    assert answer.headers["Access-Control-Allow-Origin"] == "https://a.example"


def test_proxies_are_believed_only_if_configured(app_with):
    def addresses(**settings):
        client = app_with(rate_limit=1, web_workers=1, **settings).test_client()
        return [
            client.get(CLOUD, headers={"X-Forwarded-For": f"10.0.0.{number}"}).status_code for number in range(1, 5)
        ]

    assert addresses() == [200, 200, 429, 429]
    assert addresses(trusted_proxies=1) == [200, 200, 200, 200]


def test_answers_are_cached_and_counted(client):
    for _ in range(3):
        client.get(CLOUD)
    text = client.get("/metrics").text
    assert 'cotag_answer_cache_total{result="hit"} 2.0' in text
    assert 'cotag_answer_cache_total{result="miss"} 1.0' in text


def test_cached_answers_stay_within_their_memory():
    answers = ResponseCache(100_000)
    for number in range(1000):
        answers.put(number, CachedResponse(b"x" * 1000, ""))
    assert answers.bytes <= 100_000
    assert answers.get(0) is None
    assert answers.get(999) is not None
    answers.put("large", CachedResponse(b"x" * 50_000, ""))
    assert answers.get("large") is None
    off = ResponseCache(0)
    off.put("a", CachedResponse(b"", ""))
    assert off.get("a") is None


def test_metrics_tell_latency_by_route_version_age_and_staleness(environment, live, redis):
    metrics = Metrics()
    live._metrics = metrics
    live._observed.clear()
    live.refresh()
    client = Served(create_gateway(live, redis, ServiceSettings(), metrics)).test_client()
    client.get(CLOUD)
    client.get("/v1/corpora/none/cloud")
    client.get("/nowhere")
    text = client.get("/metrics").text
    route = 'route="/v1/corpora/<string:corpus>/cloud"'
    assert f'cotag_request_seconds_count{{method="GET",{route},status="200"}} 1.0' in text
    assert f'cotag_request_seconds_count{{method="GET",{route},status="404"}} 1.0' in text
    assert 'route="unmatched",status="404"' in text
    assert 'cotag_snapshot_info{corpus="small",version="20261116T120000.000Z"} 1.0' in text
    assert 'cotag_stale{corpus="small"} 0.0' in text
    assert 'cotag_snapshot_age_seconds{corpus="small"}' in text


def test_the_log_has_no_personal_data(environment, live, redis):
    said = []
    client = Served(create_gateway(live, redis, ServiceSettings(), Metrics(), said.append)).test_client()
    client.get(f"{CLOUD}?q=payment", headers={"X-API-Key": "secret", "User-Agent": "me"})
    client.get("/a-name@example.org")
    client.get("/healthz")
    assert [set(line) for line in said] == [{"method", "path", "status", "ms", "request_id"}] * 2
    for personal in ("payment", "secret", "127.0.0.1", "example.org", "me"):
        assert personal not in [part for line in said for part in str(line["path"]).split("/")]
    assert "payment" not in str(said)


@pytest.fixture
def log_file(tmp_path):
    """A file, and a writer of log lines into it."""
    with (tmp_path / "log").open("wb") as file:
        writer = LogWriter(file.fileno(), lambda lost: b"%d lost\n" % lost)
        yield tmp_path / "log", writer
        writer.close()
        writer._thread.join()


def test_json_lines_are_what_the_other_logs_are(log_file):
    path, writer = log_file
    logger = JsonRequestLogger(writer)
    for _ in range(2):
        logger({"method": "GET", "path": "/", "status": 200, "ms": 1.0, "request_id": "x"})
    wait_until(lambda: path.read_text().count("\n") == 2, "two lines")
    first, second = path.read_text().splitlines()
    line = json.loads(first)
    assert json.loads(second)["event"] == "request"
    assert (line["event"], line["level"], line["part"], line["status"]) == ("request", "info", "service", 200)
    assert line["timestamp"].endswith("Z")


def test_the_log_follows_its_settings(environment, log_file):
    _, writer = log_file
    assert isinstance(request_logger(ServiceSettings(), writer), JsonRequestLogger)
    assert isinstance(request_logger(ServiceSettings(log_format="console"), writer), ConsoleRequestLogger)
    assert request_logger(ServiceSettings(log_level="warning"), writer) is discard


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/v1/nowhere", 404), ("PUT", "/v1/corpora", 405), ("GET", "/v1/corpora/small/cloud?x=1", 422)],
)
def test_errors_of_the_api_are_problems_whatever_is_accepted(client, method, path, status):
    answer = client.open(path, method=method, headers={"Accept": "text/html"})
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json")
