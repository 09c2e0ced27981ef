"""Compiles all kernels ahead of time."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from cocluster import engine
from cocluster.estimator.model import CoClustering
from cocluster.evaluation.checkerboard import checkerboard
from cocluster.suggestions import hidden_ranks, logistic, suggestion_lists, training_documents


def warm() -> None:
    """Compile every kernel of the package, or load it from numba's cache, by running small inputs.

    Safe in several processes at once: numba writes each file of its cache under another name and then renames it.
    """
    warm_clustering()
    warm_suggestions()


def warm_clustering() -> None:
    """Compile the kernels of engine and micro-clusters."""
    engine.warm()
    M, _, _ = checkerboard(60, 40, 3, alpha=0.5, beta=0.5, seed=0)
    CoClustering(verbose=False).fit(M)
    CoClustering(max_exact=10, micro_clusters=5, verbose=False).fit(M)


def warm_suggestions() -> None:
    """Compile the kernels of the suggestions."""
    M, _, _ = checkerboard(60, 40, 3, alpha=0.5, beta=0.5, seed=0)
    suggestion_lists(M, penalty=1.0, form="exact")
    lists = suggestion_lists(M, penalty=1.0, form="local")
    documents = csr_array(M)
    hidden_ranks(
        lists,
        logistic(training_documents(M), lists, penalty=1.0),
        documents.indptr.astype(np.int64),
        documents.indices.astype(np.int32),
        np.ones(documents.nnz, np.bool_),
        logistic_weights=np.ones(1),
        factors=np.ones((2, M.shape[1], 1)),
        first=10,
    )
