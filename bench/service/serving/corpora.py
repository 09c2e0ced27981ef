"""The corpora that are served: clustered once, their snapshots stored on disk."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np
from scipy import sparse

import demo
from bench.document_files import documents_of
from bench.places import CORPORA, RESULTS
from bench.trials import CACHE
from cotag.errors import StartError
from snapshot import (
    Documents,
    EncodedSnapshot,
    Snapshot,
    SnapshotError,
    decode,
    decode_documents,
    encode,
    index_checksums,
    normalise,
    table_in,
    version_at,
)
from snapshot.version.documents.document_table import decode_chunk
from worker.clustering.cluster import METHOD, cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

SNAPSHOTS: Final = RESULTS / CACHE / "serving"
FILES: Final = {
    "demo": Path(demo.__file__).parent / "tabler_icons.jsonl.gz",
    "whatscooking": CORPORA / "whatscooking.jsonl.gz",
    "radio_large": CORPORA / "radio_large.jsonl.gz",
}
PARTS: Final = ("meta", "arrays", "documents")


@dataclass(frozen=True, eq=False)
class Served:
    """A snapshot, and which of its tags each document has."""

    snapshot: Snapshot
    documents: Documents
    incidence: sparse.csr_array
    """Documents × tags, in the order of the snapshot."""

    def together(self) -> sparse.csr_array:
        """In how many documents two different tags occur together: what a home-made solution would keep."""
        counts = sparse.csr_array(self.incidence.T @ self.incidence)
        counts.setdiag(0)
        counts.eliminate_zeros()
        return counts

    def encoded(self) -> EncodedSnapshot:
        """A version of this snapshot made now."""
        now = datetime.now(UTC)
        return encode(replace(self.snapshot, version=version_at(now), created=now), self.documents)

    def without_documents(self) -> "Served":
        """The same corpus declared with `documents = false`: its pages show tags only."""
        return replace(self, documents=replace(self.documents, table=None))


def served(name: str) -> Served:
    """A corpus ready to be served; clustering it takes minutes the first time."""
    path = FILES[name]
    if not path.is_file():
        raise StartError(f"{path} is missing")
    snapshot, documents = _stored(name) or _clustered(name, path)
    return Served(snapshot, documents, _incidence(name, path, snapshot))


def _incidence(name: str, path: Path, snapshot: Snapshot) -> sparse.csr_array:
    """Which tags each document has; read once."""
    stored = SNAPSHOTS / f"{name}-{snapshot.version}.npz"
    if stored.exists():
        return sparse.csr_array(sparse.load_npz(stored))
    known = {key: number for number, key in enumerate(snapshot.keys)}
    rows = [
        sorted({known[key] for tag in each.tags if (key := normalise(tag)) in known}) for each in documents_of(path)
    ]
    columns = np.fromiter((tag for row in rows for tag in row), dtype=np.int32)
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    found = sparse.csr_array((np.ones(len(columns), dtype=np.int32), columns, starts), shape=(len(rows), len(known)))
    sparse.save_npz(stored, found)
    return found


def _stored(name: str) -> tuple[Snapshot, Documents] | None:
    """What an earlier run clustered; None if there is nothing that today's code reads or would compute."""
    try:
        meta, arrays, documents = ((SNAPSHOTS / f"{name}.{part}").read_bytes() for part in PARTS)
        snapshot = decode(meta, arrays)
        if snapshot.parameters.get("method") == METHOD:
            table = table_in((SNAPSHOTS / f"{name}.table").read_bytes())
            return snapshot, replace(decode_documents(meta, documents), table=table)
    except (FileNotFoundError, SnapshotError):
        pass
    return None


def _clustered(name: str, path: Path) -> tuple[Snapshot, Documents]:
    print(f"clustering {name} (once)", flush=True)
    corpus = Corpus(name=name, title=name, source=str(path), path=path, min_count=5)
    stages = Stages(lambda *_: None)
    tagged, counts = load_documents(corpus, stages)
    snapshot, documents = cluster(corpus, tagged, datetime.now(UTC), stages, notes=counts)
    encoded = encode(snapshot, documents)
    SNAPSHOTS.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        (SNAPSHOTS / f"{name}.{part}").write_bytes(getattr(encoded, part))
    chunks = zip(encoded.index, index_checksums(encoded.meta) or (), strict=True)
    (SNAPSHOTS / f"{name}.table").write_bytes(b"".join(decode_chunk(*chunk, name) for chunk in chunks))
    return snapshot, documents
