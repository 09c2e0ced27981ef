"""Parquet files: rows as documents, and a missing package named before any work."""

from importlib.util import find_spec

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.corpora import read_corpora
from tests.worker.writing import corpus_of
from worker.corpora.reader import read_documents
from worker.errors import CorpusError
from worker.sources.document import Document, Tally
from worker.sources.formats import registry as formats

COLUMNS = {"id": ["a", "b"], "tags": [["x", "y"], []], "label": ["l", None], "title": ["A", None], "unused": [1, 2]}


def read(path, **source):
    tally = Tally()
    return list(read_documents(corpus_of(path, **source), tally)), tally


def put(folder, columns):
    pq.write_table(pa.table(columns), folder / "d.parquet")
    return folder / "d.parquet"


def test_rows_are_documents_with_labels_and_cards(tmp_path):
    (first, second), tally = read(put(tmp_path, COLUMNS))
    assert (first.id, first.tags, first.label, first.card.title) == ("a", ("x", "y"), "l", "A")
    assert second == Document("b", ())
    assert (tally.lines, tally.bad, tally.done) == (2, 0, tally.total)


def test_columns_are_declared_and_text_is_split(tmp_path):
    path = put(tmp_path, {"key": [7], "words": ["x;y"]})
    assert read(path, id="key", tags="words", separator=";")[0] == [Document("7", ("x", "y"))]
    with pytest.raises(CorpusError, match=r'no column "tags" \(key, words\)'):
        read(path)


def test_a_bad_row_is_passed_over_and_a_broken_file_refused(tmp_path):
    _, tally = read(put(tmp_path, {"id": [1.5], "tags": [["x"]]}))
    assert tally.faults == ["d.parquet row 1: the document id is neither text nor a whole number"]
    (tmp_path / "d.parquet").write_bytes(b"PAR1 but nothing else")
    with pytest.raises(CorpusError, match="is no Parquet file"):
        read(tmp_path / "d.parquet")


def test_without_pyarrow_the_corpora_file_is_refused_with_the_extra(tmp_path, monkeypatch):
    put(tmp_path, COLUMNS)
    (tmp_path / "corpora.toml").write_text('[corpora.one]\nsource = "d.parquet"\n')
    monkeypatch.setattr(formats, "find_spec", lambda name: None if name == "pyarrow" else find_spec(name))
    with pytest.raises(
        CorpusError, match=r"line 2: .*need pyarrow, which is not installed: pip install 'cotag\[parquet\]'"
    ):
        read_corpora(tmp_path / "corpora.toml")
