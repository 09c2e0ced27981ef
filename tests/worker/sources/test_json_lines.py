"""A block of JSON lines parsed at once gives what parsing line by line gives."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshot import Card
from tests.worker.writing import corpus_of
from worker.corpora.reader import document_blocks, read_documents
from worker.sources.document import Document, Tally
from worker.sources.formats.json_lines import RecordParser
from worker.sources.formats.streams import lines

VALUES = st.sampled_from([None, True, 7, 2**70, 1.5, "", "a", "x, y", [], ["a"], ["a", "B"], ["a", None], {"a": 1}])
RECORDS = st.dictionaries(st.sampled_from(["id", "tags", "label", "title", "url", "other"]), VALUES)
GOOD = st.builds(
    lambda name, tags, label: {"id": name, "tags": tags, "label": label},
    st.text(min_size=1, max_size=3) | st.integers(0, 9),
    st.lists(st.text(max_size=3), max_size=3),
    st.none() | st.text(max_size=2),
)
LINES = st.lists((GOOD | RECORDS).map(json.dumps) | st.sampled_from(["", " ", "{", "7", "[]", '{"a": 1}, {"b": 2}']))


def read(path, **source):
    tally = Tally()
    return list(read_documents(corpus_of(path, **source), tally)), tally


@given(LINES, st.sampled_from([{}, {"separator": ","}, {"layout": "pairs", "tags": "tags"}, {"id": "other"}]))
def test_lines_read_at_once_are_what_they_are_one_by_one(tmp_path_factory, content, source):
    path = tmp_path_factory.mktemp("lines") / "d.jsonl"
    path.write_text("\n".join(content))
    at_once, tally = read(path, **source)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RecordParser, "parse_usual", lambda *_: None)
        one_by_one, other = read(path, **source)
    assert at_once == one_by_one
    assert (tally.lines, tally.bad, tally.faults) == (other.lines, other.bad, other.faults)


def test_good_lines_are_read_at_once(tmp_path, monkeypatch):
    """Line by line would take twice the time on a large corpus."""
    path = tmp_path / "d.jsonl"
    records = [
        {"id": 1, "tags": ["a", "B"]},
        {"id": "x", "tags": [], "label": "l"},
        {"id": 2, "tags": [], "title": "T"},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    monkeypatch.setattr(RecordParser, "parse", None)
    (block,) = document_blocks(corpus_of(path), Tally())
    assert list(block.documents()) == [
        Document("1", ("a", "B")),
        Document("x", (), "l"),
        Document("2", (), None, Card("T")),
    ]


@pytest.mark.parametrize("block", [1, 7, 64, 10_000])
def test_blocks_of_any_size_have_the_same_lines(tmp_path, monkeypatch, block):
    monkeypatch.setattr(lines, "BLOCK", block)
    content = b"\xef\xbb\xbf" + b"".join(b"line %d\r\n" % number for number in range(30)) + b"\n\nlast"
    path = tmp_path / "d.jsonl"
    path.write_bytes(content)
    numbered = list(lines.lines(path, Tally()))
    assert [number for number, _ in numbered] == list(range(1, 34))
    assert b"".join(line for _, line in numbered) == content[3:]
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for _, line in numbered[:-1])
