"""The corpora that are served: clustered once, their snapshots stored on disk."""

import sys
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

import demo
from bench.reading import documents_of
from cotag.errors import StartError
from service.disk_cache import DiskCache
from snapshot import Snapshot, encode, normalise
from worker.clustering import METHOD, cluster, load
from worker.corpora import Corpus
from worker.stages import Stages

ROOT = Path(__file__).parents[2]
SNAPSHOTS = DiskCache(ROOT / ".cotag" / "bench")
FILES = {
    "demo": Path(demo.__file__).parent / "tabler_icons.jsonl.gz",
    "whatscooking": ROOT.parent / "shared" / "corpora" / "whatscooking.jsonl.gz",
    "radio_large": ROOT.parent / "shared" / "corpora" / "radio_large.jsonl.gz",
}


@dataclass(frozen=True, eq=False)
class Served:
    """A snapshot, and the counts that a home-made solution would keep instead."""

    snapshot: Snapshot
    pairs: Counter[tuple[str, str]]


def served(name: str) -> Served:
    """A corpus ready to be served, beside the counts of a home-made solution."""
    snapshot = clustered(name)
    return Served(snapshot, _pairs(FILES[name], set(snapshot.keys)))


def clustered(name: str) -> Snapshot:
    """The snapshot of a corpus, from disk; clustering it takes minutes the first time."""
    path = FILES[name]
    if not path.is_file():
        raise StartError(f"{path} is missing")
    current = (
        stored for stored, _ in SNAPSHOTS.read() if stored.corpus == name and stored.parameters.get("method") == METHOD
    )
    return next(current, None) or _cluster(name, path)


def _cluster(name: str, path: Path) -> Snapshot:
    print(f"clustering {name} (once)", file=sys.stderr)
    corpus = Corpus(name=name, title=name, source=str(path), path=path, min_count=5)
    stages = Stages(lambda *_: None)
    tagged, counts = load(corpus, stages)
    snapshot, documents = cluster(corpus, tagged, datetime.now(UTC), stages, notes=counts)
    encoded = encode(snapshot, documents)
    SNAPSHOTS.write(name, encoded.meta, encoded.arrays)
    return snapshot


def _pairs(path: Path, known: set[str]) -> Counter[tuple[str, str]]:
    """In how many documents two tags occur together."""
    found: Counter[tuple[str, str]] = Counter()
    for document in documents_of(path):
        tags = sorted({normalise(tag) for tag in document.tags} & known)
        found.update(combinations(tags, 2))
    return found
