"""Turns two dendrograms into concepts: cuts, and lasting ids."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cocluster import CoClustering, Incidence
from cocluster.equations.information import information
from snapshot import Lineage, Snapshot
from tagmodel import Partition
from worker.clustering.continuity.inheritance import PreviousVersion, steady_cut
from worker.clustering.continuity.lineage import trace


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A fitted model and its clusters; the id of a document cluster is its rank by size.

    Attributes:
        model: with the dendrograms.
        documents: the cut of one of them.
        tags: the cut of the other, refined.
        moved: the tags that the refinement moved out of their branch.
    """

    model: CoClustering
    documents: Partition
    tags: Partition
    moved: NDArray[np.bool_]

    def information_at(self, other: "FittedModel") -> float:
        """Information left after cutting the dendrograms into as many clusters as another result has."""
        rows = self.model.row_labels(len(other.documents.ids))
        columns = self.model.column_labels(len(other.tags.ids))
        return information(self.model.aggregated(rows, columns))


def cut_model(
    model: CoClustering, previous: PreviousVersion | None, decided: Collection[int] = frozenset()
) -> FittedModel:
    """Cut both dendrograms, with `previous` near its cuts, and refine the tags.

    A concept of one tag joins another, unless it is one of those `decided`, about which editors said something.
    """
    rows = steady_cut(model.row_curve_, len(previous.snapshot.classifier.clusters) if previous else None)
    columns = steady_cut(model.column_curve_, len(previous.snapshot.clusters) if previous else None)
    documents = Partition.from_ids(model.row_labels(rows))
    refined = model.refined_columns(columns, sorted(decided))
    tags = Partition.from_ids(refined.labels)
    return FittedModel(model, documents.renamed(documents.size_ranks()), tags, refined.moved)


def with_lasting_ids(
    fitted: FittedModel, keys: tuple[str, ...], previous: Snapshot | None
) -> tuple[FittedModel, Lineage]:
    """The same cut with the ids of the clusters that it continues."""
    ids, lineage = trace(previous, keys, fitted.tags)
    return replace(fitted, tags=fitted.tags.renamed(ids)), lineage


def tag_counts(incidence: Incidence) -> NDArray[np.int32]:
    """The number of documents of each tag of the matrix."""
    return np.asarray(incidence.matrix.sum(axis=0)).ravel().astype(np.int32)


def documents_per_cluster(concepts: NDArray[np.int64], partition: Partition) -> tuple[int, ...]:
    """The number of documents that belong to each cluster, by position; those of no cluster have a larger number."""
    k = len(partition.ids)
    return tuple(np.bincount(concepts, minlength=k)[:k].tolist())
