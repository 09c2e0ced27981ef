"""A corpus may shrink to almost nothing after a larger version: the run still ends, and says what it did."""

import pytest

from tests.conftest import topic_documents, write_jsonl
from tests.corpora import read_corpora
from worker.runs.job import run


@pytest.mark.parametrize(
    "documents",
    [
        [{"id": "d0", "tags": ["rain"]}],
        [{"id": "d0", "tags": ["rain", "sun"]}],
        [{"id": "d0", "tags": ["rain", "sun"]}, {"id": "d1", "tags": ["rain", "sun"]}],
    ],
)
def test_a_corpus_shrinks_to_one_document(redis, tmp_path, documents):
    write_jsonl(tmp_path / "topics.jsonl", topic_documents())
    file = tmp_path / "corpora.toml"
    file.write_text('[corpora.topics]\nsource = "topics.jsonl"\nmin_count = 1\nmax_loss = 1.0\nmax_drift = 1.0\n')
    corpus = read_corpora(file)["topics"]
    assert run(corpus, redis, "job-1")["state"] == "done"
    write_jsonl(tmp_path / "topics.jsonl", documents)
    assert run(corpus, redis, "job-2")["state"] == "done"
