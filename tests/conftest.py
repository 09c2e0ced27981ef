"""What all tests share: a real store of their own, and small corpora with known structure."""

import gzip
import json
import os
import tempfile

import hypothesis
import numpy as np
import pytest

from snapshot import connect
from tests.servers import Server

# Machines that run tests are busy: how long an example takes says nothing. Under CI the examples are always the same.
hypothesis.settings.register_profile("cotag", deadline=None, derandomize=bool(os.environ.get("CI")))
hypothesis.settings.load_profile("cotag")

TOPICS = {
    "money": ["payment", "cash", "coin", "bank", "credit card", "invoice", "currency", "wallet"],
    "weather": ["rain", "sun", "cloud", "snow", "wind", "storm", "forecast", "temperature"],
    "music": ["guitar", "piano", "drum", "melody", "concert", "singer", "album", "Jazz"],
    "food": ["bread", "cheese", "tomato", "recipe", "kitchen", "oven", "spice", "dinner"],
}


@pytest.fixture(scope="session")
def redis_url():
    """A real store for this test process alone."""
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder:
        server = Server(folder).start()
        yield server.url
        server.stop()


@pytest.fixture
def redis(redis_url):
    client = connect(redis_url)
    client.flushall()
    yield client
    client.close()


@pytest.fixture
def environment(monkeypatch):
    """No setting of the surroundings reaches a test."""
    for name in list(os.environ):
        if name.startswith("COTAG_"):
            monkeypatch.delenv(name)
    return monkeypatch


def topic_documents(count=200, seed=0):
    """Documents of three to five tags of one topic each, now and then with one tag of another."""
    random = np.random.default_rng(seed)
    topics = list(TOPICS)
    for number in range(count):
        topic = topics[number % len(topics)]
        tags = list(random.choice(TOPICS[topic], size=random.integers(3, 6), replace=False))
        if random.random() < 0.15:
            tags.append(str(random.choice(TOPICS[str(random.choice(topics))])))
        yield {"id": f"d{number}", "tags": [str(tag) for tag in tags], "label": topic}


def write_jsonl(path, documents):
    text = "".join(json.dumps(document) + "\n" for document in documents)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.fixture
def corpora_file(tmp_path):
    """A corpora file that declares one small corpus, `topics`."""
    write_jsonl(tmp_path / "topics.jsonl.gz", topic_documents())
    file = tmp_path / "corpora.toml"
    file.write_text('[corpora.topics]\ntitle = "Four topics"\nsource = "topics.jsonl.gz"\nschedule = "1h"\n')
    return file
