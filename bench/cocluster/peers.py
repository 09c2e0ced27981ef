"""Libraries that cluster the same matrices, for comparison: each returns its time and its labels."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Labels = tuple[NDArray[Any] | None, NDArray[Any] | None]
Run = tuple[float, float, Labels]  # seconds by the clock, seconds of processors, what came of them


def timed(make: Callable[[], Labels]) -> Run:
    """Seconds by the clock and of processors, and what came of them."""
    started, spent = time.perf_counter(), time.process_time()
    labels = make()
    return time.perf_counter() - started, time.process_time() - spent, labels


def linkage(method: str) -> Callable[[Any, int], Run]:
    """A fastcluster linkage of the documents alone."""

    def run(X: Any, k: int) -> Run:
        import fastcluster  # noqa: PLC0415 (only its own process loads a peer)
        from scipy.cluster.hierarchy import fcluster  # noqa: PLC0415

        rows = np.asarray(X.todense())
        return timed(lambda: (fcluster(fastcluster.linkage(rows, method), k, "maxclust"), None))

    return run


def distances_given(X: Any, k: int) -> Run:
    """Fastcluster's average linkage of the documents, all distances from one matrix product."""
    import fastcluster  # noqa: PLC0415
    from scipy.cluster.hierarchy import fcluster  # noqa: PLC0415

    rows = np.asarray(X.todense(), np.float32)

    def make() -> Labels:
        squares = np.einsum("ij,ij->i", rows, rows)
        distances = rows @ rows.T
        distances *= -2.0
        distances += squares
        distances += squares[:, None]
        first, second = np.triu_indices(len(rows), 1)
        condensed = np.sqrt(np.maximum(distances[first, second], 0.0), dtype=np.float64)
        return fcluster(fastcluster.linkage(condensed, "average", preserve_input=False), k, "maxclust"), None

    return timed(make)


def spectral(X: Any, k: int) -> Run:
    """scikit-learn's spectral co-clustering, told the true k."""
    from sklearn.cluster import SpectralCoclustering  # noqa: PLC0415

    def make() -> Labels:
        model = SpectralCoclustering(n_clusters=k, random_state=0).fit(X)
        return model.row_labels_, model.column_labels_

    return timed(make)


def louvain(X: Any, _k: int) -> Run:
    """scikit-network's Louvain on the bipartite graph; it chooses its own k."""
    from sknetwork.clustering import Louvain  # noqa: PLC0415

    def make() -> Labels:
        model = Louvain(random_state=0).fit(csr_matrix(X), force_bipartite=True)
        return model.labels_row_, model.labels_col_

    return timed(make)


def paris(X: Any, k: int) -> Run:
    """scikit-network's Paris on the bipartite graph, cut at k."""
    from sknetwork.hierarchy import Paris, cut_straight  # noqa: PLC0415

    def make() -> Labels:
        model = Paris().fit(csr_matrix(X), force_bipartite=True)
        return cut_straight(model.dendrogram_row_, k), cut_straight(model.dendrogram_col_, k)

    return timed(make)
