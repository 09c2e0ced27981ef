"""Relates clusters to those of the previous version: lasting ids, and the origin of each cluster."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from snapshot import ClusterLineage, Lineage, Snapshot
from snapshot.version.changes import TAKES_PART, kind_of
from tagmodel import Partition

KEEPS_ID: Final = 0.5
"""A cluster keeps the id of an earlier one if their common tags are this share of either of them."""


def trace(previous: Snapshot | None, keys: tuple[str, ...], tags: Partition) -> tuple[tuple[int, ...], Lineage]:
    """The lasting id of each cluster, by position, and the origin of the clusters.

    As many tags as possible keep their cluster id. Clusters that continue none get new ids, by falling size.
    """
    if previous is None:
        ids = tags.size_ranks()
        clusters = {cluster: ClusterLineage((), "new") for cluster in ids}
        return ids, Lineage(1.0, clusters, (), 0.0, len(ids), None, 0)
    old_of = dict(zip(previous.keys, previous.partition.labels.tolist(), strict=True))
    pairs = [(old_of[key], label) for key, label in zip(keys, tags.labels.tolist(), strict=True) if key in old_of]
    old_ids = previous.partition.ids
    overlap = np.zeros((len(old_ids), len(tags.ids)), dtype=np.int64)
    for old, new in pairs:
        overlap[old, new] += 1
    ids, next_id = _assign_ids(overlap, old_ids, tags.size_ranks(), previous.lineage.next_id)
    shares = overlap / np.maximum(overlap.sum(axis=1, keepdims=True), 1)
    heirs = (shares >= TAKES_PART).sum(axis=1)
    clusters = {}
    for new, cluster in enumerate(ids):
        parents = np.flatnonzero(shares[:, new] >= TAKES_PART).tolist()
        kind = kind_of(heirs[parents].tolist(), continues=cluster in old_ids)
        clusters[cluster] = ClusterLineage(tuple(old_ids[row] for row in parents), kind)
    moved = sum(old_ids[old] != ids[new] for old, new in pairs) / max(len(pairs), 1)
    gone = tuple(old for old in old_ids if old not in clusters)
    ari = round(adjusted_rand(overlap), 4)
    return ids, Lineage(ari, clusters, gone, round(moved, 4), next_id, previous.version, 0)


def adjusted_rand(overlap: NDArray[np.int64]) -> float:
    """Agreement of two partitions, from their contingency table: 1 the same, about 0 by chance."""
    table = overlap.astype(np.float64)
    together = _choose_2(table).sum()
    rows, columns = _choose_2(table.sum(axis=1)).sum(), _choose_2(table.sum(axis=0)).sum()
    pairs = _choose_2(table.sum())
    expected = rows * columns / pairs if pairs else 0.0
    largest = (rows + columns) / 2
    return 1.0 if largest == expected else float((together - expected) / (largest - expected))


def _choose_2(counts: Any) -> Any:
    return counts * (counts - 1) / 2


def _assign_ids(
    overlap: NDArray[np.int64], old_ids: tuple[int, ...], ranks: tuple[int, ...], next_id: int
) -> tuple[tuple[int, ...], int]:
    """Ids by optimal assignment; clusters without a good match get new numbers."""
    ids = [-1] * overlap.shape[1]
    by_size = np.argsort(ranks).tolist()
    old_positions, places = linear_sum_assignment(-overlap[:, by_size])
    for row, place in zip(old_positions.tolist(), places.tolist(), strict=True):
        new = by_size[place]
        shared = overlap[row, new]
        if shared and shared >= KEEPS_ID * min(overlap[row].sum(), overlap[:, new].sum()):
            ids[new] = old_ids[row]
    for new in by_size:
        if ids[new] < 0:
            ids[new], next_id = next_id, next_id + 1
    return tuple(ids), next_id
