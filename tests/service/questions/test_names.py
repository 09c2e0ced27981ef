"""Other names of tags: declared synonyms and folded variants are known to every question."""

from dataclasses import replace
from datetime import timedelta

import pytest

from service.errors import UnknownTags
from service.questions.text.query import exact_tags, parse_text
from service.view.view import View
from snapshot import Alias, CorpusRegister, RegisteredCorpus, encode
from tests.clustered import NOON, clustered, snapshot_at
from tests.service.api.test_api import get, problem
from tests.service.api.test_endpoints import push

ALIASES = (
    Alias("Remuneration", "payment", "synonym", 3),
    Alias("cash machine", "cash", "synonym", 0),
    Alias("creditcard", "credit card", "spelling", 2),
    Alias("credit_card", "credit card", "spelling", 4),
    Alias("Automobile", "car", "synonym", 2),
)
"""The tag `car` is in too few documents to be one of the snapshot."""


def with_aliases(*aliases, variants="spelling", ban=("Spam mail",), distinct=(), moment=NOON):
    whole = snapshot_at(moment)
    parameters = {**whole.parameters, "variants": variants, "ban": list(ban), "distinct": list(distinct)}
    return replace(whole, aliases=aliases, parameters=parameters)


@pytest.fixture(scope="module")
def named():
    return View(with_aliases(*ALIASES))


@pytest.fixture
def renamed(live, store, redis, writer):
    """A client that may write, of a service whose next version has aliases."""
    store.publish(encode(with_aliases(*ALIASES, moment=NOON + timedelta(hours=1)), clustered()[1]))
    declared = RegisteredCorpus("small", "A small corpus", "24h", 1.8e9, pushed=True)
    CorpusRegister(redis).write({"small": declared})
    live.refresh()
    return writer


@pytest.mark.parametrize(
    ("text", "tag", "how"),
    [
        ("payment", "payment", "exact"),
        ("remuneration", "payment", "synonym"),
        ("remunerations", "payment", "synonym"),
        ("payments", "payment", "plural"),
        ("creditcard", "credit card", "spelling"),
        ("credit-card", "credit card", "exact"),
        ("remunerattion", "payment", "spelling"),
        ("cash machine", "cash", "synonym"),
    ],
)
def test_text_is_recognised_as_exact_then_synonym_then_plural_then_spelling(named, text, tag, how):
    (part,) = parse_text(named, text).parts
    assert (part.tag, part.how) == (tag, how)


@pytest.mark.parametrize(
    ("name", "tag", "how"),
    [
        ("Credit Card", "credit card", "exact"),
        ("REMUNERATION", "payment", "synonym"),
        ("creditcard", "credit card", "spelling"),
        ("Credit’Card", "credit card", "spelling"),  # never seen, but the run would fold it
        ("re-muneration", "payment", "synonym"),
    ],
)
def test_an_exact_tag_may_be_any_name_that_the_run_counts_as_it(named, name, tag, how):
    (part,) = exact_tags(named, [name]).parts
    assert (part.tag, part.how) == (tag, how)


def test_a_plural_is_no_exact_tag_unless_the_run_folds_plurals(named):
    with pytest.raises(UnknownTags):
        exact_tags(named, ["invoices"])
    folding = View(with_aliases(variants="plurals"))
    assert exact_tags(folding, ["invoices"]).parts[0].tag == "invoice"


@pytest.mark.parametrize("variants", ["off", "propose"])
def test_where_the_run_folds_nothing_an_unseen_spelling_is_no_tag(variants):
    with pytest.raises(UnknownTags):
        exact_tags(View(with_aliases(variants=variants)), ["creditcard"])


def test_a_synonym_is_known_where_the_run_folds_nothing_too():
    view = View(with_aliases(*ALIASES, variants="off"))
    assert view.names.find("REMUNERATION") == (view.index["payment"], "synonym")
    assert view.names.find("re-muneration") is None


def test_a_rare_tag_that_is_declared_distinct_is_not_taken_for_the_other():
    view = View(with_aliases(distinct=[["Credit Card", "credit-card"]]))
    assert view.names.find("credit-card") is None
    assert view.names.find("creditcard") == (view.index["credit card"], "spelling")


