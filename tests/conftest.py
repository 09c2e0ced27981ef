"""What all tests share: the tiers, a real store of their own, and small corpora with known structure."""

import gzip
import json
import os
import re
import sys
import tempfile
from pathlib import Path

# Set before numpy is loaded. Two processes test at a time; on small matrices more threads only wait for each other.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import hypothesis
import numpy as np
import pytest

from snapshot import connect
from tests.servers import Server

# Machines that run tests are busy: how long an example takes says nothing. Under CI the examples are always the same.
hypothesis.settings.register_profile("cotag", deadline=None, max_examples=25, derandomize=bool(os.environ.get("CI")))
hypothesis.settings.register_profile("nightly", deadline=None, max_examples=500)
hypothesis.settings.load_profile("cotag")

TOPICS = {
    "money": ["payment", "cash", "coin", "bank", "credit card", "invoice", "currency", "wallet"],
    "weather": ["rain", "sun", "cloud", "snow", "wind", "storm", "forecast", "temperature"],
    "music": ["guitar", "piano", "drum", "melody", "concert", "singer", "album", "Jazz"],
    "food": ["bread", "cheese", "tomato", "recipe", "kitchen", "oven", "spice", "dinner"],
}


SLOW = {"browser", "e2e", "faults"}
"""Folders of tests that run whole processes."""


def pytest_itemcollected(item):
    """Mark the tiers by folder."""
    if item.path.relative_to(Path(__file__).parent).parts[0] in SLOW:
        item.add_marker(pytest.mark.slow)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Keep together in one process what shares servers: the tests of a file, and all that are seen in the browser."""
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            return "tests/browser" if file.startswith("tests/browser/") else file

    return Together(config, log)


@pytest.fixture(autouse=True)
def same_umask():
    """No test leaves the process with another umask: what later tests write could not be read by servers they start."""
    before = os.umask(0o022)
    os.umask(before)
    yield
    after = os.umask(before)
    assert after == before, f"the umask is {after:o} now"


WHOLE = re.compile(r"^\S*chrom|playwright/driver|-m (venv|pip|gunicorn)|\bcotag (up|serve)\b(?! --help)")
"""Commands that only slow tests may run."""

quick = []
"""The test that runs, if `make check` runs it, too."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Note which test runs, its fixtures included."""
    quick[:] = [] if any(item.iter_markers("slow")) or any(item.iter_markers("nightly")) else [item.nodeid]
    try:
        return (yield)
    finally:
        quick.clear()


def light(event, arguments):
    """Refuse to start a whole Cotag, a browser or an environment in a quick test."""
    if event == "subprocess.Popen" and quick:
        command = arguments[1] if isinstance(arguments[1], str) else " ".join(map(os.fsdecode, arguments[1]))
        if WHOLE.search(command):
            raise RuntimeError(f"{quick[0]} needs the marker slow: it runs {command[:200]}")


sys.addaudithook(light)


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
