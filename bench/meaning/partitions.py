"""Partitions of the tags into k clusters: Cotag's, those of its peers, and two experiments on its trees."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final

import fastcluster
import igraph
import leidenalg
import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cut_tree
from scipy.sparse import csr_array, csr_matrix
from scipy.sparse.linalg import svds
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans, SpectralClustering
from sknetwork.clustering import Louvain
from sknetwork.hierarchy import Paris, cut_straight

from bench.meaning.measures import Labels, Sparse, shuffled
from cocluster.pipeline import smoothed
from snapshot import Snapshot

DIMENSIONS: Final = 50
RESOLUTIONS: Final = (0.1, 40.0)
RESOLUTION_STEPS: Final = 8
SWEEPS: Final = 20


@dataclass(frozen=True, eq=False)
class Tags:
    """The tags of a snapshot, and the documents they were clustered in."""

    snapshot: Snapshot
    matrix: Sparse
    seed: int

    @property
    def automatic_k(self) -> int:
        """Where Cotag cuts."""
        return len(self.snapshot.clusters)

    @cached_property
    def cosines(self) -> NDArray[np.float64]:
        """Cosines of the columns, 0 on the diagonal."""
        pairs = (self.matrix.T @ self.matrix).toarray()
        lengths = np.sqrt(np.diag(pairs))
        pairs /= np.outer(lengths, lengths)
        np.fill_diagonal(pairs, 0.0)
        return np.asarray(pairs)

    @cached_property
    def ppmi_vectors(self) -> NDArray[np.float64]:
        """The leading singular vectors of PPMI, by the roots of their singular values."""
        pairs = (self.matrix.T @ self.matrix).toarray()
        np.fill_diagonal(pairs, 0.0)
        margin = pairs.sum(axis=1)
        expected = np.outer(margin, margin) / pairs.sum()
        ratio = np.divide(pairs, expected, out=np.ones_like(pairs), where=pairs > 0)
        start = np.random.default_rng(self.seed).random(len(pairs))
        U, s, _ = svds(csr_array(np.maximum(np.log(ratio), 0.0)), k=min(DIMENSIONS, len(pairs) - 1), v0=start)
        return np.asarray(U * np.sqrt(s))

    @cached_property
    def profiles(self) -> NDArray[np.float64]:
        """The columns of M* as distributions over documents."""
        columns = smoothed(self.matrix, 1e-6, lambda *_: None).matrix.T
        return np.asarray(columns / columns.sum(axis=1, keepdims=True))

    @cached_property
    def masses(self) -> NDArray[np.float64]:
        """The share of each tag of all tags of documents."""
        counts = self.snapshot.counts.astype(np.float64)
        return np.asarray(counts / counts.sum())


Method = Callable[[Tags], Callable[[int], Labels]]
"""From the tags to their partition at any k: what does not depend on k is done once."""


def cotag(tags: Tags) -> Callable[[int], Labels]:
    """The tree of the snapshot; at the automatic k, its partition, which is refined."""
    snapshot = tags.snapshot

    def at(k: int) -> Labels:
        labels = snapshot.partition.labels if k == tags.automatic_k else snapshot.tree.cut(k)
        return np.asarray(labels, dtype=np.int64)

    return at


def random(tags: Tags) -> Callable[[int], Labels]:
    """Cotag's sizes, tags at random."""
    ours = cotag(tags)
    return lambda k: shuffled(ours(k), tags.seed)


def ward_on_cosines(tags: Tags) -> Callable[[int], Labels]:
    distances = np.sqrt(np.maximum(2.0 - 2.0 * tags.cosines, 0.0))
    np.fill_diagonal(distances, 0.0)
    return _cuts(fastcluster.linkage(squareform(distances, checks=False), method="ward"))


def ward_on_smoothed(tags: Tags) -> Callable[[int], Labels]:
    """An experiment: Ward on √M*, the tags alone."""
    return _cuts(fastcluster.linkage_vector(np.sqrt(tags.profiles), method="ward"))


