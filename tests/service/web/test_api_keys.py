"""API keys with a name, a scope and an expiry, and the audit log that names them."""

import logging
from base64 import b64encode
from datetime import UTC, datetime, timedelta

import pytest
import structlog

from service.api_keys import SCOPES, ApiKey, parse_key
from service.errors import KeyRequired
from service.settings import ServiceSettings
from service.web.policy.access import ApiKeys, digest
from snapshot import SettingsError, read_settings
from tests.service.api.test_endpoints import push

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
DIGEST = digest("secret")


def test_a_key_is_a_digest_alone_or_with_name_scope_and_expiry():
    assert parse_key(DIGEST, "operate") == ApiKey(f"key {DIGEST[:8]}", "operate", DIGEST)
    assert parse_key(f"cms:push:{DIGEST}", "operate") == ApiKey("cms", "push", DIGEST)
    day = parse_key(f"a.b@c:edit:{DIGEST}:2026-11-18", "operate").expires
    assert NOW.replace(hour=23, minute=59) < day < NOW.replace(hour=0) + timedelta(days=1)
    assert parse_key(f"x:read:{DIGEST}:2026-11-18T13:00+01:00", "operate").expires == NOW


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("secret", "every key is given by its SHA-256"),
        ("cms:push:secret", "every key is given by its SHA-256"),
        (f"cms:write:{DIGEST}", "the scope of the key 'cms' is 'write', not one of read, push, edit, operate"),
        (f":push:{DIGEST}", "'' is no name of a key"),
        (f"cms:push:{DIGEST}:soon", "the expiry of the key 'cms' is 'soon', not a date such as 2027-01-31"),
    ],
)
def test_a_key_that_is_wrong_is_refused_without_its_secret(text, message):
    with pytest.raises(ValueError, match=message) as caught:
        parse_key(text, "operate")
    assert "secret" not in str(caught.value)


def test_only_read_keys_are_declared_as_such(environment):
    environment.setenv("COTAG_READ_KEYS", f"cms:push:{DIGEST}")
    with pytest.raises(SettingsError, match="COTAG_READ_KEYS: the key 'cms' has the scope push"):
        read_settings(ServiceSettings)


ASKED = {
    "read": ("GET", "/v1/corpora/small/tags", 200),
    "push": ("DELETE", "/v1/corpora/pushed/documents?all=true", 200),
    "operate": ("POST", "/v1/corpora/small/jobs", 202),
}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_key_allows_reading_and_what_its_scope_says(app_with, scope):
    keys = [f"{each}er:{each}:{digest(each)}" for each in SCOPES]
    client = app_with(api_keys=",".join(keys)).test_client()
    for needed, (method, path, status) in ASKED.items():
        answer = client.open(path, method=method, headers={"X-API-Key": scope})
        if needed in ("read", scope) or scope == "operate":
            assert answer.status_code == status
        else:
            assert answer.status_code == 403
            detail = f"the key '{scope}er' has the scope {scope}; this needs {needed}"
            assert answer.get_json(force=True)["detail"] == detail


def test_a_named_key_to_read_closes_reading(app_with):
    client = app_with(api_keys=f"reader:read:{DIGEST}").test_client()
    assert client.get("/v1/corpora").status_code == 401
    assert client.get("/v1/corpora", headers={"X-API-Key": "secret"}).status_code == 200
    assert client.post("/v1/corpora/small/jobs", headers={"X-API-Key": "secret"}).status_code == 403


def test_a_key_is_of_no_use_from_its_expiry_on():
    now = [NOW]
    keys = ApiKeys([ApiKey("cms", "push", DIGEST, NOW + timedelta(hours=1))], clock=lambda: now[0])
    keys.check(keys.access("", "secret"), "push")
    now[0] += timedelta(hours=1)
    with pytest.raises(KeyRequired, match="the key 'cms' has expired"):
        keys.check(keys.access("", "secret"), "push")
    keys.check(keys.access("", "secret"), "read")  # for which nobody needs a key here


