"""What tells the cluster of any document, made from a fitted model, with confidences that are true."""

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster import CoClustering
from snapshot import Cluster, Placed, Placing, nearest, posteriors
from worker.building import Partitions
from worker.labels import choose_label

SAMPLE: Final = 4000
"""Documents by which the sharpness is fitted."""

SHARPNESS: Final = 2.0 ** np.arange(-3, 9, 0.25)

Matrix = csr_array[np.float64, tuple[int, int]]


def placing(model: CoClustering, matrix: Matrix, cut: Partitions) -> Placing:
    """The scores of the document clusters of a cut, and the shares of its tag clusters over them."""
    scores = model.scores(cut.documents)
    between = model.aggregated(cut.documents, cut.tags)
    shares = np.log2(between / between.sum(axis=0)).astype(np.float32)
    made = Placing(scores.table, scores.mass, shares, 1.0, ())
    return replace(made, sharpness=sharpness(matrix, made))


def described(made: Placing, order: NDArray[Any], matrix: Matrix, placed: Placed, names: tuple[str, ...]) -> Placing:
    """With the document clusters labelled, and the tag clusters in the order of their ids."""
    k = made.table.shape[1]
    documents = matrix.shape[0]
    member = csr_array((np.ones(documents), placed.clusters, np.arange(documents + 1)), shape=(documents, k))
    counts = np.asarray((matrix.T @ member).todense())
    sizes = np.bincount(placed.clusters, minlength=k)
    expected = np.outer(counts.sum(axis=1), sizes / documents)
    telling = counts * np.log2(np.divide(counts, expected, out=np.ones(counts.shape), where=counts > 0))
    clusters = tuple(
        Cluster(a, choose_label(np.flatnonzero(counts[:, a]).tolist(), names, telling[:, a]), int(sizes[a]))
        for a in range(k)
    )
    return replace(made, shares=np.ascontiguousarray(made.shares[:, order]), clusters=clusters)


def sharpness(matrix: Matrix, made: Placing) -> float:
    """τ of (14): at which a document known by half of its tags is found most surely where all of them put it.

    So a confidence of 0.8 means: of documents that are as sure as that, about 80 % stay where they are when as many
    tags again become known (docs/explanation/scale.md, "Confidence").
    """
    random = np.random.default_rng(0)
    lengths = np.diff(matrix.indptr)
    rows = np.flatnonzero(lengths >= 2)
    if len(rows) == 0:
        return 1.0
    if len(rows) > SAMPLE:
        rows = np.sort(random.choice(rows, SAMPLE, replace=False))
    some = matrix[rows]
    some.sort_indices()
    whole = nearest(some.indptr, some.indices, made).clusters
    starts, tags = _halves(some, random)
    best, found = -np.inf, 1.0
    for tau in SHARPNESS.tolist():
        likely = posteriors(starts, tags, replace(made, sharpness=tau))[np.arange(len(rows)), whole]
        fit = float(np.log(np.maximum(likely, 1e-12)).sum())
        if fit > best:
            best, found = fit, tau
    return found


def _halves(matrix: Matrix, random: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Half of the tags of each document, drawn at random and in rising order: starts and tags."""
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((random.random(len(row)), row))
    rank = np.empty(len(row), dtype=np.int64)
    rank[order] = np.arange(len(row)) - matrix.indptr[row]
    kept = rank < (np.diff(matrix.indptr)[row] + 1) // 2
    starts = np.concatenate([[0], np.cumsum(np.bincount(row[kept], minlength=matrix.shape[0]))])
    return starts.astype(np.int64), matrix.indices[kept].astype(np.int32)
