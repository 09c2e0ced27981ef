"""A run by micro-clusters stays within what was estimated before it began: measured as the peak of a process."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc, where peaks are read"),
]

TAGS = 1500
READING = 100
"""Bytes of an entry while reading (docs/reference/corpora.md)."""

MEASURE = """
import json, sys
from datetime import UTC, datetime
from pathlib import Path
from cocluster import CoClustering, checkerboard
from snapshot import encode
from worker.clustering.cluster import cluster, load_documents
from worker.corpora.declaration import Corpus
from worker.clustering.stages import Stages

def peak():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(status["VmHWM"].removesuffix("kB\\n")) * 1024

CoClustering(max_exact=10, micro_clusters=5).fit(checkerboard(n=60, m=40, k=3, alpha=0.6, beta=0.5, seed=0)[0])
before = peak()
path = Path(sys.argv[1])
corpus = Corpus(name="large", source=str(path), path=path, max_exact=2000, micro_clusters=200)
stages = Stages(lambda *_: None)
tagged, counts = load_documents(corpus, stages)
snapshot, documents = cluster(corpus, tagged, datetime.now(UTC), stages, notes=counts)
encode(snapshot, documents)
plan = snapshot.parameters["plan"]
print(json.dumps([peak() - before, plan["memory"], plan["name"], tagged.matrix.nnz, len(tagged.ids)]))
"""


def run(path, documents):
    random = np.random.default_rng(0)
    with gzip.open(path, "wt", compresslevel=1) as file:
        for number in range(documents):
            topic = int(random.integers(30))
            ranks = (TAGS // 30 * random.random(9) ** 2).astype(int)
            topics = np.where(random.random(9) < 0.8, topic, random.integers(30, size=9))
            tags = [f"t{rank * 30 + own}" for rank, own in zip(ranks.tolist(), topics.tolist(), strict=True)]
            file.write(json.dumps({"id": str(number), "tags": tags}) + "\n")
    command = [sys.executable, "-c", MEASURE, str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[3])
    return json.loads(done.stdout)


def growth(folder, documents):
    """Bytes by which a run raises the peak; no more than was estimated."""
    grown, estimate, plan, entries, read = run(folder / f"{documents}.jsonl.gz", documents)
    assert (plan, read) == ("micro", documents)
    print(documents, "documents:", grown / 1e6, "MB, estimated", estimate / 1e6)
    assert grown < estimate + READING * entries
    return grown


def test_a_run_keeps_within_its_bound(tmp_path):
    growth(tmp_path, 20_000)


@pytest.mark.nightly
def test_a_run_never_holds_documents_by_tags(tmp_path):
    """Neither n×n nor n×m: 60,000 × 1,500 numbers alone are 720 MB. Twice the documents take less than twice."""
    half, all_of_them = growth(tmp_path, 30_000), growth(tmp_path, 60_000)
    assert all_of_them < 0.6 * 8 * 60_000 * TAGS
    assert all_of_them < 2 * half
