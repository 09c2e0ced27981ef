"""From two partitions to a snapshot: ids that last, labels, broad tags, and an account of it all."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cocluster import CoClustering, Incidence
from cocluster import Curve as CriterionCurve
from snapshot import Cluster, Curve, Snapshot, normalise
from worker.breadth import BROAD, breadth
from worker.labels import choose_label, cohesion, label_order
from worker.lineage import Lineage, first_lineage, trace


@dataclass(frozen=True, eq=False)
class Concepts:
    """The tag clusters with their ids and labels, and how broad each tag is."""

    tag_cluster: NDArray[np.int32]
    clusters: tuple[Cluster, ...]
    breadth: NDArray[np.float32]
    broad: NDArray[np.bool_]
    lineage: Lineage


@dataclass(frozen=True, eq=False)
class Partitions:
    """Where the two trees are cut: a label for each document and each tag, numbered by falling size."""

    documents: NDArray[np.int32]
    tags: NDArray[np.int32]


def concepts(
    names: tuple[str, ...],
    keys: tuple[str, ...],
    kept: Incidence,
    model: CoClustering,
    *,
    cut: Partitions,
    previous: Snapshot | None,
    overrides: Mapping[str, str],
) -> Concepts:
    """Clusters with the ids of those they continue, labelled by their most telling tags or by an editor."""
    lineage = first_lineage(int(cut.tags.max()) + 1) if previous is None else trace(previous, keys, cut.tags)
    wide = breadth(kept.matrix, cut.documents)
    broad = wide >= BROAD
    scores = label_order(tag_counts(kept), cohesion(model.column_transition_, cut.tags), broad)
    clusters = []
    for label, cluster in enumerate(lineage.ids):
        members = np.flatnonzero(cut.tags == label).tolist()
        clusters.append(Cluster(cluster, choose_label(members, names, scores), len(members)))
    ids = np.array(lineage.ids, dtype=np.int32)[cut.tags]
    ordered = tuple(sorted(clusters, key=lambda cluster: cluster.id))
    return Concepts(ids, _edited(ordered, keys, ids, overrides), wide, broad, lineage)


def _edited(
    clusters: tuple[Cluster, ...], keys: tuple[str, ...], ids: NDArray[np.int32], overrides: Mapping[str, str]
) -> tuple[Cluster, ...]:
    """An editor's label names the cluster that holds the tag it is given for."""
    place = {key: tag for tag, key in enumerate(keys)}
    given = {int(ids[place[normalise(tag)]]): label for tag, label in overrides.items() if normalise(tag) in place}
    return tuple(
        replace(cluster, label=(given[cluster.id],)) if cluster.id in given else cluster for cluster in clusters
    )


def by_size(labels: NDArray[Any]) -> NDArray[np.int32]:
    """Clusters numbered by falling size; of equals, the one with the earlier first member."""
    order = np.argsort(-np.bincount(labels), kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    numbered: NDArray[np.int32] = rank[labels]
    return numbered


def tag_counts(kept: Incidence) -> NDArray[np.int32]:
    """In how many documents each kept tag occurs."""
    return np.asarray(kept.matrix.sum(axis=0)).ravel().astype(np.int32)


def curve(found: CriterionCurve) -> Curve:
    """The library's curve as the snapshot stores it."""
    return Curve(
        k=found.k.astype(np.int32), entropy=found.entropy, information=found.information, criterion=found.criterion
    )
