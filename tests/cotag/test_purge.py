"""`cotag purge`: after it, the text of a document is in no key of the store, in no file of it, and in no copy."""

from functools import partial

import pytest

from cotag.commands.purge import purge_documents
from service.live.disk_cache import DiskCache
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from snapshot import (
    CorpusRegister,
    PushedDocument,
    PushedDocuments,
    RegisteredCorpus,
    SnapshotStore,
    StatusBoard,
)
from snapshot.store.erasure import rewrite_files
from tests.conftest import topic_documents
from tests.servers import Server
from tests.traces import places_of
from worker.corpora.declaration import Corpus
from worker.runs.job import run

SECRET = {
    "id": "id-of-josephine",
    "title": "Title about Josephine",
    "url": "https://josephine.example/",
    "tags": ["rain", "sun", "josephine-alone"],
    "fields": {"note": "Josephine was here"},
}


@pytest.fixture
def served(tmp_path, tmp_path_factory, monkeypatch):
    """A store of its own with two versions of a pushed corpus, and a service process with copies on disk."""
    server = Server(tmp_path_factory.mktemp("s")).start()
    redis = server.client()
    redis.config_set("rdbcompression", "no")  # what its files have can be read
    cache = tmp_path / "cache"
    monkeypatch.setenv("COTAG_CACHE_DIR", str(cache))
    CorpusRegister(redis).write({"live": RegisteredCorpus("live", "Live", "1h", 1.8e9, pushed=True)})
    pushed = PushedDocuments(redis, "live")
    card = {key: SECRET[key] for key in ("title", "url", "fields")}
    pushed.put(PushedDocument(each["id"], each["tags"]) for each in topic_documents())
    pushed.put([PushedDocument(SECRET["id"], SECRET["tags"], None, card)])
    corpus = Corpus(name="live", title="Live", source={"pushed": True})
    assert run(corpus, redis, "one")["state"] == "done"
    pushed.put([PushedDocument("later", ["rain", "wind"])])
    assert run(corpus, redis, "two")["state"] == "done"
    live = LiveSnapshots(
        SnapshotStore(redis),
        StatusBoard(redis),
        register=CorpusRegister(redis),
        disk_cache=DiskCache(cache),
        document_files=DocumentFiles(cache),
        pushed=partial(PushedDocuments, redis),
    )
    live.refresh()
    yield redis, live, server.folder, cache
    server.stop()


def test_after_a_purge_the_text_of_a_document_is_nowhere(served, capsys):
    redis, live, folder, cache = served
    texts = [SECRET["id"], SECRET["title"], SECRET["url"], "josephine-alone", "Josephine was here"]
    rewrite_files(redis, lambda _: None)
    for text in (SECRET["id"], SECRET["title"], "josephine-alone"):  # the search finds what is there, in each place
        found = places_of(text, redis, folder, cache)
        stored = {path.name for path in folder.rglob("*")}
        assert "store" in found, text
        assert stored & set(found), text
        assert set(found) - stored - {"store"}, text
    count = live.view("live").document_count
    assert live.view("live").documents.position(SECRET["id"]) is not None
    purge_documents(redis, "live", (SECRET["id"], "never-was"), everything=False, as_json=False)
    shown = capsys.readouterr().out
    assert "removed from the pushed documents: 1" in shown
    assert shown.count("removed from version") == 2
    assert "removed file" in shown
    assert "not found anywhere: never-was" in shown
    live.refresh()
    live.refresh()
    view = live.view("live")
    assert view.documents.position(SECRET["id"]) is None
    assert view.document_count == count - 1
    assert not view.changes.any
    assert view.names.tag("josephine-alone") is None
    for version in SnapshotStore(redis).versions("live"):
        SnapshotStore(redis).verify("live", version)
    for text in texts:
        assert places_of(text, redis, folder, cache) == [], text
    assert run(Corpus(name="live", title="Live", source={"pushed": True}), redis, "three")["state"] == "done"
    for text in texts:
        assert places_of(text, redis, folder, cache) == [], text


def test_a_purged_version_counts_as_one_that_never_had_the_document(served):
    redis, live, _, _ = served
    purge_documents(redis, "live", (SECRET["id"],), everything=False, as_json=True)
    live.refresh()
    live.refresh()
    view, index = live.view("live"), live.view("live").documents.index
    plain = {each["id"]: set(each["tags"]) for each in topic_documents()} | {"later": {"rain", "wind"}}
    assert len(view.documents) == len(plain)
    for tag in view.listed:
        having = {name for name, tags in plain.items() if view.tag_names[tag] in tags}
        assert view.counts[tag] == len(having) == index.count(tag)
        assert {view.documents.id(place) for place in index.documents_of(tag).tolist()} == having


def test_a_purge_of_all_leaves_nothing_and_nothing_is_served(served, capsys):
    redis, live, folder, cache = served
    purge_documents(redis, "live", (), everything=True, as_json=False)
    assert capsys.readouterr().out.count("deleted version") == 2
    live.refresh()
    live.refresh()
    assert "live" not in live.views()
    for text in (SECRET["id"], SECRET["title"], "guitar"):
        assert places_of(text, redis, folder, cache) == [], text


def test_a_version_in_which_a_tag_of_the_tree_has_no_other_document_is_deleted(served, capsys):
    redis, live, folder, cache = served
    ids = tuple(each["id"] for each in topic_documents() if "guitar" in each["tags"])
    purge_documents(redis, "live", ids, everything=False, as_json=False)
    assert capsys.readouterr().out.count("deleted version") == 2
    live.refresh()
    live.refresh()
    assert "live" not in live.views()
    assert places_of("guitar", redis, folder, cache) == []
