"""Builds the document classifier from a fitted model, with calibrated confidences."""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tagmodel import Assignments, Cluster, DocumentClassifier
from tagmodel.language.group_names import name
from worker.clustering.concepts import FittedModel

SAMPLE: Final = 4000
"""Number of documents for fitting the sharpness."""

SHARPNESS: Final = 2.0 ** np.arange(-3, 9, 0.25)

Matrix = csr_array[np.float64, tuple[int, int]]


def document_classifier(fitted: FittedModel, matrix: Matrix) -> DocumentClassifier:
    """The scores of the document clusters of a cut, and the shares of its tag clusters over them; no labels yet."""
    scores = fitted.model.cluster_scores(fitted.documents.labels)
    between = fitted.model.aggregated(fitted.documents.labels, fitted.tags.labels)
    shares = np.log2(between / between.sum(axis=0)).astype(np.float32)
    classifier = DocumentClassifier(scores.table, scores.mass, shares, 1.0, ())
    return replace(classifier, sharpness=fit_sharpness(matrix, classifier))


def with_labels(
    classifier: DocumentClassifier,
    matrix: Matrix,
    assigned: Assignments,
    names: tuple[str, ...],
    keys: tuple[str, ...],
) -> DocumentClassifier:
    """The classifier with its document clusters labelled by their most distinctive tags."""
    k = classifier.table.shape[1]
    documents = matrix.shape[0]
    membership = csr_array((np.ones(documents), assigned.clusters, np.arange(documents + 1)), shape=(documents, k))
    counts = np.asarray((matrix.T @ membership).todense())
    sizes = np.bincount(assigned.clusters, minlength=k)
    expected = np.outer(counts.sum(axis=1), sizes / documents)
    distinctiveness = counts * np.log2(np.divide(counts, expected, out=np.ones(counts.shape), where=counts > 0))

    def label(cluster: int) -> tuple[str, ...]:
        order = np.argsort(-distinctiveness[:, cluster], kind="stable")
        return tuple(names[tag] for tag in name(order[counts[order, cluster] > 0].tolist(), keys))

    return replace(classifier, clusters=tuple(Cluster(a, label(a), int(sizes[a])) for a in range(k)))


def fit_sharpness(matrix: Matrix, classifier: DocumentClassifier) -> float:
    """τ of (14): maximises the likelihood that half of a document's tags give the same cluster as all of them.

    So of the documents with a confidence of 0.8, about 80 % stay in their cluster when the number of known tags doubles
    (docs/research/scale.md has the measurement).
    """
    random = np.random.default_rng(0)
    lengths = np.diff(matrix.indptr)
    rows = np.flatnonzero(lengths >= 2)
    if len(rows) == 0:
        return 1.0
    if len(rows) > SAMPLE:
        rows = np.sort(random.choice(rows, SAMPLE, replace=False))
    sample = matrix[rows]
    sample.sort_indices()
    clusters = classifier.classify(sample.indptr, sample.indices).clusters
    starts, tags = _draw_halves(sample, random)
    best_fit, best_tau = -np.inf, 1.0
    for tau in SHARPNESS.tolist():
        likelihood = replace(classifier, sharpness=tau).probabilities(starts, tags)[np.arange(len(rows)), clusters]
        fit = float(np.log(np.maximum(likelihood, 1e-12)).sum())
        if fit > best_fit:
            best_fit, best_tau = fit, tau
    return best_tau


def _draw_halves(matrix: Matrix, random: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Half of the tags of each document, drawn at random and in rising order: starts and tags."""
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((random.random(len(row)), row))
    rank = np.empty(len(row), dtype=np.int64)
    rank[order] = np.arange(len(row)) - matrix.indptr[row]
    half = rank < (np.diff(matrix.indptr)[row] + 1) // 2
    starts = np.concatenate([[0], np.cumsum(np.bincount(row[half], minlength=matrix.shape[0]))])
    return starts.astype(np.int64), matrix.indices[half].astype(np.int32)