def refined(tags: Tags) -> Callable[[int], Labels]:
    """An experiment: at the cut of the tree, each tag moves to the cluster with the nearest profile, until none moves.

    Nearest by KL(tag's profile ‖ cluster's profile), profiles being columns of M*.
    """

    def at(k: int) -> Labels:
        labels = np.asarray(tags.snapshot.tree.cut(k), dtype=np.int64)
        for _ in range(SWEEPS):
            member = np.eye(int(labels.max()) + 1)[labels] * tags.masses[:, None]
            centres = member.T @ tags.profiles
            centres /= centres.sum(axis=1, keepdims=True)
            moved = (tags.profiles @ np.log(centres).T).argmax(axis=1)
            if (moved == labels).all():
                break
            labels = np.unique(moved, return_inverse=True)[1].astype(np.int64)
        return labels

    return at


def kmeans_on_ppmi(tags: Tags) -> Callable[[int], Labels]:
    def at(k: int) -> Labels:
        return np.asarray(KMeans(k, n_init=5, random_state=tags.seed).fit_predict(tags.ppmi_vectors), dtype=np.int64)

    return at


def spectral(tags: Tags) -> Callable[[int], Labels]:
    def at(k: int) -> Labels:
        model = SpectralClustering(k, affinity="precomputed", random_state=tags.seed, n_init=5, assign_labels="kmeans")
        return np.asarray(model.fit_predict(tags.cosines + 1e-6), dtype=np.int64)

    return at


def paris(tags: Tags) -> Callable[[int], Labels]:
    dendrogram = Paris().fit_predict(csr_matrix(tags.cosines))
    return lambda k: np.asarray(cut_straight(dendrogram, n_clusters=k), dtype=np.int64)


def louvain(tags: Tags) -> Callable[[int], Labels]:
    graph = csr_matrix(tags.cosines)

    def find(resolution: float) -> Labels:
        model = Louvain(resolution=resolution, random_state=tags.seed)
        return np.asarray(model.fit_predict(graph), dtype=np.int64)

    return partial(_at_resolution, find, {})


def leiden(tags: Tags) -> Callable[[int], Labels]:
    first, second = np.nonzero(np.triu(tags.cosines, 1))
    graph = igraph.Graph(n=len(tags.cosines), edges=np.column_stack([first, second]).tolist())
    weights = tags.cosines[first, second].tolist()

    def find(resolution: float) -> Labels:
        partition = leidenalg.find_partition(
            graph,
            leidenalg.RBConfigurationVertexPartition,
            weights=weights,
            resolution_parameter=resolution,
            seed=tags.seed,
        )
        return np.asarray(partition.membership, dtype=np.int64)

    return partial(_at_resolution, find, {})


METHODS: Final[dict[str, Method]] = {
    "Cotag": cotag,
    "Leiden": leiden,
    "Louvain": louvain,
    "k-means on PPMI": kmeans_on_ppmi,
    "Ward on cosines": ward_on_cosines,
    "Paris": paris,
    "spectral": spectral,
    "random": random,
    "Ward on √M*": ward_on_smoothed,
    "KL refinement": refined,
}
EXPERIMENTS: Final = ("Ward on √M*", "KL refinement")


def _cuts(linkage: NDArray[Any]) -> Callable[[int], Labels]:
    return lambda k: np.asarray(cut_tree(linkage, n_clusters=[k]).ravel(), dtype=np.int64)


def _at_resolution(find: Callable[[float], Labels], tried: dict[float, Labels], k: int) -> Labels:
    """The partition whose number of clusters comes nearest to k, by bisection of the resolution."""
    for _ in range(RESOLUTION_STEPS):
        below = [resolution for resolution, labels in tried.items() if _clusters(labels) < k]
        above = [resolution for resolution, labels in tried.items() if _clusters(labels) >= k]
        if any(_clusters(tried[resolution]) == k for resolution in above):
            break
        middle = float(np.sqrt(max(below, default=RESOLUTIONS[0]) * min(above, default=RESOLUTIONS[1])))
        tried[middle] = find(middle)
    return min(tried.values(), key=lambda labels: abs(_clusters(labels) - k))


def _clusters(labels: Labels) -> int:
    return int(labels.max()) + 1
