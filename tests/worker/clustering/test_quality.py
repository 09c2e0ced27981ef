"""The figures of a run that say whether its concepts mean something."""

from collections import Counter

import numpy as np

from snapshot.version.gain import warning
from tests.clustered import NOON, documents
from tests.conftest import write_jsonl
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus


def clustered(path, every):
    stages = Stages(lambda *_: None)
    corpus = Corpus(name="some", source=path.name, path=write_jsonl(path, every))
    tagged, notes = load_documents(corpus, stages)
    return cluster(corpus, tagged, NOON, stages, notes=notes)[0]


def dealt_anew(every):
    """The same documents with as many tags each, drawn from the tags of all."""
    random = np.random.default_rng(0)
    tags = [tag for document in every for tag in document["tags"]]
    return [
        {**document, "tags": random.choice(tags, len(document["tags"]), replace=False).tolist()} for document in every
    ]


def test_topics_are_far_from_random_and_dealt_tags_are_warned_of(tmp_path):
    every = list(documents())
    meaningful = clustered(tmp_path / "one.jsonl", every).quality
    assert meaningful["bits"] > meaningful["random_bits"] + 0.5
    assert meaningful["npmi"] > meaningful["random_npmi"] + 0.2
    assert warning(meaningful) is None
    assert warning(clustered(tmp_path / "other.jsonl", dealt_anew(every)).quality) is not None


def test_a_run_counts_the_documents_of_every_concept(tmp_path):
    every = list(documents())
    snapshot = clustered(tmp_path / "one.jsonl", every)
    assert sum(snapshot.cluster_documents) == len(every)
    topics = Counter(document["label"] for document in every)
    assert sorted(snapshot.cluster_documents) == sorted(topics.values())
