"""Micro-clusters of documents: k-means by divergence, block by block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.equations.arrays import Floats, Ints, Singles, Sparse
from cocluster.fit.factored import FactoredMatrix
from cocluster.micro.kernel import nearest_rows
from cocluster.micro.scores import score_table
from cocluster.micro.seeding import seeds
from cocluster.tasks import Blocks, Tasks

BLOCK = 8192
"""Rows of a task. Fixed, so that the order of sums does not depend on how many tasks run at a time."""

ROUNDS = 6
"""Of k-means."""

Report = Callable[[int, int], None]


class Block(NamedTuple):
    """A block of rows of D(d)A as plain arrays, and how many documents each stands for."""

    starts: NDArray[np.int64]
    features: NDArray[np.int32]
    values: Floats
    sizes: Floats


@dataclass(frozen=True, eq=False)
class Assignment:
    """The cluster of each row, the masses of the clusters over features, and how good the assignment is.

    `fit` is Σ w · (score of the row's cluster); it is minus the divergence lost, up to a constant, so it never falls
    from round to round.
    """

    labels: Ints
    Q: Sparse
    fit: float


@dataclass(frozen=True, eq=False)
class MicroClusters:
    """Groups of rows so alike that they count as one, numbered by their first rows.

    Attributes:
        labels: group of each row of M*.
        sizes: documents in each group.
        masses: of each group over the tags (over one of those a column stands for).
        fits: `Assignment.fit` of each round.
    """

    labels: Ints
    sizes: Ints
    masses: Floats
    fits: tuple[float, ...]


def micro_clusters(
    smoothed: FactoredMatrix, count: int, tasks: Tasks, report: Report, rounds: int = ROUNDS
) -> MicroClusters:
    """Information-theoretic k-means of the documents: each joins the group nearest in KL.  math.md (13)

    It starts from `count` single documents, which `cocluster.micro.seeding` chooses.
    """
    rows = smoothed.rows.shape[0]
    if rows <= count:
        labels = np.arange(rows)
        return MicroClusters(labels, smoothed.row_sizes.astype(np.int64), masses_of(smoothed, labels), ())
    masses = seeds(smoothed, count)
    blocks = tasks.place(blocks_of(smoothed.rows, smoothed.row_sizes))
    fits: list[float] = []
    labels = np.zeros(rows, dtype=np.int64)
    for step in range(rounds):
        assignment = assign(
            smoothed, masses, blocks, tasks, partial(_report_round, report, step * len(blocks), rounds * len(blocks))
        )
        labels, used = renumber_by_first(assignment.labels)
        masses = smoothed.G.aggregate(csr_array(assignment.Q[used]))
        fits.append(assignment.fit)
    sizes = np.bincount(labels, smoothed.row_sizes).astype(np.int64)
    return MicroClusters(labels, sizes, masses, tuple(fits))


def assign(
    smoothed: FactoredMatrix, masses: Floats, blocks: Blocks, tasks: Tasks, report: Callable[[int], None]
) -> Assignment:
    """Assign each document to the nearest of the clusters with these masses.

    A task needs only its block and the table H, and returns labels and sums, no row of M*.
    """
    H = score_table(smoothed, masses)
    labels: list[NDArray[np.int32]] = []
    Q = csr_array((len(masses), smoothed.rows.shape[1]))
    fit = 0.0
    for done, (block_labels, sums, total) in enumerate(tasks.each(assign_block, blocks, H), start=1):
        labels.append(block_labels)
        Q = csr_array(Q + sums)
        fit += total
        report(done)
    return Assignment(np.concatenate(labels).astype(np.int64), Q, fit)


def assign_block(block: Block, H: Singles) -> tuple[NDArray[np.int32], Sparse, float]:
    """One task: the nearest cluster of each row of a block, the sums of the clusters, and Σ w · score."""
    labels, best = nearest_rows(block.starts, block.features, block.values.astype(np.float32), H)
    return labels, sums_of(block, labels, (H.shape[1], H.shape[0])), float(best @ block.sizes)


def sums_of(block: Block, labels: NDArray[Any], shape: tuple[int, int]) -> Sparse:
    """The rows of a block added up by their labels, each as often as its size: clusters × features."""
    rows = len(labels)
    own = csr_array((block.values, block.features, block.starts), shape=(rows, shape[1]))
    member = csr_array((block.sizes, (labels, np.arange(rows))), shape=(shape[0], rows))
    sums: Sparse = csr_array(member @ own)
    sums.sort_indices()
    return sums


def masses_of(smoothed: FactoredMatrix, labels: Ints) -> Floats:
    """The masses over tags of groups of rows."""
    clusters = int(labels.max()) + 1
    Q = csr_array((clusters, smoothed.rows.shape[1]))
    start = 0
    for block in blocks_of(smoothed.rows, smoothed.row_sizes):
        end = start + len(block.sizes)
        Q = csr_array(Q + sums_of(block, labels[start:end], Q.shape))
        start = end
    return smoothed.G.aggregate(Q)


def blocks_of(rows: Sparse, sizes: Floats) -> list[Block]:
    """Rows and their sizes in blocks, as plain arrays."""
    blocks: list[Block] = []
    for start in range(0, rows.shape[0], BLOCK):
        end = min(start + BLOCK, rows.shape[0])
        first, last = rows.indptr[start], rows.indptr[end]
        blocks.append(
            Block(
                (rows.indptr[start : end + 1] - first).astype(np.int64),
                rows.indices[first:last].astype(np.int32),
                rows.data[first:last],
                sizes[start:end],
            )
        )
    return blocks


def renumber_by_first(labels: Ints) -> tuple[Ints, Ints]:
    """Labels renumbered in the order of their first rows, and the old number of each new one."""
    used, first, numbered = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[numbered], used[order]


def _report_round(report: Report, before: int, total: int, done: int) -> None:
    report(before + done, total)
