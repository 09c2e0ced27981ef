"""Relations over HTTP: what a tag's answer says, documents of narrower tags, and the vocabulary as SKOS."""

import re
from html import unescape

import pytest
from rdflib import RDF, SKOS, Graph, URIRef

from tests.clustered import TAGS, documents

EDITS = "/v1/corpora/small/edits"
SKOS_PATH = "/v1/corpora/small/skos"
RELATIONS = [
    {"kind": "broader", "tag": "rain", "to": "forecast"},
    {"kind": "broader", "tag": "storm", "to": "rain"},
    {"kind": "broader", "tag": "storm", "to": "wind"},
    {"kind": "describe", "tag": "rain", "text": 'Water that *falls*.\nSay "rain".'},
    {"kind": "translate", "tag": "rain", "label": "Regen", "language": "de"},
    {"kind": "implies", "tag": "storm", "to": "wind"},
]


@pytest.fixture
def related(writer):
    """A client of a service whose editors have said something about tags."""
    answer = writer.post(EDITS, json={"edits": RELATIONS}, headers={"If-Match": '"0"'})
    assert answer.status_code == 200, answer.text
    return writer


def tag(client, name):
    return client.get("/v1/corpora/small/tag", query_string={"tag": name}).json


def with_any(*tags):
    return {document["id"] for document in documents() if {*document["tags"]} & {*tags}}


def test_the_answer_about_a_tag_has_its_relations(related):
    rain = tag(related, "rain")
    assert (rain["broader"], rain["narrower"]) == (["forecast"], ["storm"])
    assert (rain["description"], rain["labels"]) == ('Water that *falls*.\nSay "rain".', {"de": "Regen"})
    assert tag(related, "storm")["broader"] == ["rain", "wind"]
    assert tag(related, "storm")["implies"] == ["wind"]
    assert tag(related, "wind")["implied_by"] == ["storm"]


def test_autocomplete_shows_descriptions(related):
    listed = related.get("/v1/corpora/small/tags?prefix=rai").json["tags"][0]
    assert listed["description"].startswith("Water that")


def test_a_relation_takes_effect_at_once_and_an_implication_with_the_next_run(related):
    listed = related.get(EDITS).json["edits"]
    assert {(edit["kind"], edit["state"], edit["takes_effect"]) for edit in listed} == {
        ("broader", "active", "now"),
        ("describe", "active", "now"),
        ("translate", "active", "now"),
        ("implies", "waiting", "next run"),
    }


def test_documents_of_narrower_tags_are_counted_exactly(related):
    """Through all levels; with several tags, a document needs each of them or one of its narrower ones."""

    def total(**query):
        answer = related.get("/v1/corpora/small/documents", query_string={"limit": 100, **query}).json
        if "narrower" in query:
            assert len(answer["documents"]) == min(answer["total"], 100)
        return answer["total"]

    wide = with_any("forecast", "rain", "storm")
    assert total(tag="forecast") == len(with_any("forecast"))
    assert total(tag="forecast", narrower="true") == len(wide)
    both = wide & with_any("wind", "storm")
    assert total(tag=["forecast", "wind"], narrower="true") == len(both)
    counted = related.get("/v1/corpora/small/related?tag=forecast&narrower=true&together=true&limit=100").json[
        "related"
    ]
    sun = next(each for each in counted if each["tag"] == "sun")
    assert sun["together"] == len(wide & with_any("sun"))


def test_documents_of_narrower_tags_come_by_date_if_asked(related):
    answer = related.get("/v1/corpora/small/documents?tag=forecast&narrower=true&sort=date&limit=100").json
    wide = with_any("forecast", "rain", "storm")
    assert answer["total"] == len(wide)
    assert {each["id"] for each in answer["documents"]} <= wide


def test_a_trial_of_a_broader_tag_says_whose_documents_change(related):
    """Also those of the tags above it; nothing is stored."""
    edits = {"edits": [{"kind": "broader", "tag": "sun", "to": "rain"}]}
    report = related.post(f"{EDITS}?dry_run=true", json=edits).json
    before = {"rain": with_any("rain", "storm"), "forecast": with_any("forecast", "rain", "storm")}
    assert {each["tag"]: (each["before"], each["after"]) for each in report["documents"]} == {
        name: (len(own), len(own | with_any("sun"))) for name, own in before.items()
    }
    assert tag(related, "sun")["broader"] == []


def test_the_page_of_a_tag_says_what_it_means(related):
    """With links; the description is Markdown, and nothing of it is markup of the page."""
    html = related.get("/?corpus=small&tag=rain").text
    assert "<p>Water that <em>falls</em>.<br>Say &#34;rain&#34;.</p>" in html
    for title, name in (("Is a kind of", "forecast"), ("Kinds of it", "storm")):
        assert re.search(rf'<dt>{title}</dt><dd><a href="[^"]+tag={name}">{name}</a></dd>', html)
    assert "Regen <small>de</small>" in html
    assert re.search(r'<dt>In the concept</dt><dd><a href="/concept\?', html)
    storm = related.get("/?corpus=small&tag=storm").text
    assert re.search(r'<dt>Implies</dt><dd><a href="[^"]+">wind</a>', storm)
    assert "With narrower tags" not in storm


