"""The API's description: whole, offline, true (schemathesis), and good enough to generate a client from."""

import importlib
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import get_type_hints
from zlib import crc32

import httpx
import orjson
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable

from service.api.parameters.parameters import CloudQuery, CorpusPath
from service.api.routes import admin, checks, documents, edits, queries, recommendations, skos, writes
from service.api.routes import operation as operating
from service.api.routing import Question
from service.app import create_gateway
from service.settings import ServiceSettings
from service.view.view import View
from service.web.metrics import Metrics
from service.web.policy.access import digest
from snapshot import StatusBoard
from tests.conftest import TOPICS
from tests.service.api.test_api import get
from tests.service.asking import Served

PATHS = {
    ("get", "/v1/corpora"),
    ("get", "/v1/corpora/{corpus}"),
    ("get", "/v1/corpora/{corpus}/cloud"),
    ("get", "/v1/corpora/{corpus}/related"),
    ("get", "/v1/corpora/{corpus}/tags"),
    ("get", "/v1/corpora/{corpus}/tag"),
    ("get", "/v1/corpora/{corpus}/documents"),
    ("get", "/v1/corpora/{corpus}/document"),
    ("get", "/v1/corpora/{corpus}/trends"),
    ("get", "/v1/corpora/{corpus}/feed"),
    ("get", "/v1/corpora/{corpus}/similar"),
    ("get", "/v1/corpora/{corpus}/aliases"),
    ("get", "/v1/corpora/{corpus}/skos"),
    ("get", "/v1/corpora/{corpus}/proposals"),
    ("post", "/v1/corpora/{corpus}/canonical"),
    ("post", "/v1/corpora/{corpus}/suggest"),
    ("post", "/v1/corpora/{corpus}/recommend"),
    ("post", "/v1/corpora/{corpus}/group"),
    ("get", "/v1/corpora/{corpus}/clusters"),
    ("get", "/v1/corpora/{corpus}/clusters/{cluster}"),
    ("get", "/v1/corpora/{corpus}/classify"),
    ("get", "/v1/corpora/{corpus}/dendrogram"),
    ("get", "/v1/corpora/{corpus}/curve"),
    ("get", "/v1/corpora/{corpus}/picture"),
    ("get", "/v1/corpora/{corpus}/edits"),
    ("post", "/v1/corpora/{corpus}/edits"),
    ("delete", "/v1/corpora/{corpus}/edits"),
    ("get", "/v1/corpora/{corpus}/snapshots"),
    ("post", "/v1/corpora/{corpus}/snapshots/{version}/activate"),
    ("post", "/v1/corpora/{corpus}/documents"),
    ("delete", "/v1/corpora/{corpus}/documents"),
    ("post", "/v1/corpora/{corpus}/jobs"),
    ("get", "/v1/corpora/{corpus}/changes"),
    ("get", "/v1/corpora/{corpus}/runs"),
    ("post", "/v1/corpora/{corpus}/pause"),
    ("delete", "/v1/corpora/{corpus}/pause"),
    ("post", "/v1/corpora/{corpus}/snapshots/{version}/pin"),
    ("delete", "/v1/corpora/{corpus}/pin"),
    ("get", "/v1/jobs/{job}"),
    ("delete", "/v1/jobs/{job}"),
    ("get", "/healthz"),
    ("get", "/readyz"),
    ("get", "/metrics"),
}

ASKING = {f"/v1/corpora/{{corpus}}/{name}" for name in ("canonical", "group", "suggest", "recommend")}
"""They take a body but change nothing, and need no key to write."""

CONFIDENTIAL = {"/v1/corpora/{corpus}/edits"}
"""Even reading needs a key."""


def test_the_reference_lists_every_path():
    text = (Path(__file__).parents[3] / "docs" / "reference" / "api.md").read_text()
    for _, path in PATHS:
        assert re.search(re.escape(path.replace("/v1/corpora/{corpus}/", "…/")) + r"[?`]", text), path


def test_the_api_is_described_by_openapi_31(client):
    document = get(client, "/openapi.json")
    assert document["openapi"].startswith("3.1")
    assert {(method, path) for path, methods in document["paths"].items() for method in methods} == PATHS
    cloud = document["paths"]["/v1/corpora/{corpus}/cloud"]["get"]
    assert {parameter["name"] for parameter in cloud["parameters"]} == {
        "corpus",
        *(field.alias or name for name, field in CloudQuery.model_fields.items()),
    }
    assert cloud["responses"]["200"]["content"]["application/json"]["example"]["groups"]
    assert set(cloud["responses"]["404"]["content"]) == {"application/problem+json"}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], path
            assert bool(operation.get("security")) == (path in CONFIDENTIAL or (method != "get" and path not in ASKING))


def test_every_handler_takes_the_parameters_that_its_declaration_names(live, store, redis):
    """Of a question about the corpus alone the handler gets no path: the view says which corpus."""
    declared = (
        *admin.operations(live, store, StatusBoard(redis), Metrics()),
        *queries.questions(store),
        *documents.document_questions(),
        *checks.operations(live),
        *recommendations.operations(live),
        *skos.operations(live),
        *writes.operations(redis, live, Metrics()),
        *operating.operations(redis, live, Metrics()),
        *edits.operations(redis, live, Metrics()),
    )
    assert {(one.method.lower(), one.path) for one in declared} == PATHS
    for one in declared:
        hints = get_type_hints(one.handler)
        hints.pop("return")
        asked = isinstance(one, Question)
        path = None if one.path_model is None or (asked and one.path_model is CorpusPath) else one.path_model
        assert list(hints.values()) == [*([View] if asked else []), path or type(None), one.query_model], one.name


