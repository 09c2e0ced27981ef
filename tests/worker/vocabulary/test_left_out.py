"""What clustering leaves out: counted, said, and a lower min_count proposed if too little remains."""

import pytest

from tests.conftest import topic_documents, write_jsonl
from tests.worker.gathering import gather
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.errors import CorpusError
from worker.sources.document import Document
from worker.vocabulary.left_out import left_out


def corpus_with(counts, untagged=0):
    """Tags with these counts, each in documents of its own."""
    tagged = [Document(f"{tag}-{n}", (f"tag{tag}",)) for tag, count in enumerate(counts) for n in range(count)]
    return gather([*tagged, *(Document(f"empty-{n}", ()) for n in range(untagged))])


def test_rare_tags_and_documents_without_a_tag_left_are_counted():
    left = left_out(corpus_with([5] * 12 + [1, 2], untagged=4), 5)
    assert (left.tags, left.kept_tags, left.documents, left.kept_documents, left.untagged) == (14, 12, 67, 60, 4)
    assert left.description == (
        "60 documents and 12 tags are clustered; left out: 2 of 14 tags, in fewer than 5 documents; "
        "3 documents with only such tags; 4 documents without tags"
    )
    assert left.proposal is None


def test_if_nothing_is_left_out_it_says_so():
    assert left_out(corpus_with([5] * 3), 5).description == "15 documents and 3 tags are clustered; left out: nothing"


def test_the_highest_lower_count_that_keeps_enough_is_proposed():
    left = left_out(corpus_with([5, 5] + [3] * 20), 5)
    assert left.proposal == 3
    assert left.description.endswith(". min_count = 3 would keep 22 tags and 70 documents")
    assert left_out(corpus_with([1] * 30), 5).proposal == 1
    few_tags = gather(Document(str(n), (f"common{n % 3}", f"rare{n % 30}")) for n in range(90))
    assert left_out(few_tags, 5).proposal == 3


def test_a_run_that_keeps_nothing_fails_with_the_proposal(tmp_path):
    file = write_jsonl(tmp_path / "few.jsonl", topic_documents(8))
    corpus = Corpus(name="few", source=str(file), path=file, min_count=50)
    tagged, counts = load_documents(corpus, Stages(lambda *_: None))
    with pytest.raises(CorpusError, match=r"nothing is left to cluster; min_count = \d+ would keep \d+ tags"):
        cluster(corpus, tagged, None, Stages(lambda *_: None), notes=counts)
