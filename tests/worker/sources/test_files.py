"""Files of every format, layout and compression: what is read, passed over and refused."""

import gzip
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worker.gathering import gather
from tests.worker.writing import COMPRESSED, corpus_of, encoded, write
from worker.corpora.declaration import Corpus
from worker.corpora.reader import read_documents
from worker.errors import CorpusError
from worker.sources.document import Document, Tally
from worker.sources.formats.streams import lines
from worker.sources.formats.streams.lines import zstd

FORMATS = ("jsonl", "json", "csv", "tsv")
FEW = [("a", ["x", "Ünï", 'q"uo,te\t'], "l"), ("7", ["y"], "m")]
GOOD = b'{"id": "a", "tags": ["x", "y"], "label": "l"}\n'

# What a file can carry: an id, and tags without the separator. Labels are text or nothing.
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="|"), min_size=1, max_size=8)
ANY = st.lists(
    st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=4), st.none() | TEXT), max_size=8, unique_by=lambda d: d[0]
)


def read(corpus):
    tally = Tally()
    return list(read_documents(corpus, tally)), tally


def put(tmp_path, content, name="documents.jsonl", **source):
    path = tmp_path / name
    path.write_bytes(content)
    return corpus_of(path, **source)


@pytest.mark.parametrize("compression", COMPRESSED)
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("layout", ["list", "pairs"])
def test_every_format_and_compression_says_the_same(tmp_path, kind, compression, layout):
    path = write(tmp_path / f"documents.{kind}{compression}", FEW, kind, layout=layout)
    documents_read, tally = read(corpus_of(path, layout=layout))
    expected = [Document(i, tuple(tags), label) for i, tags, label in FEW]
    if layout == "pairs":
        expected = [Document(i, (tag,), label) for i, tags, label in FEW for tag in tags]
    assert documents_read == expected
    assert (tally.lines, tally.bad) == (len(expected), 0)
    assert tally.done == tally.total == path.stat().st_size


@pytest.mark.parametrize("kind", FORMATS)
@given(ANY, st.tuples(st.sampled_from(["list", "pairs"]), st.sampled_from(sorted(COMPRESSED)), st.booleans()))
def test_what_is_written_is_read(tmp_path_factory, kind, content, how):
    layout, compression, titled = how
    header = titled or kind in {"jsonl", "json"}
    path = tmp_path_factory.mktemp("round") / f"documents.{kind}{compression}"
    write(path, content, kind, layout=layout, header=header)
    columns = {} if header else {"id": 1, "label": 2, "tags": 3, "header": False}
    documents_read, tally = read(corpus_of(path, layout=layout, **columns))
    assert tally.bad == 0
    got = gather(documents_read, pairs=layout == "pairs")
    wanted = gather(Document(i, tuple(tags), label) for i, tags, label in content)
    assert (got.ids, got.keys, got.names, got.labels) == (wanted.ids, wanted.keys, wanted.names, wanted.labels)
    assert got.fingerprint == wanted.fingerprint


