"""The broad tag that the paper itself complains of."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from worker.clustering import cluster, load
from worker.corpora import Corpus
from worker.stages import Stages

PAPERS = Path(__file__).parents[3] / "shared" / "corpora" / "dblp_v12_fos.jsonl.gz"


def test_computer_science_is_the_broadest_tag_of_computer_science_papers():
    if not PAPERS.exists():
        pytest.skip("no corpus dblp_v12_fos in ../shared/corpora")
    corpus = Corpus(name="papers", source=str(PAPERS), path=PAPERS, sample=1200)
    stages = Stages(lambda *_: None)
    tagged, notes = load(corpus, stages)
    snapshot, _ = cluster(corpus, tagged, datetime.now(UTC), stages, notes=notes)
    assert snapshot.keys[int(snapshot.breadth.argmax())] == "computer_science"
    assert snapshot.broad[snapshot.keys.index("computer_science")]
    assert snapshot.broad.mean() < 0.05
