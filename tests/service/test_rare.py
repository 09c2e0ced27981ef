"""Rare tags: every question works for them, and counts them exactly."""

from dataclasses import replace
from datetime import timedelta
from urllib.parse import quote

import numpy as np
import pytest

from service.api.quick import is_quick
from service.app import create_gateway
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from service.questions.related.ranking import rank
from service.questions.text.listing import tags
from service.questions.text.query import parse_query
from service.settings import ServiceSettings
from service.site.content import site_files
from service.view.document_store import DocumentStore
from service.view.view import View
from service.web.metrics import Metrics
from snapshot import NO_CONCEPT, StatusBoard, encode
from snapshot.edits import EditState, parse_edit
from tests.clustered import NOON, documents
from tests.conftest import write_jsonl
from tests.service.asking import Served
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.continuity.inheritance import PreviousVersion
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

DAY = timedelta(days=1)
RARE = {"d3": ["umbrella"], "d7": ["umbrella", "wellington"], "d11": ["wellington"]}


def extended():
    """The small corpus with tags of one to three documents, and documents that have only such tags, or none."""
    for document in documents():
        yield {**document, "tags": [*document["tags"], *RARE.get(document["id"], [])]}
    yield {"id": "rare-1", "tags": ["umbrella", "gumboot"]}
    yield {"id": "rare-2", "tags": ["purple rain"]}
    yield {"id": "rare-3", "tags": ["hermit"]}
    yield {"id": "bare", "tags": []}


def run(folder, **declared):
    path = write_jsonl(folder / "d.jsonl", extended())
    corpus, stages = Corpus(name="small", source=path.name, path=path, **declared), Stages(lambda *_: None)
    tagged, notes = load_documents(corpus, stages)
    return cluster(corpus, tagged, NOON, stages, notes=notes)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return run(tmp_path_factory.mktemp("rare"))


@pytest.fixture(scope="module")
def view(made):
    snapshot, stored = made
    return View(snapshot, documents=DocumentStore(stored.table, snapshot))


@pytest.fixture
def client(environment, redis, store, made, tmp_path):
    store.publish(encode(*made))
    live = LiveSnapshots(store, StatusBoard(redis), document_files=DocumentFiles(tmp_path / "documents"))
    live.refresh()
    return Served(create_gateway(live, redis, ServiceSettings(), Metrics())).test_client()


@pytest.fixture
def ask(client):
    def asking(address):
        answer = client.get(f"/v1/corpora/small/{address}")
        assert answer.status_code == 200, answer.text
        return answer.json

    return asking


def concept(view, name):
    return view.cluster_of[view.index[name]]


def test_each_rare_tag_is_placed_by_its_company_then_by_its_words_else_nowhere(view):
    home = concept(view, "umbrella")
    assert home in {view.documents.concept(view.documents.position(name)) for name in ("d3", "d7")}
    assert concept(view, "gumboot") == home, "by the rare tag beside it"
    assert concept(view, "purple rain") == concept(view, "rain"), "by its last word"
    assert concept(view, "hermit") == NO_CONCEPT
    assert view.snapshot.tail.placed == 4


def test_every_tag_of_the_file_has_its_documents_and_a_cloud_if_another_tag_is_beside_it(ask):
    counts, company = {}, {}
    for document in extended():
        tags = set(document["tags"])
        for tag in tags:
            counts[tag] = counts.get(tag, 0) + 1
            company[tag] = company.get(tag, False) or len(tags) > 1
    for tag, count in counts.items():
        assert ask(f"documents?tag={quote(tag)}&match=all")["total"] == count
        assert bool(ask(f"cloud?tag={quote(tag)}")["groups"]) == company[tag], tag
        assert any(each["tag"] == tag for each in ask(f"tags?prefix={quote(tag)}")["tags"])
    assert ask("documents?limit=1")["total"] == 204


def test_tags_are_listed_with_the_rare_ones_marked_and_last(ask):
    listed = ask("tags?limit=100")["tags"]
    assert [each["tag"] for each in listed if each["rare"]] == [each["tag"] for each in listed][-5:]
    assert [each["cluster"] for each in listed if each["tag"] == "hermit"] == [None]
    about = ask("tag?tag=hermit")
    assert (about["rare"], about["cluster"], about["label"], about["breadth"]) == (True, None, None, None)


