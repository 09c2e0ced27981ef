"""What a pair of partitions is worth, measured on M* as the paper has it, whatever a run inherited."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster import incidence, v_measure
from cocluster.equations.information import information
from cocluster.pipeline import smoothed
from snapshot import Documents, Snapshot
from tagmodel import Dendrogram
from worker.corpora.declaration import Corpus
from worker.vocabulary.tag_corpus import TagCorpus


@dataclass(frozen=True)
class Worth:
    """Clusters a side, share of the information of M* they keep, V-measure of the document clusters."""

    documents: int
    tags: int
    information: float
    v: float


@dataclass(frozen=True)
class Gap:
    """What a run is worth beside another: V-measure as a difference, information relative."""

    v: float
    information: float


def gap(run: Worth, other: Worth) -> Gap:
    """Positive where the run is worth more."""
    return Gap(run.v - other.v, run.information / other.information - 1)


@dataclass(frozen=True, eq=False)
class Fresh:
    """A run that inherits nothing, and M*, against which every other run on the same documents is held."""

    smoothed: NDArray[np.float32]
    rows: Dendrogram
    columns: Dendrogram
    truth: NDArray[np.int64]
    cut: NDArray[np.int64]

    def save(self, path: Path) -> None:
        """Keep it for the chains to come."""
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(
            path,
            smoothed=self.smoothed,
            rows=self.rows.linkage,
            columns=self.columns.linkage,
            truth=self.truth,
            cut=self.cut,
        )

    @classmethod
    def load(cls, path: Path) -> "Fresh":
        """As it was saved."""
        with np.load(path, allow_pickle=False) as arrays:
            rows, columns = (Dendrogram(arrays[side]) for side in ("rows", "columns"))
            return cls(arrays["smoothed"], rows, columns, arrays["truth"], arrays["cut"])

    def worth(self, rows: NDArray[np.int32], columns: NDArray[np.int32]) -> Worth:
        """Of two partitions of these documents and tags."""
        whole = self.smoothed.astype(np.float64)
        return Worth(
            int(rows.max()) + 1,
            int(columns.max()) + 1,
            information_of(whole, rows, columns) / information(whole),
            float(v_measure(self.truth, rows)),
        )

    def worth_at(self, documents: int, tags: int) -> Worth:
        """Of this run itself, cut into so many clusters."""
        rows, columns = self.rows.cut(documents), self.columns.cut(tags)
        return self.worth(rows.astype(np.int32), columns.astype(np.int32))


def fresh_of(corpus: Corpus, tagged: TagCorpus, snapshot: Snapshot, documents: Documents) -> Fresh:
    """What a run without inheritance gave, with the M* that it was made from."""
    filtered = incidence(tagged.matrix, corpus.min_count)
    N = smoothed(filtered.matrix, corpus.teleport, lambda *_: None).matrix
    _, truth = np.unique([str(tagged.labels[row]) for row in filtered.rows], return_inverse=True)
    cut = np.array([documents.clusters.max() + 1, len(snapshot.clusters)], dtype=np.int64)
    return Fresh(N.astype(np.float32), documents.tree, snapshot.tree, truth.astype(np.int64), cut)


def cut_documents(snapshot: Snapshot, documents: Documents) -> NDArray[np.int32]:
    """The cluster of each document where the tree is cut: before it is classified (14), as the fresh run is."""
    if documents.tree.leaves != len(documents.ids):
        raise ValueError(f"{snapshot.corpus}: the documents are not the leaves of the tree")
    return documents.tree.cut(len(snapshot.classifier.clusters)).astype(np.int32)


def information_of(smoothed: NDArray[np.float64], rows: NDArray[np.int32], columns: NDArray[np.int32]) -> float:
    """I(C^X, C^Y) of a smoothed matrix aggregated by two partitions, in bits.  math.md (9)"""
    by_rows = _members(rows) @ smoothed
    return information(np.asarray((_members(columns) @ by_rows.T).T))


def _members(labels: NDArray[np.int32]) -> csr_array[np.float64, tuple[int, int]]:
    """One row per cluster, 1 where an item belongs to it."""
    items = len(labels)
    return csr_array((np.ones(items), (labels, np.arange(items))), shape=(int(labels.max()) + 1, items))
