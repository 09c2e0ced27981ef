"""A small corpus whose documents have titles and texts, clustered by the real worker."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from tests.clustered import NOON
from tests.conftest import TOPICS, write_jsonl
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

SAYINGS = {tag: f"{tag.replace('-', ' ')} {topic}ish" for topic, tags in TOPICS.items() for tag in tags}
"""What a text says of a tag: its name, and a word that all tags of its topic share."""


@cache
def documents():
    """Every document has tags of one topic, and a text about half of them."""
    random = np.random.default_rng(3)
    listed = []
    for number in range(320):
        topic = sorted(TOPICS)[number % len(TOPICS)]
        tags = random.choice(TOPICS[topic], 4, replace=False).tolist()
        said = " and ".join(SAYINGS[tag] for tag in tags[:2])
        listed.append({"id": f"w{number:03}", "tags": tags, "title": f"About {topic}", "body": f"A note on {said}."})
    return listed


@cache
def written():
    """Snapshot and documents of the corpus `written`."""
    stages = Stages(lambda *_: None)
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder:
        path = write_jsonl(Path(folder) / "written.jsonl", documents())
        source = {"files": path.name, "text": "body"}
        corpus = Corpus(name="written", title="With texts", source=source, path=path, ban=("secret",))
        tagged, notes = load_documents(corpus, stages)
    return cluster(corpus, tagged, NOON, stages, notes=notes)
