"""What became of the clusters of the version before: stable ids, and an account of every change."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from snapshot import Snapshot

Kind = Literal["kept", "split", "merged", "new"]

KEEPS_ID: Final = 0.5
"""A cluster keeps the id of the one before it if they share this much of either of them."""

TAKES_PART: Final = 0.25
"""A cluster counts as descended from another if it took this share of that one's tags."""


@dataclass(frozen=True, eq=False)
class Lineage:
    """Ids of the new clusters, and how they came about.

    Attributes:
        ids: id of each new cluster, in the order the clusters were given.
        kinds: how each came about.
        parents: the old clusters each took a fair share of.
        gone: old clusters of which no id lives on.
        moved: share of the tags of both versions whose cluster id changed.
        ari: adjusted Rand index between the partitions of those tags.
        next_id: the first id never used yet.
    """

    ids: tuple[int, ...]
    kinds: tuple[Kind, ...]
    parents: tuple[tuple[int, ...], ...]
    gone: tuple[int, ...]
    moved: float
    ari: float
    next_id: int


def first_lineage(clusters: int) -> Lineage:
    """Of a corpus without a version before: ids count from 0."""
    kinds: list[Kind] = ["new"] * clusters
    return Lineage(tuple(range(clusters)), tuple(kinds), ((),) * clusters, (), 0.0, 1.0, clusters)


def trace(previous: Snapshot, keys: tuple[str, ...], labels: NDArray[np.int32]) -> Lineage:
    """Match new clusters (labels 0…k−1) with old ones so that as many tags as possible keep their id."""
    old_of = dict(zip(previous.keys, previous.tag_cluster.tolist(), strict=True))
    pairs = [(old_of[key], label) for key, label in zip(keys, labels.tolist(), strict=True) if key in old_of]
    old_ids = sorted({cluster.id for cluster in previous.clusters})
    place = {old: row for row, old in enumerate(old_ids)}
    k = int(labels.max()) + 1
    overlap = np.zeros((len(old_ids), k), dtype=np.int64)
    for old, new in pairs:
        overlap[place[old], new] += 1
    ids, next_id = _ids(overlap, old_ids, int(previous.lineage.get("next_id", max(old_ids) + 1)))
    shares = overlap / np.maximum(overlap.sum(axis=1, keepdims=True), 1)
    parents = tuple(tuple(old_ids[row] for row in np.flatnonzero(shares[:, new] >= TAKES_PART)) for new in range(k))
    heirs = (shares >= TAKES_PART).sum(axis=1)
    kinds = tuple(_kind(ids[new], parents[new], heirs, place) for new in range(k))
    moved = sum(old != ids[new] for old, new in pairs) / max(len(pairs), 1)
    gone = tuple(old for old in old_ids if old not in set(ids))
    return Lineage(ids, kinds, parents, gone, moved, adjusted_rand(overlap), next_id)


def record(lineage: Lineage, **more: Any) -> Mapping[str, Any]:
    """The lineage as the snapshot stores it."""
    return {
        "clusters": {
            str(cluster): {"kind": kind, "from": list(parents)}
            for cluster, kind, parents in zip(lineage.ids, lineage.kinds, lineage.parents, strict=True)
        },
        "gone": list(lineage.gone),
        "moved": round(lineage.moved, 4),
        "ari": round(lineage.ari, 4),
        "next_id": lineage.next_id,
        **more,
    }


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


def _ids(overlap: NDArray[np.int64], old_ids: list[int], next_id: int) -> tuple[tuple[int, ...], int]:
    """Ids by optimal assignment; what matches nothing well enough gets a number never used before."""
    ids = [-1] * overlap.shape[1]
    matched, matches = linear_sum_assignment(-overlap)
    for row, new in zip(matched.tolist(), matches.tolist(), strict=True):
        shared = overlap[row, new]
        if shared and shared >= KEEPS_ID * min(overlap[row].sum(), overlap[:, new].sum()):
            ids[new] = old_ids[row]
    for new in range(len(ids)):
        if ids[new] < 0:
            ids[new], next_id = next_id, next_id + 1
    return tuple(ids), next_id


def _kind(cluster: int, parents: tuple[int, ...], heirs: NDArray[np.intp], place: Mapping[int, int]) -> Kind:
    if len(parents) > 1:
        return "merged"
    if parents and heirs[place[parents[0]]] > 1:
        return "split"
    return "kept" if cluster in place else "new"
