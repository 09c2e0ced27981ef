"""Turns two dendrograms into concepts: cuts, lasting ids, labels, broad tags."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cocluster import CoClustering, Incidence
from cocluster.information import information
from snapshot import Lineage, Snapshot, normalise
from tagmodel import Cluster, Partition
from worker.breadth import BROAD, breadth
from worker.inheritance import PreviousVersion, steady_cut
from worker.labels import choose_label, cohesion, label_order
from worker.lineage import trace


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A fitted model and the cuts of its dendrograms; the id of a document cluster is its rank by size."""

    model: CoClustering
    documents: Partition
    tags: Partition

    def information_at(self, other: "FittedModel") -> float:
        """Information left after cutting the dendrograms into as many clusters as another result has."""
        rows = self.model.row_labels(len(other.documents.ids))
        columns = self.model.column_labels(len(other.tags.ids))
        return information(self.model.aggregated(rows, columns))


def cut_model(model: CoClustering, previous: PreviousVersion | None) -> FittedModel:
    """Cut both dendrograms; with `previous`, near its cuts."""
    rows = steady_cut(model.row_curve_, len(previous.snapshot.classifier.clusters) if previous else None)
    columns = steady_cut(model.column_curve_, len(previous.snapshot.clusters) if previous else None)
    documents = Partition.from_ids(model.row_labels(rows))
    tags = Partition.from_ids(model.column_labels(columns))
    return FittedModel(model, documents.renamed(documents.size_ranks()), tags)


@dataclass(frozen=True, eq=False)
class Concepts:
    """The tag clusters with their lasting ids and labels, and how broad each tag is."""

    partition: Partition
    clusters: tuple[Cluster, ...]
    breadth: NDArray[np.float32]
    broad: NDArray[np.bool_]


def with_lasting_ids(
    fitted: FittedModel, keys: tuple[str, ...], previous: Snapshot | None
) -> tuple[FittedModel, Lineage]:
    """The same cut with the ids of the clusters that it continues."""
    ids, lineage = trace(previous, keys, fitted.tags)
    return replace(fitted, tags=fitted.tags.renamed(ids)), lineage


def build_concepts(
    names: tuple[str, ...],
    keys: tuple[str, ...],
    incidence: Incidence,
    fitted: FittedModel,
    *,
    edited_labels: Mapping[str, str],
) -> Concepts:
    """Label the clusters by their most representative tags, or as an editor declared."""
    partition = fitted.tags
    breadths = breadth(incidence.matrix, fitted.documents.labels)
    broad = breadths >= BROAD
    scores = label_order(tag_counts(incidence), cohesion(fitted.model.column_transition_, partition.labels), broad)
    clusters = tuple(
        Cluster(cluster, choose_label(members, names, scores), len(members))
        for cluster, members in (
            (cluster, partition.members(position).tolist()) for position, cluster in enumerate(partition.ids)
        )
    )
    return Concepts(partition, _apply_edited_labels(clusters, keys, partition, edited_labels), breadths, broad)


def _apply_edited_labels(
    clusters: tuple[Cluster, ...], keys: tuple[str, ...], partition: Partition, edited_labels: Mapping[str, str]
) -> tuple[Cluster, ...]:
    """Replace labels by those of an editor, who declares a label for the cluster of a tag."""
    tag_of = {key: tag for tag, key in enumerate(keys)}
    labels = {
        int(partition.item_ids[tag_of[normalise(tag)]]): label
        for tag, label in edited_labels.items()
        if normalise(tag) in tag_of
    }
    return tuple(
        replace(cluster, label=(labels[cluster.id],)) if cluster.id in labels else cluster for cluster in clusters
    )


def tag_counts(incidence: Incidence) -> NDArray[np.int32]:
    """The number of documents of each tag of the matrix."""
    return np.asarray(incidence.matrix.sum(axis=0)).ravel().astype(np.int32)


def cluster_documents(concepts: NDArray[np.int64], partition: Partition) -> tuple[int, ...]:
    """The number of documents that belong to each cluster, by position."""
    return tuple(np.bincount(concepts, minlength=len(partition.ids)).tolist())
