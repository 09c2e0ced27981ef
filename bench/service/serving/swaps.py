"""Asks for documents over HTTP while versions swap, and counts failed and mixed answers.

python -m bench.service.serving.swaps            # a Markdown table, also in bench/results/swaps.md
python -m bench.service.serving.swaps --seconds 60
"""

import argparse
import json
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from typing import Final
from urllib.parse import quote

import demo
from bench.places import RESULTS
from bench.service.serving.processes import free_port, process, store
from bench.service.serving.publishing import publish
from snapshot import Documents, Snapshot, encode, version_at
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

TABLE: Final = RESULTS / "swaps.md"
FILE: Final = Path(demo.__file__).parent / "tabler_icons.jsonl.gz"
SAMPLES: Final = (2500, 5000)
"""Documents of the two versions that take turns: every tag has another count in each."""

SWAP_SECONDS: Final = 5.0
CLIENTS: Final = 4
TAGS: Final = 50


@dataclass
class Reads:
    """What the clients saw: answers by kind, and the totals that the published versions have for each tag."""

    totals: dict[str, dict[str, int]] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)

    def judge(self, answer: dict[str, object], tag: str) -> None:
        """Count an answer; it is mixed if its number of documents is not that of the version that it names."""
        expected = self.totals.get(str(answer["version"]), {}).get(tag)
        self.seen["sound" if answer["total"] == expected else "mixed"] += 1


def clustered(sample: int) -> tuple[Snapshot, Documents]:
    """The demo, or a sample of it."""
    stages = Stages(lambda *_: None)
    corpus = Corpus(name="demo", title="Demo", source=str(FILE), path=FILE, min_count=5, sample=sample)
    tagged, notes = load_documents(corpus, stages)
    return cluster(corpus, tagged, datetime.now(UTC), stages, notes=notes)


def read(port: int, tags: list[str], reads: Reads, stopped: threading.Event) -> None:
    """One client: asks for the documents of one tag after the other until it is stopped."""
    for tag in cycle(tags):
        if stopped.is_set():
            return
        address = f"http://127.0.0.1:{port}/v1/corpora/demo/documents?tag={quote(tag)}&limit=5"
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                reads.judge(json.load(answer), tag)
        except OSError:
            reads.seen["failed"] += 1


def measure(seconds: float) -> tuple[Reads, int]:
    """Answers while versions swap every five seconds, and how often they did."""
    versions = [clustered(sample) for sample in SAMPLES]
    tags = [name for name in versions[0][0].names if name in versions[1][0].names][:TAGS]
    reads, stopped, swaps = Reads(), threading.Event(), 0
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder, store(Path(folder) / "store") as (url, _):
        publish_as_new(url, *versions[0], reads, tags)
        port = free_port()
        settings = {"COTAG_REDIS_URL": url, "COTAG_ANSWER_CACHE_MB": "0", "COTAG_PREPARED_ANSWERS_MB": "0"}
        with process(["cotag", "serve"], port, settings, ready="/readyz"):
            clients = [threading.Thread(target=read, args=(port, tags, reads, stopped)) for _ in range(CLIENTS)]
            for client in clients:
                client.start()
            for snapshot, documents in islice(cycle(reversed(versions)), int(seconds / SWAP_SECONDS)):
                time.sleep(SWAP_SECONDS)
                publish_as_new(url, snapshot, documents, reads, tags)
                swaps += 1
            stopped.set()
            for client in clients:
                client.join()
    return reads, swaps


def publish_as_new(url: str, snapshot: Snapshot, documents: Documents, reads: Reads, tags: list[str]) -> None:
    """Publish a snapshot as a version of now, whose totals the clients expect from then on."""
    now = datetime.now(UTC)
    version = replace(snapshot, version=version_at(now), created=now)
    counts = dict(zip(snapshot.names, snapshot.counts.tolist(), strict=True))
    reads.totals[version.version] = {tag: counts[tag] for tag in tags}
    publish(url, encode(version, documents))


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    seconds = parser.parse_args().seconds
    reads, swaps = measure(seconds)
    table = (
        "| reads | versions swapped | failed | mixed |\n|--:|--:|--:|--:|\n"
        f"| {reads.seen.total():,} | {swaps} | {reads.seen['failed']} | {reads.seen['mixed']} |\n"
    )
    TABLE.write_text(f"`python -m bench.service.serving.swaps --seconds {seconds:g}`\n\n{table}")
    print(table)


if __name__ == "__main__":
    main()