@given(ANY)
def test_tags_may_be_separated_by_a_character(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("separated") / "documents.csv"
    write(path, content, "csv", separator="|")
    documents_read, _ = read(corpus_of(path, separator="|"))
    assert [document.tags for document in documents_read] == [tuple(tags) for _, tags, _ in content]


def test_fields_are_named_in_the_declaration(tmp_path):
    corpus = put(
        tmp_path, b'{"key": 1, "words": "x; y", "class": 3}\n', id="key", tags="words", label="class", separator=";"
    )
    assert read(corpus)[0] == [Document("1", ("x", " y"), "3")]
    corpus = put(tmp_path, b"words,key\nx|y,1\n", "d.csv", id="key", tags="words", separator="|")
    assert read(corpus)[0] == [Document("1", ("x", "y"))]


def test_without_a_header_columns_are_numbered_from_1(tmp_path):
    assert read(put(tmp_path, b"1\tx\n2\ty\n", "d.tsv", layout="pairs", header=False))[0] == [
        Document("1", ("x",)),
        Document("2", ("y",)),
    ]
    corpus = put(tmp_path, b"x,-,1\n", "d.csv", layout="pairs", header=False, id=3, tags=1)
    assert read(corpus)[0] == [Document("1", ("x",))]


def test_a_document_without_an_id_is_known_by_its_place(tmp_path):
    for day in ("1", "2"):
        (tmp_path / day).mkdir()
        (tmp_path / day / "d.jsonl").write_text('{"tags": ["x"]}\n')
        (tmp_path / day / "d.csv").write_text("tags\nx\n")
    documents_read, _ = read(corpus_of(tmp_path / "*" / "d.jsonl"))
    assert [document.id for document in documents_read] == [f"1{os.sep}d.jsonl:1", f"2{os.sep}d.jsonl:1"]
    documents_read, _ = read(corpus_of(tmp_path / "1" / "d.csv", separator=" "))
    assert [document.id for document in documents_read] == ["d.csv:2"]


def test_a_glob_reads_its_files_in_order_and_numbers_the_lines_of_each(tmp_path):
    for name in ("b.jsonl", "a.jsonl", "c.jsonl.gz"):
        content = b'{"id": "%s", "tags": []}\noops\n' % name.encode()
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    (tmp_path / "z.jsonl").mkdir()
    documents_read, tally = read(corpus_of(tmp_path / "*.jsonl*", format="jsonl"))
    assert [document.id for document in documents_read] == ["a.jsonl", "b.jsonl", "c.jsonl.gz"]
    assert [fault.split(":")[0] for fault in tally.faults] == [
        f"{name} line 2" for name in ("a.jsonl", "b.jsonl", "c.jsonl.gz")
    ]


def test_a_name_with_brackets_is_a_name_before_it_is_a_glob(tmp_path):
    assert read(put(tmp_path, GOOD, "documents[1].jsonl"))[0] == [Document("a", ("x", "y"), "l")]


def test_files_that_are_gone_are_named(tmp_path):
    with pytest.raises(CorpusError, match=r"gone\.jsonl is not a file"):
        read(corpus_of(tmp_path / "gone.jsonl"))
    with pytest.raises(CorpusError, match=r"/\*\.jsonl matches no file"):
        read(corpus_of(tmp_path / "*.jsonl"))


def test_bad_lines_are_passed_over_counted_and_described(tmp_path):
    bad = [
        (b"{oops", ""),
        (b'["x"]', "not an object"),
        (b'{"id": 1, "tags": "x"}', "the tags are not a JSON list; a character between them is declared as separator"),
        (b'{"id": 1, "tags": [3]}', "the tags are not a list of strings"),
        (b'{"id": 1}', 'no field "tags"'),
        (b'{"id": [1], "tags": []}', ""),
        (b'{"id": "\xff", "tags": []}', ""),
    ]
    documents_read, tally = read(put(tmp_path, GOOD + b"\n" + b"".join(line + b"\n" for line, _ in bad) + GOOD))
    assert len(documents_read) == 2
    assert (tally.lines, tally.bad) == (9, 7)
    for number, (fault, (_, message)) in enumerate(zip(tally.faults, bad, strict=False), start=3):
        assert fault.startswith(f"documents.jsonl line {number}: {message}")
    assert tally.details().endswith("and 2 more")


def test_bad_rows_of_a_table_are_passed_over_counted_and_described(tmp_path):
    content = b'id,tags\n1,x\n2\n3,x,y\n4,"a\nb"\n5,caf\xe9\n6,"x"y\n,x\n\n8,x\n9,"unclosed\n10,x\n11,x\n'
    documents_read, tally = read(put(tmp_path, content, "d.csv", separator="|"))
    assert [document.id for document in documents_read] == ["1", "4", "8"]
    assert (tally.lines, tally.bad) == (11, 8)
    assert tally.details().endswith("; and 1 more")
    assert tally.faults == [
        "d.csv line 3: 1 columns where the header has 2",
        "d.csv line 4: 3 columns where the header has 2",
        "d.csv line 7: not UTF-8",
        "d.csv line 8: ',' expected after '\"'",
        "d.csv line 9: no document id",
    ]
    documents_read, tally = read(put(tmp_path, b"1,x\n2\n", "d.csv", header=False, layout="pairs"))
    assert tally.faults == ["d.csv line 2: 1 columns, but column 2 is declared"]


def test_too_many_bad_lines_fail_with_their_places(tmp_path):
    _, tally = read(put(tmp_path, GOOD * 98 + b"oops\n" * 2))
    tally.check("one", 0.02)
    with pytest.raises(CorpusError, match=r"^one: 2 of 100 lines are bad, more than the allowed 1 %: ") as refused:
        tally.check("one", 0.01)
    assert [part.split(":")[0] for part in str(refused.value).split("%: ")[1].split("; ")] == [
        "documents.jsonl line 99",
        "documents.jsonl line 100",
    ]


@pytest.mark.parametrize(("name", "titles", "missing"), [("d.csv", b"id,words", "tags"), ("d.tsv", b"tags", "key")])
def test_a_table_without_a_declared_column_is_refused(tmp_path, name, titles, missing):
    declared = {"id": "key"} if missing == "key" else {}
    with pytest.raises(CorpusError, match=rf'{name}: no column "{missing}" in the header \('):
        read(put(tmp_path, titles + b"\n", name, **declared))


def test_pairs_need_an_id(tmp_path):
    with pytest.raises(CorpusError, match='no column "id"'):
        read(put(tmp_path, b"tag\nx\n", "d.csv", layout="pairs"))
    assert read(put(tmp_path, b'{"tag": "x"}\n', layout="pairs"))[1].faults == [
        "documents.jsonl line 1: no document id"
    ]


@pytest.mark.parametrize("kind", FORMATS)
def test_utf8_may_begin_with_a_mark_and_utf16_is_told(tmp_path, kind):
    content = encoded(FEW, kind)
    assert read(put(tmp_path, b"\xef\xbb\xbf" + content, f"d.{kind}"))[0][0].id == "a"
    with pytest.raises(CorpusError, match="is UTF-16; save it as UTF-8"):
        read(put(tmp_path, content.decode().encode("utf-16"), f"d.{kind}"))


@pytest.mark.parametrize("compression", [".gz", ".zst"])
@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_cut_short_says_after_which_line(tmp_path, kind, compression):
    whole = COMPRESSED[compression](encoded([(str(n), [f"x{n * n}"], None) for n in range(10_000)], kind))
    with pytest.raises(CorpusError, match=rf"d\.{kind}{compression}: unreadable after (line|byte) \d+: .*end"):
        read(put(tmp_path, whole[: len(whole) // 2], f"d.{kind}{compression}"))
    with pytest.raises(CorpusError, match=r"unreadable after (line|byte) \d+: .*end"):
        read(put(tmp_path, whole[:-1], f"d.{kind}{compression}"))


def test_of_joined_zstd_frames_the_last_may_not_be_cut_short(tmp_path):
    frame = zstd.compress(GOOD)
    for end in range(1, len(frame)):
        with pytest.raises(CorpusError, match=r"unreadable after line [01]: .*end"):
            read(put(tmp_path, frame + frame[:end], "d.jsonl.zst"))


def test_a_zstd_file_without_a_frame_is_cut_short(tmp_path):
    with pytest.raises(CorpusError, match=r"unreadable after line 0: .*end"):
        read(put(tmp_path, b"", "d.jsonl.zst"))


@pytest.mark.parametrize("compression", [".gz", ".zst"])
def test_a_file_with_wrong_bytes_is_told(tmp_path, compression):
    with pytest.raises(CorpusError, match="unreadable after line 0"):
        read(put(tmp_path, b"plain text", f"d.jsonl{compression}"))
    whole = bytearray(COMPRESSED[compression](encoded([(str(n), [f"x{n * n}"], None) for n in range(5_000)], "jsonl")))
    whole[len(whole) // 2 : len(whole) // 2 + 8] = b"\xff" * 8
    with pytest.raises(CorpusError, match=r"unreadable after line \d+"):
        read(put(tmp_path, bytes(whole), f"d.jsonl{compression}"))


def test_files_joined_from_compressed_ones_are_read_to_the_end(tmp_path):
    skippable = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"skip"
    frame = zstd.compress(GOOD)
    for joined in (frame + skippable + frame, skippable + frame + frame, frame + frame + skippable):
        assert len(read(put(tmp_path, joined, "d.jsonl.zst"))[0]) == 2
    assert len(read(put(tmp_path, gzip.compress(GOOD) * 2, "d.jsonl.gz"))[0]) == 2


def test_a_line_without_end_is_not_taken_into_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST", 100)
    with pytest.raises(CorpusError, match="line 2 is longer than 100 bytes"):
        read(put(tmp_path, GOOD + b"x" * 1000))


def test_a_path_alone_is_a_file_with_the_usual_fields(tmp_path):
    for name in ("d.jsonl", "d.txt"):
        path = tmp_path / name
        path.write_bytes(GOOD)
        assert read(Corpus(name="one", source=str(path), path=path))[0] == [Document("a", ("x", "y"), "l")]
