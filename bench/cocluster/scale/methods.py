"""What is run on a matrix: the ways of this project and what others would take instead."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from cocluster import CoClustering, v_measure
from cocluster.equations.information import information
from cocluster.fit import factored

from .cases import Case

Found = dict[str, Any]
EVERY = 10**9


def exact(case: Case) -> Found:
    """All pairs compared."""
    return _figures(case, CoClustering(max_exact=EVERY).fit(case.matrix))


def micro(case: Case, clusters: int = 1000) -> Found:
    """By micro-clusters, whatever the size."""
    return _figures(case, _by_micro_clusters(case, clusters))


def _by_micro_clusters(case: Case, clusters: int) -> CoClustering:
    """A fit by micro-clusters of documents; tags are pre-merged only where the library would."""
    documents, tags = case.matrix.shape
    return CoClustering(max_exact=min(tags, documents // 2, 10_000), micro_clusters=clusters).fit(case.matrix)


def as_chosen(case: Case) -> Found:
    """As the library chooses."""
    return _figures(case, CoClustering().fit(case.matrix))


def written(case: Case) -> Found:
    """As the library chooses, with G written out (m×m) whatever the number of tags."""
    factored.DENSE_TAGS = EVERY
    return as_chosen(case)


def _figures(case: Case, model: CoClustering) -> Found:
    plan = model.plan_
    figures: Found = {
        "plan": plan.name,
        "micro_clusters": plan.micro_clusters,
        "micro_tags": plan.micro_tags,
        "memory_estimate": plan.memory,
        "information_kept": plan.information_kept,
        "clusters": [model.n_row_clusters_, model.n_column_clusters_],
    }
    k = min(case.k, plan.micro_clusters)
    if case.rows is not None:
        figures["v_documents"] = v_measure(case.rows, model.row_labels(k))
    if case.columns is not None:
        figures["v_tags"] = v_measure(case.columns, model.column_labels(min(case.k, case.matrix.shape[1])))
    return figures


def spectral(case: Case) -> Found:
    """scikit-learn's SpectralCoclustering, the true k given."""
    from sklearn.cluster import SpectralCoclustering  # noqa: PLC0415 - only where it is measured

    found = SpectralCoclustering(n_clusters=case.k, random_state=0).fit(csr_matrix(case.matrix))
    return _v(case, found.row_labels_, found.column_labels_)


def mini_batch_k_means(case: Case) -> Found:
    """MiniBatchKMeans on TF-IDF, the true k given."""
    from sklearn.cluster import MiniBatchKMeans  # noqa: PLC0415 - as above
    from sklearn.feature_extraction.text import TfidfTransformer  # noqa: PLC0415 - as above

    weighted = TfidfTransformer().fit_transform(csr_matrix(case.matrix))
    return _v(case, MiniBatchKMeans(case.k, random_state=0, n_init=3).fit_predict(weighted))


def louvain(case: Case) -> Found:
    """scikit-network's Louvain on the bipartite graph; it chooses k itself."""
    from sknetwork.clustering import Louvain  # noqa: PLC0415 - as above

    found = Louvain(random_state=0).fit(csr_matrix(case.matrix), force_bipartite=True)
    return {**_v(case, found.labels_row_, found.labels_col_), "clusters": [len(set(found.labels_row_.tolist()))] * 2}


def paris(case: Case) -> Found:
    """scikit-network's Paris on the bipartite graph, its trees cut at the true k."""
    from sknetwork.hierarchy import Paris, cut_straight  # noqa: PLC0415 - as above

    found = Paris().fit(csr_matrix(case.matrix), force_bipartite=True)
    return _v(case, *(cut_straight(tree, n_clusters=case.k) for tree in (found.dendrogram_row_, found.dendrogram_col_)))


def _v(case: Case, rows: NDArray[Any], columns: NDArray[Any] | None = None) -> Found:
    """V-measures where there is a truth; none for Paris where it leaves items out, because the graph falls apart."""
    found: Found = {}
    if case.rows is not None and len(rows) == len(case.rows):
        found["v_documents"] = v_measure(case.rows, np.unique(rows, return_inverse=True)[1])
    if case.columns is not None and columns is not None and len(columns) == len(case.columns):
        found["v_tags"] = v_measure(case.columns, np.unique(columns, return_inverse=True)[1])
    return found


TIMES = 10
"""How often a comparison with chance in it is repeated."""


def loss(case: Case, k: int = 20) -> Found:
    """What micro-clusters lose beside the exact way at k × k clusters, and how far the exact way is from itself.

    Means: of samples of 98 % of the documents, and of orders of the documents, which decide the first groups.
    """
    whole = CoClustering(max_exact=EVERY).fit(case.matrix)
    random = np.random.default_rng(0)
    found: Found = {
        "information": _information(whole, whole.row_labels(k), whole.column_labels(k)),
        "exact_again": _spread([_agreement_without(case, whole, k, random) for _ in range(TIMES)]),
        "v_documents": _v(case, whole.row_labels(case.k)).get("v_documents"),
        "micro": {},
    }
    orders = [random.permutation(case.matrix.shape[0]) for _ in range(TIMES)]
    for clusters in (500, 1000, 2000):
        tried = [_lost(case, whole, k, clusters, order) for order in orders]
        found["micro"][clusters] = {
            name: _spread([each[name] for each in tried if each[name] is not None]) for name in tried[0]
        }
    return found


def _agreement_without(case: Case, whole: CoClustering, k: int, random: np.random.Generator) -> float:
    """How well the tags agree with what the exact way makes of a random 98 % of the documents."""
    documents = case.matrix.shape[0]
    part = case.matrix[np.sort(random.choice(documents, round(0.98 * documents), replace=False))]
    columns = np.flatnonzero(np.bincount(part.indices, minlength=part.shape[1]))
    again = CoClustering(max_exact=EVERY).fit(part[:, columns])
    return v_measure(whole.column_labels(k)[columns], again.column_labels(k))


def _lost(case: Case, whole: CoClustering, k: int, clusters: int, order: NDArray[Any]) -> Found:
    """The figures of micro-clusters for one order of the documents."""
    model = _by_micro_clusters(case._replace(matrix=case.matrix[order]), clusters)
    back = np.argsort(order)
    rows = model.row_labels(k)[back]
    return {
        "information": _information(whole, rows, model.column_labels(k)),
        "agreement": v_measure(whole.column_labels(k), model.column_labels(k)),
        "documents_agreement": v_measure(whole.row_labels(k), rows),
        "v_documents": _v(case, model.row_labels(case.k)[back]).get("v_documents"),
        "information_kept": model.plan_.information_kept,
    }


def _spread(values: Sequence[float]) -> list[float] | None:
    """Mean, least and greatest; None of nothing."""
    return [float(np.mean(values)), min(values), max(values)] if values else None


def _information(whole: CoClustering, rows: NDArray[Any], columns: NDArray[Any]) -> float:
    """Bits that clusters keep of the exact M*."""
    return information(whole.aggregated(rows, columns))


METHODS: dict[str, Callable[..., Found]] = {
    "exact": exact,
    "micro": micro,
    "micro500": lambda case: micro(case, 500),
    "chosen": as_chosen,
    "written": written,
    "spectral": spectral,
    "minibatch": mini_batch_k_means,
    "louvain": louvain,
    "paris": paris,
    "loss": loss,
}

warnings.filterwarnings("ignore")
