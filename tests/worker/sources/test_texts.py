"""The text of documents: where sources have it, and that runs learn from it and notice when it changes."""

import pytest

from tests.worker.writing import corpus_of
from worker.clustering.cluster import load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.corpora.reader import read_documents
from worker.sources.card_fields import LONGEST_LEARNT
from worker.sources.document import Tally

LINE = b'{"id": "a", "tags": ["x"], "title": "T", "text": "one", "body": "two"}\n'


def put(tmp_path, content, name="documents.jsonl", **source):
    path = tmp_path / name
    path.write_bytes(content)
    return corpus_of(path, **source)


def texts(corpus):
    return [document.card and document.card.text for document in read_documents(corpus, Tally())]


@pytest.mark.parametrize(("source", "text"), [({}, "one"), ({"text": "body"}, "two"), ({"text": False}, None)])
def test_the_text_is_the_field_of_that_name_or_the_declared_one(tmp_path, source, text):
    assert texts(put(tmp_path, LINE, **source)) == [text]


def test_columns_of_tables_have_texts_too(tmp_path):
    assert texts(put(tmp_path, b'id,tags,text\na,"[""x""]",hello there\n', "documents.csv")) == ["hello there"]
    numbered = put(tmp_path, b"a,x,hello\n", "bare.csv", header=False, separator="|", text=3)
    assert texts(numbered) == ["hello"]


def test_only_the_beginning_of_a_long_text_is_kept(tmp_path):
    long = b'{"id": "a", "tags": ["x"], "text": "' + b"y" * (LONGEST_LEARNT + 1) + b'"}\n'
    assert [len(text) for text in texts(put(tmp_path, long))] == [LONGEST_LEARNT]


def test_a_text_is_not_part_of_the_card_but_of_the_fingerprint(tmp_path):
    tagged, other = (
        load_documents(put(tmp_path, LINE.replace(b"one", text), f"{text.decode()}.jsonl"), Stages(lambda *_: None))[0]
        for text in (b"one", b"uno")
    )
    assert tagged.texts.get(0) == b"one"
    assert b"one" not in tagged.cards.get(0)
    assert tagged.fingerprint != other.fingerprint


def test_a_corpus_without_documents_reads_no_texts(tmp_path):
    corpus = put(tmp_path, LINE)
    left_out = Corpus(**{**dict(corpus), "documents": False})
    assert texts(left_out) == [None]
