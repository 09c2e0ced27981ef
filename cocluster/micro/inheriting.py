from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from cocluster.arrays import Floats, Ints, Sparse
from cocluster.continuity import NEW, Marks, join_nearest
from cocluster.micro.documents import assigned, blocks_of, masses_of
from cocluster.micro.gathering import Factored
from cocluster.micro.tags import summed_columns
from cocluster.micro.tasks import Tasks


def inherited(whole: Factored, marks: Marks, tasks: Tasks) -> Factored:
    """(1−η) M* + η·Q as a product, Q the mean over the levels of block averages.  math.md (12)

    q(x,y) = r_x · F[a, y] with F[a, y] = N_ab c_y / (R_a C_b): the previous clusters of documents become features,
    the rows F of which stand below G, and a document has its mass in that of its own.
    Where no document was there before, a level has nothing to hold them together by and is left out.
    """
    levels = [(a, b) for a, b in zip(marks.rows.T, marks.columns.T, strict=True) if not (a == NEW).all()]
    if not levels:
        return whole
    share = marks.inertia / marks.rows.shape[1]
    features: list[Sparse] = []
    blocks: list[Floats] = []
    for before, tags in levels:
        a, masses = joined(whole, before, tasks)
        features.append(_spread(share * whole.row_sums, a, len(masses)))
        blocks.append(block_rows(whole, masses, join_nearest(masses.T, tags, whole.column_sizes)))
    columns_of = csr_array(hstack(features))
    return whole.extended(share * len(levels), columns_of, np.vstack(blocks))


def joined(whole: Factored, before: Ints, tasks: Tasks) -> tuple[Ints, Floats]:
    """Labels 0…k−1, where a new document joins the nearest cluster, and the masses of the clusters.  math.md (12)"""
    new = before == NEW
    labels = before.copy()
    labels[~new] = np.unique(before[~new], return_inverse=True)[1]
    if new.any():
        masses = masses_of(_part(whole, ~new), labels[~new])
        part = _part(whole, new)
        placed = tasks.place(blocks_of(part.rows, part.row_sizes))
        labels[new] = assigned(part, masses, placed, tasks, lambda _: None).labels
    return labels, masses_of(whole, labels)


def block_rows(whole: Factored, masses: Floats, b: Ints) -> Floats:
    """F[a, y] = N_ab c_y / (R_a C_b), clusters of documents × tags.  math.md (12)"""
    v, c = whole.column_sizes, whole.column_sums
    N = summed_columns(masses * v, b)
    rows, columns = N.sum(axis=1), np.bincount(b, c * v)
    shares: Floats = (N / np.outer(rows, columns))[:, b] * c
    return shares


def _part(whole: Factored, chosen: NDArray[np.bool_]) -> Factored:
    """Some of the documents."""
    return replace(whole, rows=csr_array(whole.rows[chosen]), row_sizes=whole.row_sizes[chosen])


def _spread(mass: Floats, labels: Ints, clusters: int) -> Sparse:
    """A row for each document with its mass in the column of its cluster."""
    rows = len(labels)
    return csr_array((mass, labels, np.arange(rows + 1)), shape=(rows, clusters))
