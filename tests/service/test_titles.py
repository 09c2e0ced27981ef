"""Words that are no tags but stand in titles: they find documents, their tags, and are offered behind the tags."""

from dataclasses import replace

import pytest

from service.api.quick import is_quick
from service.app import create_gateway
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from service.settings import ServiceSettings
from service.view.document_store import DocumentStore
from service.view.view import View
from service.web.metrics import Metrics
from snapshot import StatusBoard, Texts, encode, words_of_title
from tagmodel.index.document_index import TitleIndex
from tests.clustered import NOON, documents
from tests.conftest import write_jsonl
from tests.service.asking import Served
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

TITLES = {
    "d3": "The Lighthouse, at dusk",
    "d4": "A lighthouse (again)",
    "d9": "The café of lighthouses",
    "d11": "The end",
}


def titled(**others):
    for document in documents():
        title = TITLES.get(document["id"], "The picture" if document["id"] < "d5" else "A picture")
        yield {**document, "title": title, **others}
    yield {"id": "bare", "tags": [], "title": "Zeppelin"}


def run(folder, rows, **declared):
    path = write_jsonl(folder / "d.jsonl", rows)
    corpus, stages = Corpus(name="small", source=path.name, path=path, **declared), Stages(lambda *_: None)
    tagged, notes = load_documents(corpus, stages)
    return cluster(corpus, tagged, NOON, stages, notes=notes)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return run(tmp_path_factory.mktemp("titles"), titled())


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


def ids(answer):
    return {document["id"] for document in answer["documents"]}


def head_tag(view):
    return view.tag_names[view.by_count[0]]


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("The Lighthouse, at dusk", ["the", "lighthouse", "at", "dusk"]),
        ("  “Café” & C++/C#  (2nd ed.)", ["cafe", "c++", "c#", "2nd", "ed"]),
        ("well-known snake_case", ["well", "known", "snake", "case"]),
        ("हिन्दी", ["हिन्दी"]),
        ("--- ()", []),
    ],
)
def test_words_of_a_title(title, words):
    assert words_of_title(title) == words


def test_a_word_of_titles_answers_with_their_documents_and_the_cloud_of_their_tags(ask, view):
    """It says so, and is no tag: `tag=` still does not know it."""
    cloud, found = ask("cloud?q=dusk"), ask("documents?q=dusk")
    assert cloud["query"]["understood"] == [{"text": "dusk", "tag": None, "how": "title"}]
    assert (cloud["query"]["tags"], cloud["query"]["ignored"]) == ([], [])
    assert (found["total"], found["documents"][0]["id"]) == (1, "d3")
    shown = {tag["tag"] for group in cloud["groups"] for tag in group["tags"]}
    assert set(found["documents"][0]["tags"]) <= shown
    because = ask("related?q=dusk")["related"][0]["because"]
    assert because == [{"tag": "dusk", "share": 1.0}]


def test_an_unknown_tag_is_a_404_even_if_titles_have_it(client):
    assert client.get("/v1/corpora/small/cloud?tag=dusk").status_code == 404


def test_singular_plural_case_and_accents_are_one_word_of_titles(ask):
    assert ids(ask("documents?q=LIGHTHOUSE&match=all")) == {"d3", "d4"}
    assert ids(ask("documents?q=cafe&match=all")) == ids(ask("documents?q=caf%C3%A9s&match=all")) == {"d9"}


def test_words_and_tags_are_asked_for_together(ask, view):
    """Documents need both; joint counts and totals are exact."""
    tags = ask("document?id=d3")["document"]["tags"]
    found = ask(f"documents?q=lighthouse&tag={tags[0]}&match=all")
    expected = {document["id"] for document in documents() if tags[0] in document["tags"]} & {"d3", "d4"}
    assert (ids(found), found["total"]) == (expected, len(expected))
    related = ask(f"related?q=lighthouse&tag={tags[0]}&together=true&limit=5")["related"]
    assert {each["tag"] for entry in related for each in entry["because"]} <= {tags[0], "lighthouse"}
    for entry in related:
        both = [each for each in documents() if each["id"] in expected and entry["tag"] in each["tags"]]
        assert entry["together"] == len(both)