def test_a_rare_tag_typed_to_its_end_comes_first(tmp_path):
    """Otherwise longer names that many documents have could hide it."""
    rows = [{**each, "tags": ["wellingtonia", *each["tags"]]} for each in extended()]
    path = write_jsonl(tmp_path / "d.jsonl", rows)
    corpus, stages = Corpus(name="small", source=path.name, path=path), Stages(lambda *_: None)
    tagged, notes = load_documents(corpus, stages)
    snapshot, stored = cluster(corpus, tagged, NOON, stages, notes=notes)
    view = View(snapshot, documents=DocumentStore(stored.table, snapshot))
    assert [each["tag"] for each in tags(view, "wellington", "", limit=5, offset=0).tags] == [
        "wellington",
        "wellingtonia",
    ]
    assert [each["tag"] for each in tags(view, "wellingt", "", limit=5, offset=0).tags] == [
        "wellingtonia",
        "wellington",
    ]


def test_joint_counts_and_exclusion_count_rare_tags_exactly(ask):
    related = ask("related?tag=wellington&together=true&limit=50")["related"]
    assert {each["tag"]: each["together"] for each in related}["umbrella"] == 1
    assert ask("documents?tag=umbrella&tag=wellington&match=all")["total"] == 1
    left = ask("documents?tag=umbrella&exclude=wellington&match=all")
    assert {each["id"] for each in left["documents"]} == {"d3", "rare-1"}


def test_a_mixed_query_gives_each_tag_its_share_of_the_reason(ask):
    related = ask("related?tag=rain&tag=umbrella&limit=30")["related"]
    reasons = [{each["tag"]: each["share"] for each in tag["because"]} for tag in related]
    assert all(abs(sum(each.values()) - 1) < 1e-3 for each in reasons)
    assert any(0 < each.get("umbrella", 0) < 1 for each in reasons)
    assert not {"rain", "umbrella"} & {each["tag"] for each in related}


def test_documents_with_only_rare_tags_are_like_others_and_have_pages(ask, client):
    alone = ask("document?id=rare-1")
    assert alone["document"]["rare"] == alone["document"]["tags"] == ["gumboot", "umbrella"]
    assert {each["id"] for each in alone["similar"]} >= {"d3", "d7"}
    assert ask("document?id=rare-3")["document"]["cluster"] is None
    for name in ("rare-1", "rare-3", "bare"):
        assert client.get(f"/document?corpus=small&id={name}").status_code == 200
    for tag in ("umbrella", "hermit"):
        assert client.get(f"/?corpus=small&tag={tag}").status_code == 200


def test_the_page_of_a_concept_folds_its_rare_tags(client, view):
    page = client.get(f"/concept?corpus=small&id={concept(view, 'umbrella')}").text
    assert "rare tags</summary>" in page
    assert ">umbrella</a>" in page
    assert 'class="rare-tags" open' in client.get(f"/concept?corpus=small&id={concept(view, 'umbrella')}&rare=0").text


def test_editors_move_rare_tags_and_their_clusters_keep_them(view):
    other = next(name for name in view.snapshot.keys if concept(view, name) != concept(view, "umbrella"))
    edits = [
        parse_edit({"kind": "move", "tag": "umbrella", "to": other}),
        parse_edit({"kind": "move", "tag": "rain", "to": "hermit"}),
    ]
    after = view.with_edits(EditState(stored=tuple(edits)))
    assert concept(after, "umbrella") == concept(view, other)
    assert concept(after, "rain") == concept(view, "rain"), "hermit has no concept"
    assert "no concept" in next(iter(after.edited.inactive.values()))


def test_a_question_about_a_rare_tag_is_left_to_a_thread(view):
    """It reads documents, which may be on disk."""
    assert is_quick(view, [("tag", "rain")], frozenset({"tag"}))
    assert not is_quick(view, [("tag", "umbrella")], frozenset({"tag"}))


def test_clouds_by_concept_hold_rare_tags_too(ask):
    for by in ("query", "clusters"):
        groups = ask(f"cloud?tag=gumboot&by={by}")["groups"]
        assert [each["tag"] for group in groups for each in group["tags"]] == ["umbrella"]


def test_the_static_site_has_all_tags(view):
    files = site_files(view, 10_000_000)
    assert b'"hermit",1,null,0' in files["tags.js"]


def test_the_limit_leaves_out_the_rarest(tmp_path):
    snapshot, stored = run(tmp_path, vocabulary_limit=35)
    assert snapshot.tag_count + snapshot.tail_tag_count == 35
    assert snapshot.tail.keys == ("umbrella", "wellington")
    assert stored.table.index.tag_count == 35