def test_a_search_offers_narrower_tags_and_counts_their_documents(related):
    html = related.get("/?corpus=small&tag=forecast").text
    link = unescape(re.search(r'<a href="([^"]+narrower=1[^"]*)">With narrower tags</a>', html)[1])
    wide = related.get(link).text
    total = len(with_any("forecast", "rain", "storm"))
    assert f"{total} documents with forecast or narrower tags" in wide
    assert "Without narrower tags" in wide
    assert 'name="narrower" value="1"' in wide
    assert "narrower" not in related.get("/?corpus=small&tag=sun&narrower=1").text


def test_the_page_of_a_concept_shows_what_is_a_kind_of_what(related):
    number = tag(related, "rain")["cluster"]
    html = related.get(f"/concept?corpus=small&id={number}").text
    outline = html[html.index('class="outline"') :]
    assert re.search(
        r">forecast</a>.*?<ul>\s*<li><a [^>]+>rain</a>.*?<ul>\s*<li><a [^>]+>storm</a>", outline, re.DOTALL
    )


def test_excluded_tags_do_not_count_among_narrower_ones(related):
    answer = related.get("/v1/corpora/small/documents?tag=forecast&narrower=true&exclude=storm").json
    assert answer["total"] == len(with_any("forecast", "rain") - with_any("storm"))


def test_a_cloud_takes_narrower_tags_as_part_of_the_query(related):
    answer = related.get("/v1/corpora/small/cloud?tag=forecast&narrower=true").json
    assert answer["query"]["tags"][0] == "forecast"
    assert {*answer["query"]["tags"]} == {"forecast", "rain", "storm"}
    assert not {"rain", "storm"} & {each["tag"] for group in answer["groups"] for each in group["tags"]}


def graph_of(answer):
    return Graph().parse(data=answer.data, format=answer.mimetype)


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph:DeprecationWarning")  # rdflib's own reader of JSON-LD
@pytest.mark.parametrize("form", ["turtle", "json-ld"])
def test_the_vocabulary_is_skos_that_rdflib_reads(related, form):
    answer = related.get(f"{SKOS_PATH}?format={form}&base=https://tags.example/small")
    assert answer.status_code == 200, answer.text
    graph = graph_of(answer)
    at = "https://tags.example/small/tag/"
    concepts = set(graph.subjects(RDF.type, SKOS.Concept))
    assert {str(each) for each in concepts} >= {f"{at}rain", f"{at}credit%20card"}
    assert len(concepts) == len(TAGS)
    rain = URIRef(f"{at}rain")
    labels = {(str(label), label.language) for label in graph.objects(rain, SKOS.prefLabel)}
    assert labels == {("rain", None), ("Regen", "de")}
    assert [str(text) for text in graph.objects(rain, SKOS.definition)] == ['Water that *falls*.\nSay "rain".']
    assert list(graph.objects(rain, SKOS.broader)) == [URIRef(f"{at}forecast")]
    members = {
        member for group in graph.subjects(RDF.type, SKOS.Collection) for member in graph.objects(group, SKOS.member)
    }
    assert members == concepts


def test_the_vocabulary_keeps_the_rules_of_skos(related):
    """S13 and S14: one preferred label a language, none alternative, too. S27: nothing related is also broader."""
    graph = graph_of(related.get(SKOS_PATH))
    for concept in graph.subjects(RDF.type, SKOS.Concept):
        preferred = [(label.language, str(label)) for label in graph.objects(concept, SKOS.prefLabel)]
        assert len({language for language, _ in preferred}) == len(preferred)
        assert not {*preferred} & {(label.language, str(label)) for label in graph.objects(concept, SKOS.altLabel)}
        broader = set(graph.transitive_objects(concept, SKOS.broader)) - {concept}
        assert concept not in {each for parent in broader for each in graph.objects(parent, SKOS.broader)}
        assert not broader & set(graph.objects(concept, SKOS.related))
    assert all((b, SKOS.narrower, a) in graph for a, b in graph.subject_objects(SKOS.broader))


def test_the_accept_header_chooses_the_form_and_the_etag_spares_the_body(related):
    answer = related.get(SKOS_PATH, headers={"Accept": "application/ld+json"})
    assert answer.mimetype == "application/ld+json"
    assert "Accept" in answer.headers["Vary"]
    assert related.get(SKOS_PATH, headers={"Accept": "*/*"}).mimetype == "text/turtle"
    again = related.get(SKOS_PATH, headers={"Accept": "application/ld+json", "If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    assert related.get(SKOS_PATH, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 200


@pytest.mark.parametrize("base", ["javascript:alert(1)", "https://a b", "https://a>", "x"])
def test_a_base_that_is_no_address_is_refused(related, base):
    assert related.get(SKOS_PATH, query_string={"base": base}).status_code == 422