def test_a_word_in_many_titles_counts_only_alone(ask, view):
    """Articles and prepositions do not narrow a query: *the* is in a third of the titles."""
    alone = ask("documents?q=the&match=all")
    assert alone["query"]["understood"][0]["how"] == "title"
    tag = head_tag(view)
    beside = ask(f"documents?q=the+{tag}&match=all")
    assert (beside["query"]["tags"], beside["query"]["ignored"]) == ([tag], ["the"])
    assert beside["total"] == view.counts[view.index[tag]]


def test_a_document_without_tags_is_found_by_its_title(ask):
    assert ids(ask("documents?q=zeppelin&match=all")) == {"bare"}
    assert ids(ask("documents?q=zeppelin+lighthouse&match=any")) >= {"bare", "d3", "d4"}
    assert ask("cloud?q=zeppelin")["groups"] == []


def test_a_tag_is_a_tag_even_if_titles_have_it(tmp_path, view):
    """Words of titles that are tags are not stored again."""
    tag = next(name for name in view.snapshot.names if name.isalpha())
    _, stored = run(tmp_path, ({**each, "title": f"{tag} lighthouse"} for each in documents()))
    assert stored.table.title_words.get(0) == b"lighthouse"
    assert len(stored.table.title_words) == 1


def test_without_titles_the_words_of_ids_count(tmp_path):
    """Pages show the id then. Numbers and codes are no words."""
    rows = [{**each, "id": f"night-owl/{each['id']}-0x3f"} for each in documents()]
    _, stored = run(tmp_path, rows)
    words = stored.table.title_words
    assert [words.get(place) for place in range(len(words))] == [b"night", b"owl"]
    assert list(stored.table.index.titles.documents[: len(rows)]) == list(range(len(rows)))


def test_autocomplete_offers_words_of_titles_behind_the_tags(ask, view):
    found = ask("tags?prefix=lightho")
    assert (found["tags"], found["titles"]) == (
        [],
        [{"word": "lighthouse", "count": 2}, {"word": "lighthouses", "count": 1}],
    )
    tag = head_tag(view)
    full = ask(f"tags?prefix={tag[0]}&limit=1")
    assert (len(full["tags"]), full["titles"]) == (1, [])


def test_autocomplete_that_reads_titles_is_left_to_a_thread(view):
    """The words are in a mapped file, which may have to be read from disk."""
    quick = frozenset({"prefix", "limit", "offset"})
    assert not is_quick(view, [("prefix", "lightho")], quick)
    assert is_quick(view, [("prefix", head_tag(view)[0]), ("limit", "1")], quick)


def test_the_page_says_that_a_word_is_in_titles_and_keeps_it(client, view):
    """A chip that can be removed; links add tags to it."""
    page = client.get("/?corpus=small&q=lighthouse").text
    assert "“lighthouse” is no tag, but stands in the titles of documents." in page
    assert '<input type="hidden" name="word" value="lighthouse">' in page
    assert "2 documents with “lighthouse” in the title" in page
    kept = client.get("/?corpus=small&word=lighthouse").text
    assert "<span>“lighthouse” in the title</span>" in kept
    assert "word=lighthouse" in kept.split('<ul class="tags">')[1].split("</ul>")[0]


def test_a_version_without_words_of_titles_is_served(made):
    """Older files of documents have none."""
    snapshot, stored = made
    table = replace(stored.table, title_words=Texts.none(), index=replace(stored.table.index, titles=TitleIndex()))
    view = View(snapshot, documents=DocumentStore(table, snapshot))
    assert view.documents.title_word("lighthouse") is None
    assert view.documents.title_words("li", 5) == []
