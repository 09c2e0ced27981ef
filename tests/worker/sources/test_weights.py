"""Votes are kept as weights where a corpus declares them: weak tags of a document are left out; otherwise all count."""

import json
import sqlite3

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from worker.clustering.cluster import load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Declaration, corpus_in
from worker.errors import CorpusError

SILENT = Stages(lambda *_: None)
STRONG = {"1": {"action", "indie"}, "2": {"action"}}
ALL = {"1": {"action", "indie", "oops"}, "2": {"action", "oops"}}
VOTES = {"1": {"action": 512, "indie": 300, "oops": 2}, "2": {"action": 10, "oops": 1}}


def tags_of(folder, weights, **source):
    content = {"source": {**source, "weights": weights}, "min_count": 1}
    tagged, _ = load_documents(corpus_in(folder, "c", Declaration.model_validate(content)), SILENT)
    rows = tagged.matrix.toarray() > 0
    return {name: {tagged.keys[tag] for tag in row.nonzero()[0]} for name, row in zip(tagged.ids, rows, strict=True)}


def votes(folder):
    """An object of votes, as Steam has."""
    text = "".join(json.dumps({"id": name, "tags": tags}) + "\n" for name, tags in VOTES.items())
    (folder / "t.jsonl").write_text(text)
    return {"files": "t.jsonl"}


def objects(folder):
    """A list of objects with a weight."""
    rows = [
        {"id": name, "tags": [{"name": tag, "weight": weight} for tag, weight in tags.items()]}
        for name, tags in VOTES.items()
    ]
    (folder / "t.json").write_text(json.dumps(rows))
    return {"files": "t.json"}


def pairs():
    return [(name, tag, weight) for name, tags in VOTES.items() for tag, weight in tags.items()]


def pair_table(folder):
    """Last.fm: a column of weights."""
    lines = "".join(f"{name},{tag},{weight}\n" for name, tag, weight in pairs())
    (folder / "t.csv").write_text("artist,tag,weight\n" + lines)
    return {"files": "t.csv", "layout": "pairs", "id": "artist"}


def repeated_pairs(folder):
    """MovieLens: as many rows as users gave the tag."""
    lines = "".join(f"{name},{tag}\n" * weight for name, tag, weight in pairs())
    (folder / "t.csv").write_text("id,tag\n" + lines)
    return {"files": "t.csv", "layout": "pairs"}


def one_hot(folder):
    """A column for each tag."""
    tags = ["action", "indie", "oops"]
    lines = "".join(",".join([name, *(str(VOTES[name].get(tag, 0)) for tag in tags)]) + "\n" for name in VOTES)
    (folder / "t.csv").write_text("id,action,indie,oops\n" + lines)
    return {"files": "t.csv", "layout": "columns", "tags": tags}


def parquet(folder):
    names, tags, weights = zip(*pairs(), strict=True)
    pq.write_table(pa.table({"id": names, "tag": tags, "votes": weights}), folder / "t.parquet")
    return {"files": "t.parquet", "layout": "pairs"}


def database(folder):
    with sqlite3.connect(folder / "t.db") as connection:
        connection.execute("create table t (id, tag, weight)")
        connection.executemany("insert into t values (?, ?, ?)", pairs())
    connection.close()
    return {"sql": f"sqlite:///{folder}/t.db", "query": "select id, tag, weight from t"}


@pytest.mark.parametrize("write", [votes, objects, pair_table, repeated_pairs, one_hot, parquet, database])
def test_weak_tags_are_left_out_if_weights_are_declared(tmp_path, write):
    source = write(tmp_path)
    assert tags_of(tmp_path, True, **source) == STRONG
    if write is not database:  # there the third column would be the class label
        assert tags_of(tmp_path, False, **source) == ALL


def test_plain_lists_read_the_same_with_weights(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"id": 1, "tags": ["a", "b"]}\n{"id": 2, "tags": ["b"]}\n')
    assert tags_of(tmp_path, True, files="t.jsonl") == {"1": {"a", "b"}, "2": {"b"}}


def test_several_files_read_in_parts_keep_their_weights(tmp_path, monkeypatch):
    monkeypatch.setattr("worker.clustering.cluster.worth_sharding", lambda *_: True)
    for number, (name, tags) in enumerate(VOTES.items()):
        (tmp_path / f"t{number}.jsonl").write_text(json.dumps({"id": name, "tags": tags}) + "\n")
    assert tags_of(tmp_path, True, files="t*.jsonl") == STRONG


@pytest.mark.parametrize("weight", ["many", "-3", "nan"])
def test_a_weight_that_is_none_is_a_bad_line_with_its_place(tmp_path, weight):
    (tmp_path / "t.csv").write_text(f"id,tag,weight\n1,a,1\n1,b,{weight}\n")
    with pytest.raises(CorpusError, match=rf"t\.csv line 3: the weight '{weight}' is"):
        tags_of(tmp_path, True, files="t.csv", layout="pairs")
