"""What strangers see: no error of a source, no names where reading needs a key, no images of hosts nobody declared."""

import pytest

from service.settings import ServiceSettings
from service.web.addresses import Proxies, client_network
from service.web.policy.access import digest
from snapshot import RunStatus, SettingsError, StatusBoard, read_settings
from snapshot.store.operation.run_history import PastRun, RunHistory
from snapshot.version.documents.cards import image_origin

ERROR = "CorpusError: /srv/private/orders.csv: line 7: 4111 1111 1111 1111"
KEYS = ",".join(f"{scope}er:{scope}:{digest(scope)}" for scope in ("push", "operate"))
FAILED = RunStatus("small-1", "failed", 1000.0, 1030.0, corpus="small", error=ERROR)


@pytest.fixture
def failed(redis, live):
    """The last run of both corpora failed; one has no version."""
    board = StatusBoard(redis)
    for name in ("small", "pushed"):
        board.write(name, FAILED)
    RunHistory(redis).add("small", PastRun("small-1", "failed", 1030.0, 30.0, "", ERROR))
    live.refresh()


ADDRESSES = [
    "/v1/corpora",
    "/v1/corpora/small",
    "/v1/corpora/small/runs",
    "/v1/jobs/small-1",
    "/v1/corpora/pushed/tags",
    "/ops",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_error_of_a_source_is_shown_to_operators_alone(failed, app_with, address):
    """Strangers and keys that may only push read what kind of problem it is."""
    client = app_with(api_keys=KEYS, open_operation=True).test_client()
    for key in ("", "push", "unknown"):
        text = client.get(address, headers={"X-API-Key": key} if key else {}).text
        assert "4111" not in text
        assert "private" not in text
        assert "source or a setting is at fault" in text
    assert "4111" in client.get(address, headers={"X-API-Key": "operate"}).text
    assert "4111" in client.get(address, headers={"Authorization": "Bearer operate"}).text


def test_the_page_of_a_corpus_without_a_version_names_no_file(failed, client):
    answer = client.get("/?corpus=pushed")
    assert answer.status_code == 503
    assert "4111" not in answer.text
    assert "source or a setting is at fault" in answer.text


def test_readiness_names_corpora_only_to_those_who_may_read(app_with):
    public, private = app_with().test_client(), app_with(read_keys=digest("reading")).test_client()
    assert public.get("/readyz").json["corpora"].keys() == {"small"}
    seen = private.get("/readyz")
    assert (seen.status_code, seen.json["ready"]) == (200, True)
    assert (seen.json["corpora"], seen.json["stale"], seen.json["missing"]) == ({}, {}, {})
    for name in ("small", "pushed", "none"):
        asked = private.get(f"/readyz?corpus={name}")
        assert asked.status_code == 401  # whether it exists or not
        assert name not in asked.text
        assert private.get(f"/readyz?c%6frpus={name}").status_code == 401
    answers = [private.get(f"/readyz?corpus={name}", headers={"X-API-Key": "reading"}) for name in ("small", "none")]
    assert [answer.status_code for answer in answers] == [200, 404]
    known = private.get("/readyz", headers={"X-API-Key": "reading"}).json
    assert (known["corpora"].keys(), known["missing"].keys()) == ({"small"}, {"pushed"})


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("192.0.2.7:50123", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_a_client_is_counted_by_address_or_by_home_network(address, counted):
    assert client_network(address) == counted


def test_one_home_network_shares_a_rate(app_with):
    client = app_with(rate_limit=0.5, web_workers=1, trusted_proxies=1).test_client()

    def status(address):
        return client.get("/v1/corpora", headers={"X-Forwarded-For": address}).status_code

    assert [status(f"2001:db8::{n}") for n in range(3)] == [200, 429, 429]
    assert status("2001:db8:0:1::1") == 200
    assert [status(f"192.0.2.7:{port}") for port in (1000, 1001)] == [200, 429]


@pytest.mark.parametrize(
    ("peer", "forwarded", "count", "client"),
    [
        ("10.0.0.1", "1.1.1.1", 0, "10.0.0.1"),
        ("10.0.0.1", "6.6.6.6, 1.1.1.1", 1, "1.1.1.1"),
        ("10.0.0.1", "1.1.1.1, 2.2.2.2", 2, "1.1.1.1"),
        ("10.0.0.1", "1.1.1.1", 2, "10.0.0.1"),
        ("10.0.0.1", "unknown", 1, "10.0.0.1"),
        ("10.0.0.1", None, 1, "10.0.0.1"),
        ("", "1.1.1.1", 1, "1.1.1.1"),
        ("8.8.8.8", "1.1.1.1", 1, "8.8.8.8"),
    ],
)
def test_only_trusted_proxies_say_who_the_client_is(peer, forwarded, count, client):
    """Not somebody who reaches the service past the proxy."""
    assert Proxies(count, ["10.0.0.0/8"]).client(peer, forwarded) == client


def policy_of(client, address="/"):
    rules = client.get(address).headers["Content-Security-Policy"].split("; ")
    return next(rule for rule in rules if rule.startswith("img-src"))


def test_pages_load_images_from_declared_origins_alone(app_with):
    client = app_with(image_origins="https://images.example.org,http://cdn.example.org:8080").test_client()
    assert policy_of(client) == "img-src 'self' data: blob: https://images.example.org http://cdn.example.org:8080"


def test_without_a_setting_they_load_what_the_documents_of_the_corpora_have(app_with, live):
    client = app_with().test_client()
    parameters = live.view("small").snapshot.parameters
    assert parameters.pop("image_origins") == [], "its documents have no images"
    assert policy_of(client) == "img-src 'self' data: blob: http: https:", "a run of an older release did not note them"
    parameters["image_origins"] = ["https://a.example", "x; script-src *", 7]
    live.edition += 1
    assert policy_of(client) == "img-src 'self' data: blob: https://a.example"


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Images.Example.org/a.png?x=1", "https://images.example.org"),
        ("http://user:word@host:8080/a", "http://host:8080"),
        ("https://[2001:db8::1]/a", "https://[2001:db8::1]"),
        ("/images/a.png", None),
        ("https://a.example; script-src *", None),
        ("https://a.example'/x", None),
    ],
)
def test_an_origin_is_what_browsers_compare_and_nothing_more(url, origin):
    assert image_origin(url) == origin


@pytest.mark.parametrize(
    ("name", "value"),
    [("COTAG_IMAGE_ORIGINS", "*"), ("COTAG_IMAGE_ORIGINS", "a.example"), ("COTAG_PROXY_NETWORKS", "x")],
)
def test_a_wrong_setting_is_named(environment, name, value):
    environment.setenv(name, value)
    with pytest.raises(SettingsError, match=name):
        read_settings(ServiceSettings)
