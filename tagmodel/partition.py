"""Partitions of items into clusters: the one numbering of clusters, and how it relates to their lasting ids."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagmodel.dendrogram import Dendrogram


@dataclass(frozen=True)
class Cluster:
    """One cluster of tags or documents: its id, the few tags that name it, and how many items it has.

    `edited`: an editor gave the label.
    """

    id: int
    label: tuple[str, ...]
    size: int
    edited: bool = False

    @property
    def name(self) -> str:
        """The label as people read it."""
        return ", ".join(self.label)


@dataclass(frozen=True, eq=False)
class Partition:
    """Every item in one cluster.

    A cluster has a position and an id. **The position is its place in the order of the ids**: 0…k−1. `labels[i]` is the
    position of the cluster of item i, `ids[position]` is the id. Arrays over clusters are always in this order.

    A fresh cut has the ids 0…k−1, in the order of the clusters' smallest members (`Dendrogram.cut`). `renamed`
    assigns ids that last from run to run; new clusters get theirs by falling size (`size_ranks`).

    >>> partition = Partition.from_ids(np.array([7, 7, 3]))
    >>> partition.labels.tolist(), partition.ids
    ([1, 1, 0], (3, 7))
    >>> partition.members(1)
    array([0, 1])
    """

    labels: NDArray[Any]
    ids: tuple[int, ...]

    @classmethod
    def from_ids(cls, item_ids: NDArray[Any]) -> "Partition":
        """The partition in which item i belongs to the cluster with the id item_ids[i]."""
        ids, labels = np.unique(item_ids, return_inverse=True)
        return cls(labels.astype(np.int32), tuple(ids.tolist()))

    @cached_property
    def item_ids(self) -> NDArray[np.int32]:
        """The id of the cluster of each item."""
        ids: NDArray[np.int32] = np.asarray(self.ids, dtype=np.int32)[self.labels]
        return ids

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The items of each cluster, by position."""
        return np.bincount(self.labels, minlength=len(self.ids)).astype(np.int64)

    def members(self, position: int) -> NDArray[np.int64]:
        """The items of a cluster, in rising order."""
        return np.flatnonzero(self.labels == position).astype(np.int64)

    def renamed(self, ids: tuple[int, ...]) -> "Partition":
        """The same clusters under other ids: ids[position] is the new one."""
        order = np.argsort(ids, kind="stable")
        position = np.empty(len(order), dtype=np.int32)
        position[order] = np.arange(len(order), dtype=np.int32)
        return replace(self, labels=position[self.labels], ids=tuple(ids[place] for place in order.tolist()))

    def size_ranks(self) -> tuple[int, ...]:
        """The rank of each cluster by falling size; of equals, the one with the lower position comes first."""
        ranks = np.empty(len(self.ids), dtype=np.int64)
        ranks[np.argsort(-self.sizes, kind="stable")] = np.arange(len(self.ids))
        return tuple(ranks.tolist())


def cluster_order(tree: Dendrogram, partition: Partition) -> tuple[list[int], list[int]]:
    """Positions of the clusters in the order of the tree, and the merges between each and the next.

    A cluster is where most of its items are, so it need not be a branch. Two at one place keep the order of their ids,
    with no merge between them.
    """
    starts = np.flatnonzero(tree.gaps >= tree.leaves - len(partition.ids)) + 1
    branch = np.searchsorted(starts, tree.place, side="right")
    at = [
        int(np.bincount(branch[partition.labels == place]).argmax()) if (partition.labels == place).any() else 0
        for place in range(len(partition.ids))
    ]
    order = sorted(range(len(at)), key=lambda place: (at[place], place))
    merges = tree.gaps[starts - 1].tolist()
    gaps = [max(merges[at[one] : at[other]], default=-1) for one, other in pairwise(order)]
    return order, gaps
