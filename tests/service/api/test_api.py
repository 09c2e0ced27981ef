"""Corpora, clouds and related tags over HTTP, errors, and what is served before the first snapshot."""

import pytest
from pydantic import TypeAdapter

from service.answers import CloudAnswer, CorporaAnswer, Problem, RelatedAnswer
from service.live.snapshots import LiveSnapshots
from snapshot import SnapshotStore, StatusBoard, connect
from tests.clustered import BROAD, TAGS, VERSION, counts, documents
from tests.conftest import TOPICS


def get(client, path, status=200, kind="application/json"):
    answer = client.get(path)
    assert answer.status_code == status, answer.text
    assert answer.mimetype == kind
    return answer.get_json(force=True)


def problem(client, path, status):
    found = get(client, path, status, "application/problem+json")
    TypeAdapter(Problem).validate_python(found)
    assert found["status"] == status
    return found


def test_corpora_name_what_is_served(client):
    found = get(client, "/v1/corpora")
    TypeAdapter(CorporaAnswer).validate_python(found)
    (corpus,) = found["corpora"]
    assert (corpus["name"], corpus["version"]) == ("small", VERSION)
    sizes = (len(list(documents())), len(TAGS), len(TOPICS))
    assert (corpus["documents"], corpus["tags"], corpus["clusters"]) == sizes
    assert get(client, "/v1/corpora/small") | {"age_seconds": 0} == corpus | {"age_seconds": 0}


def test_a_cloud_has_the_shape_that_clients_rely_on(client):
    found = get(client, "/v1/corpora/small/cloud?q=payments")
    TypeAdapter(CloudAnswer).validate_python(found)
    assert found["corpus"] == "small"
    assert found["query"]["understood"] == [{"text": "payments", "tag": "payment", "how": "plural"}]
    assert set(found) == {"corpus", "version", "revision", "query", "groups", "other", "warning"}
    group = found["groups"][0]
    assert set(group) == {"key", "label", "edited", "common", "also", "relevance", "weight", "hue", "clusters", "tags"}
    assert set(group["tags"][0]) == {"tag", "weight", "count", "score", "cluster", "broad"}
    assert (group["edited"], group["also"]) == (False, False)
    payment = get(client, "/v1/corpora/small/tag?tag=payment")
    assert group["clusters"][0]["id"] == payment["cluster"]
    assert {tag["cluster"] for tag in group["tags"]} == {each["id"] for each in group["clusters"]}
    assert [tag["tag"] for each in found["groups"] for tag in each["tags"] if tag["broad"]] == [BROAD]


@pytest.mark.parametrize(("query", "instead"), [("clusters=8", "groups"), ("senses=true", "by=query")])
def test_a_parameter_that_is_gone_names_the_new_one(client, query, instead):
    answer = client.get(f"/v1/corpora/small/cloud?{query}")
    assert answer.status_code == 422
    name = query.partition("=")[0]
    assert answer.get_json()["detail"].startswith(f"{name}: ")
    assert instead in answer.get_json()["detail"]


def test_related_tags_say_why(client):
    found = get(client, "/v1/corpora/small/related?tag=payment&tag=Cash&limit=1&specificity=1")
    TypeAdapter(RelatedAnswer).validate_python(found)
    (first,) = found["related"]
    assert first["tag"] in set(TOPICS["money"]) - {"payment", "cash"}
    assert first["count"] == counts()[first["tag"]]
    assert first["cluster"] == get(client, "/v1/corpora/small/tag?tag=payment")["cluster"]
    assert {reason["tag"] for reason in first["because"]} == {"payment", "cash"}
    shares = [reason["share"] for reason in first["because"]]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(("path", "empty"), [("cloud", "groups"), ("related", "related"), ("documents", "documents")])
