"""A small corpus with known structure, clustered by the real worker: what services serve in tests.

Four topics (tests/conftest.py), and one tag that every topic uses. The pipeline runs once in a test process.
"""

import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from snapshot import encode, version_at
from tests.conftest import TOPICS, topic_documents, write_jsonl
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
VERSION = version_at(NOON)
BROAD = "version-control"
"""In every fifth document, whatever its topic."""

TAGS = sorted([*(tag for tags in TOPICS.values() for tag in tags), BROAD], key=str.casefold)


def documents():
    for number, document in enumerate(topic_documents()):
        yield {**document, "tags": [*document["tags"], BROAD]} if number % 5 == 0 else document


def counts():
    """How many documents have each tag."""
    found = dict.fromkeys(TAGS, 0)
    for document in documents():
        for tag in set(document["tags"]):
            found[tag] += 1
    return found


@cache
def clustered(**declared):
    """Snapshot and documents as a run at noon publishes them."""
    stages = Stages(lambda *_: None)
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder:
        path = write_jsonl(Path(folder) / "small.jsonl", documents())
        corpus = Corpus(**{"name": "small", "title": "A small corpus", "source": path.name, "path": path, **declared})
        tagged, notes = load_documents(corpus, stages)
    return cluster(corpus, tagged, NOON, stages, notes=notes)


def snapshot_at(moment=NOON, **changes):
    """The same snapshot, made at another time or altered."""
    return replace(clustered()[0], version=version_at(moment), created=moment, **changes)


def published(moment=NOON, **changes):
    """The same as it is published."""
    return encode(snapshot_at(moment, **changes), clustered()[1])


def by_count():
    """All tags by falling count."""
    found = counts()
    return sorted(TAGS, key=lambda tag: -found[tag])
