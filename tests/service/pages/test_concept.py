"""The page of a concept, the list of all, and the links to them."""

import re
from dataclasses import replace
from datetime import timedelta
from html import unescape

import pytest

from service.pages.concept.concept import broader_branch, concept
from service.pages.concept.params import ConceptParams
from service.view.view import View
from snapshot import ClusterLineage
from tagmodel import Cluster, Partition
from tests.clustered import NOON, clustered, counts, documents, published, snapshot_at
from tests.conftest import TOPICS
from tests.service.api.test_api import get
from tests.service.pages.test_explore import random_view


def money(client):
    return get(client, "/v1/corpora/small/tag?tag=payment")["cluster"]


def links(html, path):
    return [unescape(link) for link in re.findall(rf'href="({re.escape(path)}[^"]*)"', html)]


def test_a_concept_shows_its_name_and_all_its_tags_with_their_counts(client):
    number = money(client)
    answer = get(client, f"/v1/corpora/small/clusters/{number}")
    html = client.get(f"/concept?corpus=small&id={number}").text
    assert f'<h1 tabindex="-1">{answer["label"]}</h1>' in html
    shown = re.findall(r'<li class="w\d(?: broad)?"><a href="([^"]+)"[^>]*>([^<]+)</a><small>.*?</span>(\d+)<', html)
    held = counts()
    assert [(tag, int(count)) for _, tag, count in shown] == [(tag["tag"], held[tag["tag"]]) for tag in answer["tags"]]
    assert set(TOPICS["money"]) <= {tag for _, tag, _ in shown}
    assert "/?corpus=small&amp;tag=credit+card" in {link for link, _, _ in shown}


def test_the_share_is_of_the_documents_that_belong_to_it(client):
    """A quarter of the documents are about money, also those that have a tag of another topic."""
    number = money(client)
    answer = get(client, f"/v1/corpora/small/clusters/{number}")
    about = sum(document["label"] == "money" for document in documents())
    assert (answer["documents"], answer["share"]) == (about, 0.25)
    assert f"tags, {about} documents</p>" in client.get(f"/concept?corpus=small&id={number}").text


def test_a_version_that_did_not_count_documents_says_nothing_of_them(client, live, store):
    store.publish(published(NOON + timedelta(hours=1), cluster_documents=()))
    live.refresh()
    assert get(client, "/v1/corpora/small/clusters/0")["share"] is None
    assert "documents</p>" not in client.get("/concept?corpus=small&id=0").text
    assert "documents</small>" not in client.get("/concept?corpus=small").text


def test_the_neighbours_are_those_of_the_api(client):
    number = money(client)
    near = [other["id"] for other in get(client, f"/v1/corpora/small/clusters/{number}")["near"]]
    html = client.get(f"/concept?corpus=small&id={number}").text
    panel = html[html.index("Concepts next to it") : html.index("Part of something larger")]
    assert links(panel, "/concept") == [f"/concept?corpus=small&id={other}" for other in near]


def test_the_broader_branch_is_the_smallest_that_holds_another_concept(view):
    """For every cluster of a random tree: the group of the cut it names, and no finer cut has such a group."""
    many = random_view(view, tags=60)
    k = 9
    labels = many.tree.cut(k)
    partition = Partition.from_ids(labels)
    sizes = [int((labels == each).sum()) for each in range(k)]
    clusters = tuple(Cluster(each, (f"c{each}",), sizes[each]) for each in range(k))
    cut = View(replace(many.snapshot, partition=partition, clusters=clusters, cluster_documents=()))
    for number in range(k):
        branch = broader_branch(cut, number)
        inside = {each.id for each in branch.concepts}
        groups = cut.tree.cut(branch.cut)
        (group,) = set(groups[labels == number])
        assert set(labels[groups == group].tolist()) == inside
        assert branch.size == int((groups == group).sum())
        assert len(inside) > 1
        assert set(branch.label.split(", ")) <= {f"c{each}" for each in inside}, "it is named by its concepts"
        finer = cut.tree.cut(branch.cut + 1)
        assert set(labels[finer == finer[labels == number][0]].tolist()) == {number}


