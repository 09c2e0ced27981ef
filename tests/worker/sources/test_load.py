"""Loading a corpus: synonyms, bans, bad lines, progress, pushed documents."""

import logging

import pytest

from snapshot import PushedDocument, PushedDocuments
from snapshot.store import keys
from worker.clustering.cluster import Stages, load_documents
from worker.corpora.declaration import Corpus
from worker.errors import CorpusError


def loaded(corpus, redis=None):
    seen = []
    tagged, counts = load_documents(corpus, Stages(lambda *stage: seen.append(stage)), redis)
    return tagged, counts, seen


def test_synonyms_and_bans_are_applied_and_what_was_passed_over_is_counted_and_logged(tmp_path, caplog):
    path = tmp_path / "d.csv"
    path.write_text("id,tag\n1,auto\n2,Car\n2,spam\n2\n1,car\n")
    source = {"files": str(path), "layout": "pairs"}
    corpus = Corpus(name="one", source=source, path=path, synonyms={"auto": "car"}, ban=["Spam"], bad_lines=0.2)
    with caplog.at_level(logging.WARNING):
        tagged, counts, _ = loaded(corpus)
    assert (tagged.ids, tagged.keys, tagged.names) == (("1", "2"), ("car",), ("Car",))
    assert counts == {"lines": 5, "bad_lines": 1, "replaced": 0}
    assert caplog.messages == [
        "one: 1 of 5 lines are bad and were passed over: d.csv line 5: 1 columns where the header has 2"
    ]
    with pytest.raises(CorpusError, match=r"1 of 5 lines are bad, more than the allowed 10 %: d\.csv line 5"):
        loaded(corpus.model_copy(update={"bad_lines": 0.1}))


def test_replaced_documents_are_counted_and_logged(tmp_path, caplog):
    path = tmp_path / "d.jsonl"
    path.write_text('{"id": 1, "tags": ["x"]}\n{"id": 1, "tags": ["y"]}\n')
    with caplog.at_level(logging.WARNING):
        tagged, counts, _ = loaded(Corpus(name="one", source=str(path), path=path))
    assert tagged.keys == ("y",)
    assert counts["replaced"] == 1
    assert caplog.messages == ["one: 1 documents were replaced by later ones with the same id"]


def test_progress_is_the_share_of_the_files_read(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("id,tag\n" + "".join(f"{name}{n},x\n" for n in range(20_000)))
    path = tmp_path / "*.csv"
    _, _, seen = loaded(Corpus(name="one", source={"files": str(path), "layout": "pairs"}, path=path))
    size = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert len(seen) == 41
    assert {(stage, total) for stage, _, total in seen[1:]} == {("load", size)}
    done = [done for _, done, _ in seen]
    assert done == sorted(done)
    assert done[-1] == pytest.approx(size, rel=0.05)


@pytest.fixture
def live():
    return Corpus(name="live", source={"pushed": True})


def test_pushed_documents_are_read_from_the_store(redis, live):
    pushed = PushedDocuments(redis, "live")
    pushed.put(PushedDocument(f"d{n}", ["x", f"t{n % 7}"], "l" if n % 2 else None) for n in range(1200))
    pushed.put([PushedDocument("d0", ["Y"])])
    tagged, counts, seen = loaded(live, redis)
    assert len(tagged.ids) == 1200
    assert "y" in tagged.keys
    assert counts == {"pushed_revision": 1201, "lines": 1200, "bad_lines": 0, "replaced": 0}
    assert seen[-1] == ("load", 1000, 1200)


def test_the_fingerprint_of_pushed_documents_does_not_depend_on_when_they_came(redis, live):
    pushed = PushedDocuments(redis, "live")
    content = [PushedDocument(f"d{n}", ["x", f"t{n % 7}"]) for n in range(700)]
    pushed.put(content)
    first = loaded(live, redis)[0].fingerprint
    pushed.clear()
    pushed.put([PushedDocument("extra", ["x"]), *reversed(content)])
    assert loaded(live, redis)[0].fingerprint != first
    pushed.delete(["extra"])
    assert loaded(live, redis)[0].fingerprint == first


def test_a_damaged_record_in_the_store_is_a_bad_line(redis, live):
    PushedDocuments(redis, "live").put([PushedDocument("a", ["x"])])
    redis.hset(keys.pushed("live"), mapping={"b": b"oops", "c": b"[]", "d": b'{"id": "d", "tags": [1]}'})
    with pytest.raises(CorpusError, match=r"^live: 3 of 4 lines are bad, .*pushed document \d: "):
        loaded(live, redis)


def test_without_documents_or_without_a_store_the_corpus_is_named(redis, live):
    with pytest.raises(CorpusError, match="live: no documents"):
        loaded(live, redis)
    with pytest.raises(CorpusError, match="live: its documents are pushed to the store, which is not connected here"):
        loaded(live)
