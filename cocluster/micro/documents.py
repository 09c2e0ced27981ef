"""Micro-clusters of documents: k-means by divergence, block by block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.arrays import Floats, Ints, Singles, Sparse
from cocluster.factored import FactoredMatrix
from cocluster.micro.kernel import nearest_rows
from cocluster.micro.scores import score_table
from cocluster.micro.seeding import seeds
from cocluster.tasks import Blocks, Tasks

BLOCK = 8192
"""Rows of a task. Fixed, so that sums are taken in the same order however many tasks run at a time."""

ROUNDS = 6
"""Of k-means."""

Report = Callable[[int, int], None]


class Block(NamedTuple):
    """Some rows of D(d)A as plain arrays, and how many documents each stands for."""

    starts: NDArray[np.int64]
    features: NDArray[np.int32]
    values: Floats
    sizes: Floats


@dataclass(frozen=True, eq=False)
class Assigned:
    """The cluster of each row, the masses of the clusters over features, and how good the assignment is.

    `fit` is Σ w · (score of the row's cluster); it differs from minus the divergence lost by what no assignment
    changes, so it never falls from round to round.
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
        fits: `Assigned.fit` of each round.
    """

    labels: Ints
    sizes: Ints
    masses: Floats
    fits: tuple[float, ...]


def micro_clusters(
    smoothed: FactoredMatrix, count: int, tasks: Tasks, report: Report, rounds: int = ROUNDS
) -> MicroClusters:
    """Information-theoretic k-means of the documents: each joins the group nearest in KL.  math.md (13)

    It begins with `count` single documents that leave little lost, `cocluster.micro.seeding`.
    """
    rows = smoothed.rows.shape[0]
    if rows <= count:
        every = np.arange(rows)
        return MicroClusters(every, smoothed.row_sizes.astype(np.int64), masses_of(smoothed, every), ())
    masses = seeds(smoothed, count)
    placed = tasks.place(blocks_of(smoothed.rows, smoothed.row_sizes))
    fits: list[float] = []
    labels = np.zeros(rows, dtype=np.int64)
    for step in range(rounds):
        found = assigned(
            smoothed, masses, placed, tasks, partial(_reported, report, step * len(placed), rounds * len(placed))
        )
        labels, kept = by_first(found.labels)
        masses = smoothed.G.aggregated(csr_array(found.Q[kept]))
        fits.append(found.fit)
    sizes = np.bincount(labels, smoothed.row_sizes).astype(np.int64)
    return MicroClusters(labels, sizes, masses, tuple(fits))


def assigned(
    smoothed: FactoredMatrix, masses: Floats, placed: Blocks, tasks: Tasks, report: Callable[[int], None]
) -> Assigned:
    """Each document to the nearest of the clusters that have these masses.

    The table H is all that a task needs beside its block, and it gives back labels and sums, no row of M*.
    """
    H = score_table(smoothed, masses)
    labels: list[NDArray[np.int32]] = []
    Q = csr_array((len(masses), smoothed.rows.shape[1]))
    fit = 0.0
    for done, (found, sums, total) in enumerate(tasks.each(assign_block, placed, H), start=1):
        labels.append(found)
        Q = csr_array(Q + sums)
        fit += total
        report(done)
    return Assigned(np.concatenate(labels).astype(np.int64), Q, fit)


def assign_block(block: Block, H: Singles) -> tuple[NDArray[np.int32], Sparse, float]:
    """One task: the nearest cluster of each row of a block, the sums of the clusters, and Σ w · score."""
    labels, best = nearest_rows(block.starts, block.features, block.values.astype(np.float32), H)
    return labels, sums_of(block, labels, (H.shape[1], H.shape[0])), float(best @ block.sizes)


def sums_of(block: Block, labels: NDArray[Any], shape: tuple[int, int]) -> Sparse:
    """The rows of a block added up by their labels, each as often as its size: clusters × features."""
    rows = len(labels)
    own = csr_array((block.values, block.features, block.starts), shape=(rows, shape[1]))
    member = csr_array((block.sizes, (labels, np.arange(rows))), shape=(shape[0], rows))
    found: Sparse = csr_array(member @ own)
    found.sort_indices()
    return found


def masses_of(smoothed: FactoredMatrix, labels: Ints) -> Floats:
    """The masses over tags of groups of rows."""
    clusters = int(labels.max()) + 1
    Q = csr_array((clusters, smoothed.rows.shape[1]))
    start = 0
    for block in blocks_of(smoothed.rows, smoothed.row_sizes):
        end = start + len(block.sizes)
        Q = csr_array(Q + sums_of(block, labels[start:end], Q.shape))
        start = end
    return smoothed.G.aggregated(Q)


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


def by_first(labels: Ints) -> tuple[Ints, Ints]:
    """Labels numbered in the order of their first rows, and the old number of each new one."""
    used, first, numbered = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[numbered], used[order]


def _reported(report: Report, before: int, total: int, done: int) -> None:
    report(before + done, total)