def test_the_only_concept_has_no_broader_branch(view):
    names = view.snapshot.names
    one = View(
        replace(
            view.snapshot,
            partition=Partition.from_ids(0 * view.snapshot.partition.labels),
            clusters=(Cluster(0, ("all",), len(names)),),
            cluster_documents=(200,),
        )
    )
    assert concept(one, ConceptParams("small", 0)).broader is None


@pytest.mark.parametrize(
    ("descent", "told"),
    [
        (ClusterLineage((0,), "kept"), "It continues the concept that had this id in the version before."),
        (ClusterLineage((), "new"), "It is new: no concept of the version before has become this one."),
        (ClusterLineage((1, 77), "merged"), "It was merged from <a href="),
        (ClusterLineage((1,), "split"), "It was split off: its tags come from <a href="),
    ],
)
def test_how_a_concept_came_about_is_told(client, live, *, store, descent, told):
    lineage = replace(snapshot_at().lineage, clusters={0: descent}, previous="20261116T110000.000Z")
    store.publish(published(NOON + timedelta(hours=1), lineage=lineage))
    live.refresh()
    html = client.get("/concept?corpus=small&id=0").text
    assert told in html
    assert "20261116T110000.000Z" in html
    assert ("concept 77, which is gone" in html) == (77 in descent.parents)


def test_the_first_version_is_told(client):
    assert "The first version of this corpus found it." in client.get("/concept?corpus=small&id=0").text


def test_without_an_id_all_concepts_are_listed_the_largest_first(client):
    html = client.get("/concept?corpus=small").text
    clusters = sorted(clustered()[0].clusters, key=lambda each: (-each.size, each.id))
    assert links(html, "/concept?corpus=small&amp;id=") == [f"/concept?corpus=small&id={each.id}" for each in clusters]


def test_an_unknown_id_is_a_404_that_offers_the_corpus_and_its_concepts(client):
    answer = client.get("/concept?corpus=small&id=99")
    assert answer.status_code == 404
    assert "There is no concept 99 here" in answer.text
    assert '<a href="/?corpus=small">A small corpus</a>' in answer.text
    assert len(links(answer.text, "/concept?corpus=small&amp;id=")) == len(TOPICS)
    assert client.get("/concept?corpus=nothing&id=0").status_code == 404


def test_the_tree_links_to_the_concepts_of_its_groups(client, view):
    """A group that is a concept is a link; another names the concepts of its tags."""
    listed = "/concept?corpus=small&amp;id="
    chosen = client.get("/explore?corpus=small").text
    assert len(links(chosen, listed)) == len(TOPICS)
    assert "part of" not in chosen
    every = client.get("/explore?corpus=small&cut=1").text
    assert len(links(every, listed)) == len(TOPICS)
    assert f"of {len(TOPICS)} concepts:" in every
    assert "part of" in client.get("/explore?corpus=small&cut=12").text


def test_the_page_is_remembered_and_needs_nothing_from_elsewhere(client):
    answer = client.get("/concept?corpus=small&id=0")
    assert answer.headers["ETag"]
    again = client.get("/concept?corpus=small&id=0", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    assert " style=" not in answer.text
    assert not re.search(r"<script(?![^>]* src=)", answer.text)
    assert not re.search(r'(src|href)="https?://', answer.text)
    for address in re.findall(r'"(/static/[^"]+)"', answer.text):
        assert client.get(address).status_code == 200


def test_tags_and_labels_are_never_markup(client, live, store):
    odd = '<b>"R&B"</b>'
    small = snapshot_at()
    names = tuple(odd if name == "cash" else name for name in small.names)
    clusters = tuple(replace(each, label=(odd,)) for each in small.clusters)
    store.publish(published(NOON + timedelta(hours=1), names=names, clusters=clusters))
    live.refresh()
    for path in ("/concept?corpus=small", *(f"/concept?corpus=small&id={each.id}" for each in clusters)):
        html = client.get(path).text
        assert "<b>" not in html
        assert "&lt;b&gt;" in html


def test_a_warning_is_shown_where_the_concepts_are(client, live, store):
    paths = ("/concept?corpus=small", "/concept?corpus=small&id=0", "/explore?corpus=small")
    assert not [path for path in paths if "These concepts mean little" in client.get(path).text]
    store.publish(published(NOON + timedelta(hours=1), quality={**snapshot_at().quality, "bits": 0.0}))
    live.refresh()
    assert not [path for path in paths if "These concepts mean little" not in client.get(path).text]
