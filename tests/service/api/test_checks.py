"""Names to check against the vocabulary, and facets of other engines to group."""

import json

import pytest

from service.api.routes.checks import MOST_BYTES, MOST_TAGS
from service.errors import WrongBody
from service.questions.clouds import facets
from service.questions.clouds.facets import read_facet
from service.questions.text.canonical import canonical
from service.view.view import View
from service.web.policy.access import digest
from tests.clustered import VERSION, counts
from tests.conftest import TOPICS
from tests.service.api.test_api import get
from tests.service.questions.test_names import renamed, with_aliases  # noqa: F401 - one is a fixture

CANONICAL = "/v1/corpora/small/canonical"
GROUP = "/v1/corpora/small/group"


def ask(client, path, body, kind="application/json", status=200, **headers):
    data = body if isinstance(body, bytes) else json.dumps(body)
    answer = client.post(path, data=data, content_type=kind, headers=headers)
    assert answer.status_code == status, answer.text
    return answer


def test_each_name_gets_the_tag_that_it_stands_for(renamed):  # noqa: F811
    names = ["Remunerations", "paymnet", "xyz", "Rain", "rains", "Spam-Mail", "stor m", "RAIN"]
    answer = ask(renamed, CANONICAL, {"tags": names}).get_json()
    found = {entry["input"]: entry for entry in answer["tags"]}
    assert [entry["input"] for entry in answer["tags"]] == names
    counted = {tag: get(renamed, f"/v1/corpora/small/tag?tag={tag}")["count"] for tag in ("payment", "rain", "storm")}
    expected = {
        "Remunerations": ("payment", "synonym"),
        "paymnet": ("payment", "spelling"),
        "Rain": ("rain", "exact"),
        "RAIN": ("rain", "exact"),
        "rains": ("rain", "plural"),
        "stor m": ("storm", "spelling"),
    }
    for name, (tag, how) in expected.items():
        assert found[name] == {"input": name, "tag": tag, "how": how, "count": counted[tag]}
    assert found["xyz"] == {"input": "xyz", "unknown": True, "suggestions": []}
    assert found["Spam-Mail"] == {"input": "Spam-Mail", "unknown": True, "suggestions": []}
    assert answer["banned"] == ["Spam-Mail"]


def test_a_banned_name_is_not_taken_for_the_tag_that_it_resembles():
    view = View(with_aliases(ban=["rains"]))
    answer = canonical(view, ["rains", "Rain"])
    assert answer.banned == ["rains"]
    assert [entry.get("tag") for entry in answer.tags] == [None, "rain"]


def test_missing_tags_are_the_best_related_ones_that_are_not_there(client):
    answer = ask(client, CANONICAL, {"tags": ["rain", "snow", "wind"]}).get_json()
    missing = [tag["tag"] for tag in answer["missing"]]
    assert missing[0] in TOPICS["weather"]
    assert not {"rain", "snow", "wind"} & set(missing)


def test_unknown_names_get_suggestions_and_are_no_error(client):
    answer = ask(client, CANONICAL, {"tags": ["forcasstx", "q"]})
    assert answer.headers["Cotag-Version"] == answer.get_json()["version"] == VERSION
    first, second = answer.get_json()["tags"]
    assert first["unknown"] is True
    assert "forecast" in first["suggestions"]
    assert second == {"input": "q", "unknown": True, "suggestions": []}
    assert answer.get_json()["missing"] == []


def test_batches_are_answered_line_by_line(client):
    body = b'{"tags": ["rain"]}\n\n{"tags": ["cash", "coins"]}\n{"tags": []}\n'
    answer = ask(client, CANONICAL, body, "application/x-ndjson")
    lines = [json.loads(line) for line in answer.get_data().splitlines()]
    assert answer.mimetype == "application/x-ndjson"
    assert [[tag["tag"] for tag in line["tags"]] for line in lines] == [["rain"], ["cash", "coin"], []]


