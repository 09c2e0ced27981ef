"""The broad tag that the paper itself complains of."""

from datetime import UTC, datetime

import pytest

from tests.needs import corpus_file
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus


@pytest.mark.slow
def test_computer_science_is_the_broadest_tag_of_computer_science_papers():
    papers = corpus_file("dblp_v12_fos")
    corpus = Corpus(name="papers", source=str(papers), path=papers, sample=1200)
    stages = Stages(lambda *_: None)
    tagged, notes = load_documents(corpus, stages)
    snapshot, _ = cluster(corpus, tagged, datetime.now(UTC), stages, notes=notes)
    assert snapshot.keys[int(snapshot.breadth.argmax())] == "computer_science"
    assert snapshot.broad[snapshot.keys.index("computer_science")]
    assert snapshot.broad.mean() < 0.05