def test_a_query_of_which_nothing_is_known_gets_an_empty_answer(client, path, empty):
    answer = get(client, f"/v1/corpora/small/{path}?q=paimen")
    assert answer[empty] == []
    assert (answer["query"]["understood"], answer["query"]["ignored"]) == ([], ["paimen"])
    assert answer["query"]["suggestions"] == [{"text": "paimen", "tags": ["payment"]}]
    assert client.get(f"/v1/corpora/small/{path}?tag=paimen").status_code == 404


def test_related_without_a_query_has_nothing_to_suggest(client):
    assert get(client, "/v1/corpora/small/related")["related"] == []


@pytest.mark.parametrize(
    ("path", "status", "detail"),
    [
        ("/v1/corpora/none", 404, "there is no corpus 'none'"),
        ("/v1/corpora/none/cloud", 404, "there is no corpus 'none'"),
        ("/v1/corpora/small/cloud?tag=sleet", 404, "there is no tag 'sleet' in small"),
        ("/v1/corpora/small/cloud?limit=0", 422, "limit: Input should be greater than or equal to 1"),
        ("/v1/corpora/small/cloud?limit=many", 422, "limit: Input should be a valid integer"),
        ("/v1/corpora/small/cloud?quer=x", 422, "quer: unknown parameter; did you mean q?"),
        ("/v1/corpora/small/tags?Limit=3", 422, "Limit: unknown parameter; did you mean limit?"),
        ("/v1/corpora/small/tags?page=3", 422, "page: unknown parameter; did you mean offset?"),
        ("/v1/corpora/small/picture?colour=x", 422, "colour: unknown parameter; there are of"),
        ("/v1/corpora/small/related?specificity=2", 422, "specificity: Input should be less than or equal to 1"),
        ("/v1/nothing", 404, "not found"),
    ],
)
def test_every_error_is_a_problem_that_says_what_was_wrong(client, path, status, detail):
    assert detail in problem(client, path, status)["detail"]


def test_unknown_tags_come_with_suggestions(client):
    assert "snow" in problem(client, "/v1/corpora/small/cloud?tag=snowy", 404)["suggestions"]


def test_a_method_that_is_not_allowed_names_those_that_are(client):
    answer = client.post("/v1/corpora")
    assert answer.status_code == 405
    assert answer.mimetype == "application/problem+json"
    assert "GET" in answer.headers["Allow"]


def test_an_unexpected_error_is_a_problem_without_details(client, monkeypatch):
    def broken(self):
        raise ZeroDivisionError

    monkeypatch.setattr(LiveSnapshots, "views", broken)
    found = problem(client, "/v1/corpora", 500)
    assert "ZeroDivision" not in str(found)


def test_readiness_tells_what_is_served_and_whether_the_store_answers(client):
    assert get(client, "/healthz") == {"alive": True}
    assert get(client, "/readyz") == {
        "ready": True,
        "store": True,
        "corpora": {"small": VERSION},
        "stale": {},
        "missing": {"pushed": "no-scheduler"},
    }


def test_a_store_that_goes_away_leaves_everything_served_and_marked_stale(client, live, tmp_path):
    gone = connect(f"unix://{tmp_path}/gone.sock", timeout=0.2)
    live._store, live._board = SnapshotStore(gone), StatusBoard(gone)
    live._try_refresh()
    assert get(client, "/v1/corpora")["stale"] is True
    assert get(client, "/v1/corpora/small/cloud?q=payment")["groups"]
    assert get(client, "/readyz")["store"] is False
    assert set(get(client, "/readyz")["stale"]) == {"small"}
    assert client.get("/v1/corpora/small/related?q=payment").headers["Cotag-Stale"].isdigit()
    assert "what you see may be out of date" in client.get("/").text


@pytest.mark.parametrize("text", ["%2B1", "1.0", "1_0", "%201", "٣", ""])
def test_a_whole_number_is_written_in_digits(client, text):
    assert "valid integer" in problem(client, f"/v1/corpora/small/cloud?limit={text}", 422)["detail"]
    assert client.get(f"/v1/corpora/small/clusters/{text or 'x'}").status_code == 422
