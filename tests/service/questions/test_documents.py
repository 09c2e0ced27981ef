"""The documents behind a query, one document, those like it, and how many each tag leaves."""

from urllib.parse import quote

import pytest

from tests.clustered import BROAD, by_count
from tests.conftest import TOPICS
from tests.service.carded import ODD_ID, RARE, documents, having

AT = "/v1/corpora/carded"


def get(carded, path, status=200):
    answer = carded.get(f"{AT}/{path}")
    assert answer.status_code == status, answer.json
    return answer.json


def ids(answer):
    return [document["id"] for document in answer["documents"]]


@pytest.mark.parametrize("tags", [("payment",), ("payment", "cash"), ("payment", BROAD), ("rain", "snow", "cloud")])
def test_the_total_is_the_number_of_documents_with_all_tags(carded, tags):
    """`total` is exact, and match=all lists exactly these documents."""
    query = "&".join(f"tag={quote(tag)}" for tag in tags)
    answer = get(carded, f"documents?{query}&match=all&limit=100")
    assert answer["total"] == len(having(*tags))
    assert set(ids(answer)) == having(*tags)
    assert all(set(tags) <= set(document["tags"]) for document in answer["documents"])


def test_the_total_of_one_tag_is_its_count(carded):
    """The index holds the documents and tags of the matrix."""
    for tag in by_count():
        assert (
            get(carded, f"documents?tag={quote(tag)}&limit=1")["total"] == get(carded, f"tag?tag={quote(tag)}")["count"]
        )


def test_documents_with_all_tags_come_first_then_near_ones(carded):
    """Without `match`, pages go through the complete documents, then through near ones, and no document comes twice."""
    seen, offset = [], 0
    while True:
        page = get(carded, f"documents?tag=payment&limit=7&offset={offset}")
        seen += ids(page)
        offset += 7
        if not page["more"] or offset > 200:
            break
    complete = having("payment")
    assert set(seen[: len(complete)]) == complete
    assert len(seen) == len(set(seen)) > len(complete)


def test_any_and_near_find_documents_that_lack_a_tag(carded):
    """match=any asks for one tag of the query at least; match=near ranks all documents that fit."""
    either = get(carded, "documents?tag=payment&tag=rain&match=any&limit=100")
    assert set(ids(either)) <= having("payment") | having("rain")
    near = get(carded, "documents?tag=payment&match=near&limit=100")
    lacking = [document for document in near["documents"] if "payment" not in document["tags"]]
    assert lacking
    assert all(reason["tag"] in document["tags"] for document in lacking for reason in document["because"])


def test_a_document_shows_what_the_source_says(carded):
    """Title, URL and image come from the source; rare tags are named apart."""
    shown = get(carded, "document?id=d2")["document"]
    assert (shown["title"], shown["url"], shown["image"]) == (
        "Number 2",
        "https://site.example/2.url",
        "https://site.example/2.image",
    )
    plain = get(carded, "document?id=d7")["document"]
    assert (plain["title"], plain["url"], plain["image"], plain["rare"]) == (None, None, None, [RARE])
    assert RARE in plain["tags"]


def test_a_document_names_missing_tags_and_similar_documents(carded):
    """Missing tags are related ones that it lacks; it is not similar to itself."""
    answer = get(carded, "document?id=d1&limit=5")
    tags = set(answer["document"]["tags"])
    assert answer["missing"]
    assert tags.isdisjoint(tag["tag"] for tag in answer["missing"])
    assert len(answer["similar"]) == 5
    assert "d1" not in {document["id"] for document in answer["similar"]}


def test_similar_documents_of_tags_are_of_their_topic(carded):
    """Documents like some tags share the topic, by `id` as by `tag`; the reason is a tag of theirs."""
    answer = get(carded, "similar?tag=guitar&tag=piano&limit=10")
    for document in answer["documents"]:
        assert set(document["tags"]) & set(TOPICS["music"])
    first = get(carded, "similar?id=d1&limit=3")
    assert first["document"] == "d1"
    assert first["documents"] == get(carded, "document?id=d1&limit=3")["similar"]


def test_ids_of_any_kind_are_found(carded):
    """Ids with slashes, spaces and other letters travel as parameters."""
    assert get(carded, f"document?id={quote(ODD_ID, safe='')}")["document"]["id"] == ODD_ID


def test_an_unknown_id_is_404_with_close_ids(carded):
    """A misspelt id gets the ids that look like it."""
    problem = get(carded, "document?id=d10o", 404)
    assert problem["detail"] == "there is no document 'd10o' in carded"
    assert "d10" in problem["suggestions"]


def test_cluster_restricts_documents_to_a_concept(carded):
    """`cluster` is the lasting id of a tag cluster, and every document has one."""
    concept = get(carded, "document?id=d0")["document"]["cluster"]
    answer = get(carded, f"documents?cluster={concept}&limit=100")
    assert answer["total"] == get(carded, f"clusters/{concept}")["documents"]
    assert {document["cluster"] for document in answer["documents"]} == {concept}
    assert get(carded, "documents?cluster=999", 404)["detail"] == "carded has no cluster 999"


def test_concepts_count_every_document_once_and_show_those_that_stand_for_them(carded):
    """The documents of all concepts sum to those of the corpus; representatives belong to the concept."""
    clusters = [each["id"] for each in get(carded, "clusters")["clusters"]]
    details = [get(carded, f"clusters/{each}") for each in clusters]
    assert sum(detail["documents"] for detail in details) == len(documents())
    for detail in details:
        assert {document["cluster"] for document in detail["representatives"]} <= {detail["id"]}