def test_every_operation_that_changes_something_needs_more_than_reading(app_with):
    client = app_with(api_keys=f"reader:read:{digest('r')},all:operate:{digest('w')}").test_client()
    document = client.get("/openapi.json").get_json()
    asking = {f"/v1/corpora/{{corpus}}/{name}" for name in ("canonical", "group", "suggest", "recommend")}
    for path, methods in document["paths"].items():
        for method in set(methods) - {"get"} - ({"post"} if path in asking else set()):
            address = path.format(corpus="small", job="j", version="20261116T120000.000Z")
            answer = client.open(address, method=method.upper(), headers={"X-API-Key": "r"})
            assert answer.status_code == 403, (method, path)


def test_the_audit_log_names_the_key_of_every_write(app_with):
    client = app_with(api_keys=f"cms:push:{DIGEST},{digest('old')}", log_level="error").test_client()
    with structlog.testing.capture_logs() as lines:
        client.environ_base["HTTP_X_API_KEY"] = "secret"
        assert push(client, b'{"id": "a", "tags": ["x"]}').status_code == 200
        assert push(client, b"{").status_code == 422
        client.post("/v1/corpora/small/jobs")
        client.get("/v1/corpora")
        client.post("/v1/corpora/small/canonical", json={"tags": []})
        client.post("/v1/corpora/small/jobs", headers={"X-API-Key": "old"})
        client.post("/v1/corpora/small/jobs", headers={"X-API-Key": "unknown"})
    writes = [(line["key"], line["method"], line["path"], line["status"]) for line in lines if line["event"] == "write"]
    assert writes == [
        ("cms", "POST", "/v1/corpora/pushed/documents", 200),
        ("cms", "POST", "/v1/corpora/pushed/documents", 422),
        ("cms", "POST", "/v1/corpora/small/jobs", 403),
        (f"key {digest('old')[:8]}", "POST", "/v1/corpora/small/jobs", 202),
    ]
    assert logging.getLogger("cotag.audit").isEnabledFor(logging.INFO)


def basic(key):
    return {"Authorization": f"Basic {b64encode(f'anybody:{key}'.encode()).decode()}"}


@pytest.mark.parametrize("path", ["/ops", "/metrics"])
def test_where_there_are_keys_operation_is_shown_for_one(app_with, path):
    """With any key, from a browser too, which asks for it by itself; everything else stays open."""
    assert app_with().test_client().get(path).status_code == 200
    client = app_with(api_keys=f"cms:push:{DIGEST}").test_client()
    assert client.get("/").status_code == 200
    assert client.get(path).status_code == 401
    assert client.get(path, headers={"X-API-Key": "secret"}).status_code == 200
    assert client.get(path, headers={"Authorization": "Bearer secret"}).status_code == 200
    assert client.get(path, headers=basic("secret")).status_code == 200
    assert client.get(path, headers=basic("another")).status_code == 401
    assert client.get(path, headers={"Authorization": "Basic é"}).status_code == 401
    page = client.get(path, headers={"Accept": "text/html"})
    assert (page.status_code, page.mimetype) == (401, "text/html")
    assert page.headers["WWW-Authenticate"].startswith("Basic ")
    assert app_with(api_keys=DIGEST, open_operation=True).test_client().get(path).status_code == 200


def test_a_key_that_a_browser_sends_by_itself_only_reads(app_with):
    """A form of another site would send it, too."""
    client = app_with(api_keys=DIGEST).test_client()
    assert client.post("/v1/corpora/small/jobs", headers=basic("secret")).status_code == 401
    assert client.post("/v1/corpora/small/jobs", headers={"X-API-Key": "secret"}).status_code == 202
    closed = app_with(read_keys=DIGEST).test_client()
    assert closed.get("/", headers=basic("secret")).status_code == 200
    assert closed.get("/", headers={"Accept": "text/html"}).headers["WWW-Authenticate"].startswith("Basic ")