def test_the_page_for_people_needs_no_script_and_nothing_from_elsewhere(client):
    """Its one script only makes the examples live; without it they are links."""
    html = client.get("/docs").text
    assert html.count("<script") == 1
    assert 'href="/v1/corpora/demo/cloud' in html
    assert " style=" not in html
    assert "http://" not in html
    assert "https://" not in html
    for _, path in PATHS:
        assert path in html


def generated(document, folder):
    """A client package made by openapi-python-client."""
    source = folder / "openapi.json"
    source.write_bytes(orjson.dumps(document))
    config = folder / "config.yaml"
    config.write_text(
        "post_hooks: []\ncontent_type_overrides:\n"
        "  application/x-ndjson: application/octet-stream\n  image/png: application/octet-stream\n"
        "  application/atom+xml: application/octet-stream\n"
    )
    subprocess.run(
        [
            sys.executable,
            "-m",
            "openapi_python_client",
            "generate",
            *("--path", str(source)),
            *("--config", str(config)),
            *("--output-path", str(folder / "cotag_client")),
            *("--meta", "none"),
            "--fail-on-warning",
        ],
        check=True,
        capture_output=True,
        cwd=folder,
    )


def test_a_generated_client_asks_and_understands(writer, app_with, tmp_path, monkeypatch):
    """Cloud, related and an error through typed functions that nobody wrote."""
    generated(get(writer, "/openapi.json"), tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    client = importlib.import_module("cotag_client").Client(
        base_url="http://cotag", httpx_args={"transport": httpx.WSGITransport(app_with())}
    )
    module = importlib.import_module("cotag_client.api.tags.get_cloud")
    answer = module.sync(corpus="small", client=client, q="payments", groups=2)
    assert len(answer.groups) == 2
    assert answer.groups[0].tags[0].tag in TOPICS["money"]
    assert answer.query.understood[0].how.value == "plural"
    related = importlib.import_module("cotag_client.api.tags.get_related")
    found = related.sync(corpus="small", client=client, tag=["payment", "cash"])
    assert found.related[0].tag in TOPICS["money"]
    assert found.related[0].because[0].tag in {"payment", "cash"}
    problem = module.sync(corpus="small", client=client, tag=["snowy"])
    assert (problem.status, problem.suggestions[0]) == (404, "snow")


CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
    "negative_data_rejection",
    "unsupported_method",
)


def modes(operation):
    """Right data and wrong data; of lines, which no schema describes, `lines` makes both."""
    from schemathesis import GenerationMode

    right, wrong = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
    return [right] if "requestBody" in operation.definition.raw else [right, wrong]


def lines(_context, value):
    """Some bodies that are documents, one that is none, and whatever was generated."""
    texts = ('{"id": "a", "tags": ["x"]}', '{"id": "a", "tags": ["x"]}\n{"id": 1}', str(value))
    return texts[len(str(value)) % 3].encode(errors="replace")


@pytest.mark.slow
@pytest.mark.parametrize("cases", [8, pytest.param(75, marks=pytest.mark.nightly)])
def test_generated_requests_find_nothing_undescribed(environment, live, redis, cases):
    """Schemathesis over the whole description, right and wrong data alike: no 5xx, no answer out of shape.

    So many cases for each of the 22 operations, in each of two modes.
    """
    import schemathesis  # here, because it takes seconds
    from schemathesis.checks import load_all_checks

    schemathesis.serializer("application/x-ndjson")(lines)
    key = "k"
    counted = []
    app = Served(create_gateway(live, redis, ServiceSettings(api_keys=digest(key)), Metrics(), counted.append))
    schema = schemathesis.openapi.from_wsgi("/openapi.json", app)
    load_all_checks()
    checks = [found for found in schemathesis.checks.CHECKS.get_all() if found.__name__ in CHECKS]
    assert len(checks) == len(CHECKS)
    for result in schema.get_all_operations():
        operation = result.ok()
        for mode in modes(operation):

            @given(case=operation.as_strategy(generation_mode=mode))
            @settings(
                max_examples=cases,
                deadline=None,
                database=None,
                derandomize=True,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            def probe(case):
                # "pushed", which hypothesis may take from this file, has no snapshot to answer from.
                given = (case.path_parameters or {}).get("corpus")
                wanted = given == "pushed" or crc32(str(case.query).encode(errors="replace")) % 4
                if given is not None and wanted:
                    writes = case.method != "GET" and "documents" in case.path
                    case.path_parameters["corpus"] = "pushed" if writes else "small"
                plain = {"X-API-Key": key, "Accept-Encoding": "identity"}  # schemathesis unpacks no WSGI answer
                case.call_and_validate(headers=plain, checks=checks)

            # Where any text is a valid corpus and nothing else is asked, there is no wrong data.
            with suppress(*([Unsatisfiable] if mode is schemathesis.GenerationMode.NEGATIVE else [])):
                probe()
    statuses = {
        status: sum(one["status"] == status for one in counted) for status in {one["status"] for one in counted}
    }
    print(f"requests: {len(counted)}, by status: {dict(sorted(statuses.items()))}")
    assert len(counted) > 26 * cases
    assert all(status < 500 for status in statuses)
    assert statuses[200] > 4 * cases