def test_a_tag_in_use_wins_over_an_alias_of_the_same_name():
    view = View(with_aliases(Alias("cash", "payment", "synonym", 1)))
    assert exact_tags(view, ["cash"]).parts[0].tag == parse_text(view, "cash").parts[0].tag == "cash"
    assert view.names.of_tag == {}


def test_a_synonym_of_a_tag_without_documents_is_a_404_that_names_the_tag(renamed):
    message = "'automobile' stands for 'car', which no document of small has"
    assert problem(renamed, "/v1/corpora/small/tag?tag=Automobile", 404)["detail"] == message
    assert get(renamed, "/v1/corpora/small/cloud?q=automobile")["query"]["ignored"] == ["automobile"]


def test_autocomplete_says_which_other_name_matched(renamed):
    found = get(renamed, "/v1/corpora/small/tags?prefix=remun")
    payment = get(renamed, "/v1/corpora/small/tag?tag=payment")
    assert found["tags"] == [
        {
            "tag": "payment",
            "count": payment["count"],
            "cluster": payment["cluster"],
            "rare": False,
            "as": "Remuneration",
        }
    ]
    assert found["total"] == 1
    by_own_name = get(renamed, "/v1/corpora/small/tags?prefix=credit")["tags"]
    assert [(tag["tag"], "as" in tag) for tag in by_own_name] == [("credit card", False)]
    contained = get(renamed, "/v1/corpora/small/tags?infix=itcard")["tags"]
    assert [(tag["tag"], tag["as"]) for tag in contained] == [("credit card", "creditcard")]
    everything = get(renamed, "/v1/corpora/small/tags?limit=100")["tags"]
    assert not any("as" in tag for tag in everything)


def test_a_tag_lists_its_synonyms_and_its_variants_commonest_first(renamed):
    assert get(renamed, "/v1/corpora/small/tag?tag=payment")["synonyms"] == ["Remuneration"]
    card = get(renamed, "/v1/corpora/small/tag?tag=credit+card")
    assert (card["synonyms"], card["variants"]) == ([], ["credit_card", "creditcard"])


def test_all_aliases_are_listed_page_by_page(renamed):
    whole = get(renamed, "/v1/corpora/small/aliases")
    assert whole["total"] == 4
    listed = {(alias["alias"], alias["tag"], alias["how"], alias["count"]) for alias in whole["aliases"]}
    assert listed == {
        ("Remuneration", "payment", "synonym", 3),
        ("cash machine", "cash", "synonym", 0),
        ("creditcard", "credit card", "spelling", 2),
        ("credit_card", "credit card", "spelling", 4),
    }
    assert get(renamed, "/v1/corpora/small/aliases?limit=2&offset=1")["aliases"] == whole["aliases"][1:3]


def test_documents_are_classified_by_the_other_names_of_tags(renamed):
    found = get(renamed, "/v1/corpora/small/classify?tag=remuneration&tag=credit_card&tag=automobile&tag=spam-mail")
    assert found["tags"] == ["credit card", "payment"]
    assert [tag["tag"] for tag in found["new_tags"]] == ["car"]


def test_pushed_documents_are_placed_by_the_other_names_of_tags(renamed):
    body = b'{"id": "a", "tags": ["remuneration", "Credit_Card"]}\n{"id": "b", "tags": ["payment", "credit card"]}\n'
    answer = push(renamed, body, "small").get_json()
    one, other = answer["placed"]
    assert one["document_cluster"] == other["document_cluster"] is not None
    assert answer["new_tags"] == []


def test_clouds_of_a_synonym_are_those_of_its_tag(renamed):
    one = get(renamed, "/v1/corpora/small/cloud?tag=remuneration")
    assert one["query"]["understood"] == [{"text": "remuneration", "tag": "payment", "how": "synonym"}]
    assert one["groups"] == get(renamed, "/v1/corpora/small/cloud?tag=payment")["groups"]
    page = renamed.get("/?corpus=small&q=remuneration").get_data(as_text=True)
    assert "“remuneration” was taken for <strong>payment</strong>" in page
