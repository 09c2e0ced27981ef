"""Chooses the documents that micro-clusters start from."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from cocluster.equations.arrays import Floats, Sparse
from cocluster.fit.factored import FactoredMatrix
from cocluster.micro.kernel import nearest_rows
from cocluster.micro.scores import rows_in_chunks, score_table

DRAWN = 8
"""Documents drawn for each seed, among which seeds are chosen."""

STEPS = 10
"""Steps in which seeds are chosen, each by what is lost with the seeds before it."""


def seeds(smoothed: FactoredMatrix, count: int) -> Floats:
    """The masses of `count` different documents, each drawn with a chance that grows with its loss.  math.md (13)

    k-means++ with w · KL as its distance, many seeds at a time, on documents drawn uniformly with a fixed seed.
    """
    random = np.random.default_rng(0)
    documents = smoothed.rows.shape[0]
    drawn = np.sort(random.choice(documents, min(documents, DRAWN * count), replace=False))
    rows: Sparse = csr_array(smoothed.rows[drawn])
    alone = scores_alone(smoothed, rows)
    best = np.full(len(drawn), -np.inf)
    chosen = np.zeros(len(drawn), dtype=np.bool_)
    lost = smoothed.row_sizes[drawn]
    for goal in np.linspace(0, count, STEPS + 1).astype(np.int64)[1:]:
        size = min(goal - np.count_nonzero(chosen), np.count_nonzero(lost))
        if size == 0:
            continue
        new = np.sort(random.choice(len(drawn), size, replace=False, p=lost / lost.sum()))
        chosen[new] = True
        best = np.maximum(best, best_scores(smoothed, rows, csr_array(rows[new])))
        lost = np.where(chosen, 0.0, np.maximum(alone - best, 0.0) * smoothed.row_sizes[drawn])
    return smoothed.G.aggregate(csr_array(rows[chosen]))


def scores_alone(smoothed: FactoredMatrix, rows: Sparse) -> Floats:
    """What each row would score in a cluster of its own: Σ x log x."""
    scores = np.empty(rows.shape[0])
    for part, masses, logs in rows_in_chunks(smoothed, rows):
        scores[part] = np.sum(masses * logs * smoothed.column_sizes, axis=1)
    return scores


def best_scores(smoothed: FactoredMatrix, rows: Sparse, clusters: Sparse) -> Floats:
    """The score of each row in its nearest cluster; `clusters` are their masses over features."""
    H = score_table(smoothed, smoothed.G.aggregate(clusters))
    starts, features = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    return nearest_rows(starts, features, rows.data.astype(np.float32), H)[1]
