"""Several files read side by side give what reading them one after the other gives."""

import gzip
import json
import os
import random
import signal

import pytest

from worker.clustering import shards
from worker.clustering.cluster import load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.errors import CorpusError, SourceUnavailable

pytestmark = pytest.mark.slow  # processes of their own


@pytest.fixture
def folder(tmp_path):
    """Four files: ids that come again within a file and in a later one, labels, spellings, a few bad lines."""
    chance = random.Random(1)
    for number in range(4):
        with gzip.open(tmp_path / f"part-{number}.jsonl.gz", "wt") as file:
            for line in range(300):
                name = f"d{chance.randrange(700)}"
                tags = [chance.choice(["Jazz", "jazz ", "JAZZ", "piano", "rock", f"t{chance.randrange(40)}"])]
                tags += [f"T{chance.randrange(40)}" for _ in range(chance.randrange(4))]
                document = {"id": name, "tags": tags}
                if chance.random() < 0.5:
                    document["label"] = f"l{chance.randrange(3)}"
                file.write("broken\n" if line == 7 else json.dumps(document) + "\n")
    return tmp_path


def loaded(corpus, monkeypatch, *, sharded):
    monkeypatch.setattr(shards, "WORTH_BYTES", 0 if sharded else 2**60)
    seen = []
    tagged, counts = load_documents(corpus, Stages(lambda *progress: seen.append(progress)))
    return tagged, counts, seen


def declared(folder, layout="list"):
    source = {"files": str(folder / "part-*.jsonl.gz"), "layout": layout, "tags": "tags"}
    return Corpus(name="parts", source=source, path=folder / "part-*.jsonl.gz", bad_lines=0.1)


def test_shards_give_the_same_corpus(folder, monkeypatch):
    one, counts, _ = loaded(declared(folder), monkeypatch, sharded=False)
    other, same_counts, seen = loaded(declared(folder), monkeypatch, sharded=True)
    assert (other.ids, other.keys, other.names, other.labels) == (one.ids, one.keys, one.names, one.labels)
    assert other.fingerprint == one.fingerprint
    assert (other.matrix != one.matrix).nnz == 0
    assert same_counts == counts
    assert counts["bad_lines"] == 4
    assert counts["replaced"] > 0
    assert seen[0][1] == 0
    assert seen[-1][1] == seen[-1][2]


def test_pairs_of_one_document_may_lie_in_several_files(tmp_path, monkeypatch):
    for number in range(3):
        lines = [{"id": f"d{i % 9}", "tag": f"t{(i * number) % 7}", "label": f"l{number}"} for i in range(40)]
        (tmp_path / f"part-{number}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    source = {"files": str(tmp_path / "part-*.jsonl"), "layout": "pairs"}
    corpus = Corpus(name="pairs", source=source, path=tmp_path / "part-*.jsonl")
    one, *_ = loaded(corpus, monkeypatch, sharded=False)
    other, *_ = loaded(corpus, monkeypatch, sharded=True)
    assert (other.ids, other.labels, other.fingerprint) == (one.ids, one.labels, one.fingerprint)
    assert set(one.labels) == {"l2"}


def test_a_file_that_is_cut_short_is_named(folder, monkeypatch):
    path = folder / "part-2.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(CorpusError, match=r"part-2\.jsonl\.gz: unreadable after line"):
        loaded(declared(folder), monkeypatch, sharded=True)


def test_a_killed_reader_is_a_fault_that_may_pass(folder, monkeypatch):
    """A service manager that ends everything, or the kernel for lack of memory."""
    monkeypatch.setattr(shards, "read_shard", lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(SourceUnavailable, match="a process that read the files was killed"):
        loaded(declared(folder), monkeypatch, sharded=True)
