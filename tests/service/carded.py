"""A small corpus whose documents have cards, clustered by the real worker."""

import tempfile
from functools import cache
from pathlib import Path

from snapshot import encode
from tests import clustered
from tests.clustered import NOON
from tests.conftest import write_jsonl
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

RARE = "blorb"
"""One document alone has it, so the corpus leaves it out."""

ODD_ID = "d/8 é&?"


@cache
def documents():
    """The small corpus. Every second document has a card, one a tag that nobody else has, one an odd id."""
    listed = []
    for number, document in enumerate(clustered.documents()):
        card = {key: f"https://site.example/{number}.{key}" for key in ("url", "image")} | {"title": f"Number {number}"}
        name = {"id": ODD_ID} if number == 8 else {}
        tags = [*document["tags"], RARE] if number == 7 else document["tags"]
        listed.append({**document, **name, "tags": tags, **(card if number % 2 == 0 else {})})
    return listed


def having(*tags):
    """The ids of all documents with these tags, by the corpus alone."""
    return {document["id"] for document in documents() if set(tags) <= set(document["tags"])}


@cache
def encoded():
    """The corpus `carded` as the worker publishes it."""
    stages = Stages(lambda *_: None)
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder:
        path = write_jsonl(Path(folder) / "carded.jsonl", documents())
        corpus = Corpus(name="carded", title="With cards", source=path.name, path=path)
        tagged, notes = load_documents(corpus, stages)
    return encode(*cluster(corpus, tagged, NOON, stages, notes=notes))