@pytest.mark.parametrize("path", ["related?tag=payment", "cloud?tag=payment", "tag?tag=payment"])
def test_together_counts_documents_with_the_query_and_each_tag(carded, path):
    """The number beside a tag is how many documents a search page would still show."""
    answer = get(carded, f"{path}&together=true&limit=10")
    tags = (
        answer.get("related")
        or answer.get("neighbours")
        or [tag for group in answer["groups"] for tag in group["tags"]]
    )
    assert tags
    for tag in tags:
        assert tag["together"] == len(having("payment", tag["tag"]))
    plain = carded.get(f"{AT}/{path}&limit=10").get_data(as_text=True)
    assert "together" not in plain


def test_narrow_leaves_out_tags_that_would_give_no_document(carded):
    """With narrow=true every tag leaves at least one document; without it some leave none."""
    query = "related?tag=payment&tag=rain&together=true&limit=100"
    wide, narrow = get(carded, query), get(carded, f"{query}&narrow=true")
    assert any(tag["together"] == 0 for tag in wide["related"])
    assert narrow["related"]
    assert [tag for tag in wide["related"] if tag["together"]] == narrow["related"]


def test_similar_needs_a_document_or_tags(carded):
    """Neither, or both, is an error that says so."""
    for query in ("similar", "similar?id=d1&tag=rain"):
        assert "either the id of a document, or tags" in get(carded, query, 422)["detail"]


def test_all_documents_are_listed_without_a_query(carded):
    """Without a query, pages go through all documents in the order of their ids."""
    answer = get(carded, "documents?limit=100")
    assert answer["total"] == 200
    assert ids(answer) == sorted(ids(answer))
    assert answer["more"]


def without(tags, excluded):
    """The ids of all documents with some tags and none of the others, by the corpus alone."""
    return having(*tags).difference(*(having(tag) for tag in excluded))


@pytest.mark.parametrize("match", ["all", "any", "near", None])
def test_no_document_has_an_excluded_tag(carded, match):
    """`total` counts those with all tags that have none of the excluded ones."""
    chosen = f"&match={match}" if match else ""
    answer = get(carded, f"documents?tag=payment&exclude=cash&exclude=coin{chosen}&limit=100")
    left = without(["payment"], ["cash", "coin"])
    assert answer["total"] == len(left) > 0
    assert left <= set(ids(answer))
    assert not set(ids(answer)) & (having("cash") | having("coin"))
    assert [part["tag"] for part in answer["query"]["excluded"]] == ["cash", "coin"]


def test_excluded_tags_apply_to_similar_documents_and_concepts_too(carded):
    """By id, by tag, and among the documents of a concept."""
    cluster = get(carded, "tag?tag=payment")["cluster"]
    for path in ("similar?id=d1", "similar?tag=payment", f"documents?cluster={cluster}", "documents?limit=100"):
        answer = get(carded, f"{path}{'&' if '?' in path else '?'}exclude=cash")
        assert answer["documents"]
        assert not any("cash" in document["tags"] for document in answer["documents"])


@pytest.mark.parametrize("path", ["related?", "cloud?"])
def test_tags_go_whose_documents_mostly_have_an_excluded_tag(carded, path):
    """Beside the query, or anywhere if the query has no document with the tag; the others stay, with exact counts."""

    def listed(query):
        answer = get(carded, f"{path}{query}&together=true&limit=100")
        found = answer.get("related") or [tag for group in answer["groups"] for tag in group["tags"]]
        return {tag["tag"]: tag["together"] for tag in found}

    before, after = listed("tag=payment"), listed("tag=payment&exclude=cash&exclude=coin")
    assert set(after) < set(before)
    for tag in before:
        counted = (["payment", tag], [tag])[not having("payment", tag)]
        stays = 2 * len(without(counted, ["cash", "coin"])) >= len(having(*counted))
        assert (tag in after) == stays, tag
        assert not stays or after[tag] == len(without(["payment", tag], ["cash", "coin"]))


def test_a_cloud_without_a_query_can_exclude_tags(carded):
    """The commonest tags without those that it excludes."""
    groups = get(carded, f"cloud?exclude={quote(BROAD)}&limit=500")["groups"]
    tags = {tag["tag"] for group in groups for tag in group["tags"]}
    assert tags
    assert BROAD not in tags


def test_a_group_is_opened_by_its_tags(carded):
    """Only documents count that have two of them, and the query; the cloud has the tags of just these documents."""
    tags = ["cash", "bank", "coin"]
    group = "&".join(f"group={tag}" for tag in tags)
    two = having("cash", "bank") | having("cash", "coin") | having("bank", "coin")
    answer = get(carded, f"documents?{group}&limit=100")
    assert answer["query"]["group"] == tags
    assert set(ids(answer)) == two
    assert answer["total"] == len(two) >= 5
    with_query = get(carded, f"documents?tag=payment&{group}&match=all&limit=100")
    assert set(ids(with_query)) == two & having("payment")
    cloud = get(carded, f"cloud?tag=payment&{group}&together=true&limit=500")
    shown = {tag["tag"]: tag["together"] for each in cloud["groups"] for tag in each["tags"]}
    assert "payment" not in shown
    assert shown["cash"] == len(two & having("payment", "cash"))
    get(carded, "cloud?group=nonsense", 404)


def test_a_group_that_few_documents_have_two_tags_of_is_opened_by_any(carded):
    assert set(ids(get(carded, "documents?group=cash&limit=100"))) == having("cash")
