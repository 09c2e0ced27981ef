"""Micro-clusters of tags: k-means over the micro-clusters of documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.engine import Merges
from cocluster.engine.weights import Cost
from cocluster.equations.arrays import Floats, Ints, Singles
from cocluster.equations.divergence import symmetric_divergence
from cocluster.equations.entropy import weight_in
from cocluster.equations.history import COLUMNS
from cocluster.equations.information import information_loss
from cocluster.micro.documents import BLOCK, ROUNDS, Report, renumber_by_first
from cocluster.tasks import Tasks

STRIPE: Final = 256
"""Rows of masses added up at a time."""

JOINS: Final = 2048
"""Tags whose masses are gathered at a time."""


@dataclass(frozen=True, eq=False)
class MicroTags:
    """Groups of tags so alike that they count as one, numbered by their first tags; `leaf` is that of each tag."""

    leaf: Ints
    sizes: Ints


def micro_tags(masses: Floats, column_sizes: Floats, count: int, tasks: Tasks, report: Report) -> MicroTags:
    """The same k-means for tags, compared over the micro-clusters of the documents.  math.md (13)

    Args:
        masses: micro-clusters × different tags.
        column_sizes: tags each column stands for.
        count: at most so many groups.
        tasks: where blocks of tags are processed.
        report: called with (blocks done, blocks in all).
    """
    tags = masses.shape[1]
    if tags <= count:
        return MicroTags(np.arange(tags), column_sizes.astype(np.int64))
    columns: Singles = np.ascontiguousarray(masses.T, dtype=np.float32)
    seeds = np.sort(np.random.default_rng(0).choice(tags, count, replace=False))
    sums = masses[:, seeds]
    blocks = tasks.place([columns[start : start + BLOCK] for start in range(0, tags, BLOCK)])
    labels = np.zeros(tags, dtype=np.int64)
    for step in range(ROUNDS):
        table: Singles = np.log2(sums / sums.sum(axis=0)).astype(np.float32)
        nearest: list[NDArray[np.intp]] = []
        for done, block in enumerate(tasks.each(nearest_columns, blocks, table), start=1):
            nearest.append(block)
            report(step * len(blocks) + done, ROUNDS * len(blocks))
        labels = np.unique(np.concatenate(nearest), return_inverse=True)[1]
        sums = summed_columns(weighted(masses, column_sizes), labels)
    leaf, _ = renumber_by_first(labels)
    return MicroTags(leaf, np.bincount(leaf, column_sizes).astype(np.int64))


def nearest_columns(columns: Singles, table: Singles) -> NDArray[np.intp]:
    """One task: the nearest group of each tag of a block (tags × documents, documents × groups)."""
    nearest: NDArray[np.intp] = np.argmax(columns @ table, axis=1)
    return nearest


def weighted(masses: Floats, column_sizes: Floats) -> Floats:
    """The masses of all tags a column stands for; the same array if each stands for one."""
    return masses if (column_sizes == 1.0).all() else masses * column_sizes


def summed_columns(N: Floats, labels: NDArray[Any]) -> Floats:
    """Columns added up by their labels, a stripe of rows at a time: the product copies what it is given."""
    columns = len(labels)
    member = csr_array((np.ones(columns), (labels, np.arange(columns))), shape=(int(labels.max()) + 1, columns))
    sums = np.empty((len(N), member.shape[0]))
    for start in range(0, len(N), STRIPE):
        stripe = slice(start, start + STRIPE)
        sums[stripe] = np.asarray(member @ np.ascontiguousarray(N[stripe].T)).T
    return sums


def merges_within_groups(masses: Floats, column_of: Ints, leaf: Ints, cost: Cost) -> Merges:
    """The merges that make the groups: each group's tags one by one, lowest ids first.

    So the tree has every tag as a leaf, and a merge's height is the information it lost (11), as everywhere.
    """
    tags = len(column_of)
    group = leaf[column_of]
    order = np.argsort(group, kind="stable")
    joins = order[1:][np.diff(group[order]) == 0]
    first = order[np.searchsorted(group[order], np.arange(int(leaf.max()) + 1))]
    total = float(np.sum(weighted(masses, np.bincount(column_of).astype(np.float64))))
    figures = np.zeros((len(joins), 3))
    together, size, current = np.empty(0), 0, -1
    for t, tag in enumerate(joins.tolist()):
        if t % JOINS == 0:  # side by side in memory: a column at a time would be read from a thousand places
            gathered = np.ascontiguousarray(masses[:, column_of[joins[t : t + JOINS]]].T)
        if group[tag] != current:
            current, size = int(group[tag]), 1
            together = masses[:, column_of[first[current]]].copy()
        own = gathered[t % JOINS]
        divergence = symmetric_divergence(together, own)
        weight = weight_in(cost, size / tags, 1 / tags, tags - t)
        figures[t] = divergence * weight, divergence, max(0.0, information_loss(together, own, total))
        together += own
        size += 1
    stays = first[group[joins]]
    side = np.full(len(joins), COLUMNS, dtype=np.int8)
    return Merges(side, stays.astype(np.int32), joins.astype(np.int32), *figures.T.copy())