@pytest.mark.parametrize(
    ("body", "kind", "status", "detail"),
    [
        (b"{", "application/json", 422, "not JSON"),
        (b'["rain"]', "application/json", 422, 'the body is not an object with a list "tags"'),
        (b'{"tags": [1]}', "application/json", 422, "tags: one is not a text of at most 500 characters"),
        (
            json.dumps({"tags": ["a"] * (MOST_TAGS + 1)}).encode(),
            "application/json",
            422,
            "tags: 1001 names; at most 1000",
        ),
        (
            b'{"tags": ["a"]}\n' * (MOST_TAGS + 1),
            "application/x-ndjson",
            422,
            "tags: 1001 names in all lines; at most 1000",
        ),
        (b'{"tags": ["a"]}\n{}\n', "application/x-ndjson", 422, "1 lines are not objects with tags"),
        (b" " * (MOST_BYTES + 1), "application/json", 413, "the body has more than 1,000,000 bytes"),
        (b"{}", "text/plain", 415, "send application/json or application/x-ndjson, not text/plain"),
    ],
)
def test_a_body_that_is_wrong_is_refused_with_the_reason(client, body, kind, status, detail):
    found = ask(client, CANONICAL, body, kind, status).get_json(force=True)
    assert found["detail"].startswith(detail)


def test_a_thousand_names_are_taken(client):
    names = [f"{tag}{number}" for tag in counts() for number in range(40)][:MOST_TAGS]
    assert len(ask(client, CANONICAL, {"tags": names}).get_json()["tags"]) == MOST_TAGS


@pytest.mark.parametrize(("path", "body"), [(CANONICAL, {"tags": ["rain"]}), (GROUP, {"tags": {"rain": 1}})])
def test_checking_needs_what_reading_needs(app_with, path, body):
    ask(app_with().test_client(), path, body)
    ask(app_with(api_keys=digest("w")).test_client(), path, body)
    private = app_with(read_keys=digest("r"), api_keys=digest("w")).test_client()
    ask(private, path, body, status=401)
    ask(private, path, body, **{"X-API-Key": "r"})
    ask(private, path, body, **{"X-API-Key": "w"})


