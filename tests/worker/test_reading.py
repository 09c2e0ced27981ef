import gzip

import pytest

from worker.corpus import gather
from worker.errors import CorpusError
from worker.reading import Document, Reading

GOOD = b'{"id": "a", "tags": ["x", "y"], "label": "l"}\n'


def read(tmp_path, content, name="documents.jsonl"):
    path = tmp_path / name
    path.write_bytes(content)
    return Reading(path)


def test_documents_are_read_in_order_plain_and_compressed(tmp_path):
    content = GOOD + b"\n" + b'{"id": 7, "tags": []}\n'
    expected = [Document("a", ("x", "y"), "l"), Document("7", ())]
    assert list(read(tmp_path, content)) == expected
    assert list(read(tmp_path, gzip.compress(content), "documents.jsonl.gz")) == expected


def test_bad_lines_are_passed_over_counted_and_described(tmp_path):
    reading = read(tmp_path, GOOD + b"{oops\n" + GOOD + b'["x"]\n{"id": 1, "tags": "x"}\n{"id": 1, "tags": [3]}\n')
    assert len(list(reading)) == 2
    assert (reading.lines, reading.bad) == (6, 4)
    assert reading.faults[0].startswith("line 2: ")
    assert reading.faults[1] == "line 4: not an object"
    assert reading.faults[2] == 'line 5: "tags" is not a list of strings'


def test_too_many_bad_lines_fail_with_their_numbers(tmp_path):
    reading = read(tmp_path, GOOD * 98 + b"oops\n" * 2)
    list(reading)
    reading.check(0.02)
    with pytest.raises(CorpusError, match=r"2 of 100 lines are bad, more than the allowed 1%: line 99: .*line 100"):
        reading.check(0.01)


def test_a_file_cut_short_says_after_which_line(tmp_path):
    whole = gzip.compress(b"".join(b'{"id": %d, "tags": ["x%d"]}\n' % (n, n * n) for n in range(5000)))
    with pytest.raises(CorpusError, match=r"unreadable after line \d+: .*end"):
        list(read(tmp_path, whole[: len(whole) // 2], "documents.jsonl.gz"))


def test_a_file_that_is_not_gzip_is_told(tmp_path):
    with pytest.raises(CorpusError, match="unreadable after line 0"):
        list(read(tmp_path, b"plain text", "documents.jsonl.gz"))


def test_spellings_of_a_tag_are_one_and_the_commonest_is_shown():
    documents = [Document("1", ("Jazz", "jazz ", "")), Document("2", ("JAZZ",)), Document("3", ("JAZZ", "Blues"))]
    corpus = gather(documents)
    assert corpus.keys == ("jazz", "blues")
    assert corpus.names == ("JAZZ", "Blues")
    assert corpus.matrix.toarray().tolist() == [[1, 0], [1, 0], [1, 1]]


def test_the_fingerprint_follows_the_content_not_the_spelling():
    one = gather([Document("1", ("a", "b"))]).fingerprint
    assert gather([Document("1", ("B", "A"))]).fingerprint == one
    assert gather([Document("1", ("a",))]).fingerprint != one
    assert gather([Document("2", ("a", "b"))]).fingerprint != one
