"""Continuity between runs of a large corpus: inherits previous clusters without writing M* out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from cocluster.equations.arrays import Floats, Ints, Sparse
from cocluster.equations.continuity import NEW, PreviousLabels, join_nearest
from cocluster.fit.factored import FactoredMatrix
from cocluster.micro.documents import assign, blocks_of, masses_of
from cocluster.micro.tags import summed_columns
from cocluster.tasks import Tasks


def inherit_factored(smoothed: FactoredMatrix, previous: PreviousLabels, tasks: Tasks) -> FactoredMatrix:
    """(1−η) M* + η·Q as a product, Q the mean over the levels of block averages.  math.md (12)

    q(x,y) = r_x · F[a, y] with F[a, y] = N_ab c_y / (R_a C_b): the previous clusters of documents become features
    whose rows F are appended to G, and each document has its mass in the feature of its cluster.
    A level at which every document is new is left out.
    """
    levels = [(a, b) for a, b in zip(previous.rows.T, previous.columns.T, strict=True) if not (a == NEW).all()]
    if not levels:
        return smoothed
    share = previous.inertia / previous.rows.shape[1]
    features: list[Sparse] = []
    blocks: list[Floats] = []
    for before, tags in levels:
        a, masses = join_new_documents(smoothed, before, tasks)
        features.append(_mass_by_cluster(share * smoothed.row_sums, a, len(masses)))
        blocks.append(block_rows(smoothed, masses, join_nearest(masses.T, tags, smoothed.column_sizes)))
    columns_of = csr_array(hstack(features))
    return smoothed.extend(share * len(levels), columns_of, np.vstack(blocks))


def join_new_documents(smoothed: FactoredMatrix, before: Ints, tasks: Tasks) -> tuple[Ints, Floats]:
    """Labels 0…k−1, where a new document joins the nearest cluster, and the masses of the clusters.  math.md (12)"""
    new = before == NEW
    labels = before.copy()
    labels[~new] = np.unique(before[~new], return_inverse=True)[1]
    if new.any():
        masses = masses_of(_select_documents(smoothed, ~new), labels[~new])
        part = _select_documents(smoothed, new)
        blocks = tasks.place(blocks_of(part.rows, part.row_sizes))
        labels[new] = assign(part, masses, blocks, tasks, lambda _: None).labels
    return labels, masses_of(smoothed, labels)


def block_rows(smoothed: FactoredMatrix, masses: Floats, b: Ints) -> Floats:
    """F[a, y] = N_ab c_y / (R_a C_b), clusters of documents × tags.  math.md (12)"""
    v, c = smoothed.column_sizes, smoothed.column_sums
    N = summed_columns(masses * v, b)
    rows, columns = N.sum(axis=1), np.bincount(b, c * v)
    shares: Floats = (N / np.outer(rows, columns))[:, b] * c
    return shares


def _select_documents(smoothed: FactoredMatrix, chosen: NDArray[np.bool_]) -> FactoredMatrix:
    """M* of the chosen documents."""
    return replace(smoothed, rows=csr_array(smoothed.rows[chosen]), row_sizes=smoothed.row_sizes[chosen])


def _mass_by_cluster(mass: Floats, labels: Ints, clusters: int) -> Sparse:
    """A row for each document with its mass in the column of its cluster."""
    rows = len(labels)
    return csr_array((mass, labels, np.arange(rows + 1)), shape=(rows, clusters))