FORMS = {
    # https://www.elastic.co/guide/en/elasticsearch/reference/7.14/search-aggregations-bucket-terms-aggregation.html
    "Elasticsearch": (
        {
            "took": 3,
            "hits": {"total": {"value": 11, "relation": "eq"}},
            "aggregations": {
                "genres": {
                    "doc_count_error_upper_bound": 0,
                    "sum_other_doc_count": 0,
                    "buckets": [
                        {"key": "electronic", "doc_count": 6},
                        {"key": "rock", "doc_count": 3},
                        {"key": "jazz", "doc_count": 2},
                    ],
                },
                "average_price": {"value": 12.5},
            },
        },
        "genres",
        {"electronic": 6, "rock": 3, "jazz": 2},
    ),
    # https://docs.opensearch.org/2.10/aggregations/bucket/terms, with typed_keys
    "OpenSearch": (
        {
            "sterms#response_codes": {
                "doc_count_error_upper_bound": 0,
                "sum_other_doc_count": 0,
                "buckets": [{"key": "200", "doc_count": 12832}, {"key": "404", "doc_count": 801}],
            }
        },
        "response_codes",
        {"200": 12832, "404": 801},
    ),
    # https://www.meilisearch.com/docs/learn/fine_tuning_results/faceted_search
    "Meilisearch": (
        {"hits": [], "facetDistribution": {"language": {"English": 6, "French": 1, "Spanish": 1}}, "facetStats": {}},
        "language",
        {"English": 6, "French": 1, "Spanish": 1},
    ),
    # https://pub.dev/documentation/algolia_client_search: BaseSearchResponse.facets, Map<String, Map<String, int>>
    "Algolia": ({"hits": [], "facets": {"color": {"blue": 5, "red": 2}}}, "color", {"blue": 5, "red": 2}),
    # https://github.com/typesense/typesense-api-spec: FacetCounts
    "Typesense": (
        {
            "found": 1463,
            "facet_counts": [
                {
                    "counts": [{"count": 1463, "highlighted": "shoes", "value": "shoes"}],
                    "field_name": "category",
                    "stats": {"total_values": 1},
                }
            ],
        },
        "category",
        {"shoes": 1463},
    ),
    "plain counts": ({"tags": {"money": 12, "cash": 0}}, "tags", {"money": 12, "cash": 0}),
    "one aggregation": (
        {"buckets": [{"key": True, "doc_count": 2}, {"key": 7, "doc_count": 1}]},
        "buckets",
        {"true": 2, "7": 1},
    ),
    "one Typesense facet": ({"field_name": "x", "counts": [{"value": "a", "count": 1}]}, "x", {"a": 1}),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_facets_of_every_engine_are_read(form):
    body, name, expected = FORMS[form]
    facet = read_facet(body)
    assert (facet.name, facet.counts) == (name, expected)
    assert read_facet(body, name).counts == expected


@pytest.mark.parametrize(
    ("body", "name", "message"),
    [
        ({"genres": {"a": 1}, "language": {"b": 1}}, "", "facet: say which one of 'genres', 'language'"),
        ({"genres": {"a": 1}}, "tags", "facet: the body has no facet 'tags', only 'genres'"),
        ({"took": 3}, "", "the body has no facet"),
        ("text", "", "the body is neither an object nor a list"),
        ({"tags": {"a": "many"}}, "", "tags: the \"count\" of 'a' is not a whole number"),
        ({"tags": {"a": -1}}, "", "tags: the \"count\" of 'a' is not a whole number"),
        ({"buckets": [{"doc_count": 1}]}, "", 'buckets: an entry has no "key"'),
        ({"tags": {str(n): 1 for n in range(facets.MOST_VALUES + 1)}}, "", "tags: more than 2000 values"),
        ({"tags": {"a" * 501: 1}}, "", "tags: a value is longer than 500 characters"),
    ],
)
def test_a_body_without_one_clear_facet_is_refused(body, name, message):
    with pytest.raises(WrongBody, match="^" + message):
        read_facet(body, name)


def test_a_facet_is_grouped_with_its_own_counts_and_unknown_values_apart(client):
    values = {tag: 10 + number for number, tag in enumerate([*TOPICS["money"], *TOPICS["weather"]])}
    values |= {"Rain ": 100, "zebra": 7, "yak": 9}
    answer = ask(client, f"{GROUP}?groups=2", {"tags": values}).get_json()
    assert (answer["corpus"], answer["version"], answer["facet"]) == ("small", VERSION, "tags")
    assert answer["unknown"] == [{"value": "yak", "count": 9}, {"value": "zebra", "count": 7}]
    sides = [{tag["tag"] for tag in group["tags"]} for group in answer["groups"]]
    assert sorted(map(sorted, sides)) == sorted([sorted(TOPICS["money"]), sorted(TOPICS["weather"])])
    assert answer["groups"][0]["tags"][0] == {
        "tag": "rain",
        "values": ["Rain ", "rain"],
        "weight": 1.0,
        "count": 118,
        "cluster": get(client, "/v1/corpora/small/tag?tag=rain")["cluster"],
        "broad": False,
    }
    assert answer["groups"][0]["key"] in TOPICS["weather"]


def test_a_facet_without_known_values_is_an_empty_cloud(client):
    answer = ask(client, GROUP, {"tags": {"zebra": 0}}).get_json()
    assert (answer["groups"], answer["unknown"]) == ([], [{"value": "zebra", "count": 0}])
    assert ask(client, GROUP, {"tags": {}}).get_json()["groups"] == []


def test_a_facet_is_grouped_by_clusters_too(client):
    values = dict.fromkeys([*TOPICS["money"], *TOPICS["music"]], 3)
    answer = ask(client, f"{GROUP}?by=clusters", {"facets": {"genre": values}}).get_json()
    assert all(len(group["clusters"]) == 1 for group in answer["groups"])
    assert sum(len(group["tags"]) for group in answer["groups"]) == len(values)