def test_without_documents_a_rare_tag_is_known_but_has_no_company(made):
    bare = View(made[0])
    rare, rain = bare.index["umbrella"], bare.index["rain"]
    assert rank(bare, (rare,), 0.5, 10).tags == []
    assert rank(bare, (rain, rare), 0.5, 10).tags == rank(bare, (rain,), 0.5, 10).tags


def test_corpora_and_versions_count_all_documents_and_tags(client, made):
    snapshot, _ = made
    corpora = client.get("/v1/corpora").json["corpora"]
    versions = client.get("/v1/corpora/small/snapshots").json["snapshots"]
    for each in (*corpora, *versions):
        assert (each["documents"], each["tags"], each["rare_tags"]) == (204, snapshot.tag_count + 5, 5)


@pytest.mark.parametrize("language", ["en", None])
def test_the_common_form_of_a_rare_tag_is_offered(tmp_path, language):
    """A plural in any language, an inflection in the language of the corpus."""
    rows = [*extended(), {"id": "forms", "tags": ["rains", "raining", "wellingtons"]}]
    path = write_jsonl(tmp_path / "d.jsonl", rows)
    declared = {} if language is None else {"language": language}
    corpus, stages = Corpus(name="small", source=path.name, path=path, **declared), Stages(lambda *_: None)
    tagged, notes = load_documents(corpus, stages)
    snapshot, stored = cluster(corpus, tagged, NOON, stages, notes=notes)
    view = View(snapshot, documents=DocumentStore(stored.table, snapshot))

    def offered(tags, text=""):
        return {each.text: each.tags for each in parse_query(view, tags, text).suggestions}

    assert offered(["rains"]) == offered([], "rains") == {"rains": ["rain"]}
    assert offered(["raining"]) == ({"raining": ["rain"]} if language else {})
    assert offered(["rains", "rain"]) == {}, "both were asked for"
    assert offered(["wellingtons"]) == {}, "the other form is rare, too"
    assert offered(["rain"]) == {}


def test_the_page_offers_the_common_form_in_place_of_the_rare_tag(environment, redis, store, tmp_path):
    rows = [*extended(), {"id": "forms", "tags": ["rains", "umbrella"]}]
    path = write_jsonl(tmp_path / "d.jsonl", rows)
    corpus, stages = Corpus(name="small", source=path.name, path=path), Stages(lambda *_: None)
    tagged, notes = load_documents(corpus, stages)
    store.publish(encode(*cluster(corpus, tagged, NOON, stages, notes=notes)))
    live = LiveSnapshots(store, StatusBoard(redis), document_files=DocumentFiles(tmp_path / "documents"))
    live.refresh()
    client = Served(create_gateway(live, redis, ServiceSettings(), Metrics())).test_client()
    page = client.get("/?corpus=small&tag=rains&tag=umbrella").text
    assert "Few documents have “rains”. Did you mean" in page
    assert 'href="/?corpus=small&amp;tag=rain&amp;tag=umbrella"' in page


def test_rare_tags_keep_their_concept_unless_their_company_clearly_says_otherwise(tmp_path):
    """*between* stands beside two concepts alike, *umbrella* clearly in one; the earlier version had both elsewhere."""
    rows = [*extended(), {"id": "between", "tags": ["between", "rain", "guitar"]}]
    path = write_jsonl(tmp_path / "d.jsonl", rows)
    corpus, stages = Corpus(name="small", source=path.name, path=path), Stages(lambda *_: None)
    tagged, notes = load_documents(corpus, stages)
    snapshot, stored = cluster(corpus, tagged, NOON, stages, notes=notes)
    concepts = dict(zip(snapshot.keys, snapshot.partition.item_ids.tolist(), strict=True))
    pair = {concepts["rain"], concepts["guitar"]}
    now = snapshot.tail.concepts.tolist()
    between, umbrella = map(snapshot.tail.keys.index, ("between", "umbrella"))
    (other,) = pair - {now[between]}
    earlier = np.array(now, dtype=np.int32)
    earlier[between] = other
    earlier[umbrella] = next(each.id for each in snapshot.clusters if each.id != now[umbrella])
    before = replace(snapshot, tail=replace(snapshot.tail, concepts=earlier))
    again, _ = cluster(corpus, tagged, NOON + DAY, stages, previous=PreviousVersion(before, stored), notes=notes)
    assert again.tail.concepts[between] == other
    assert again.tail.concepts[umbrella] == now[umbrella]
