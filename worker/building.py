from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cocluster import CoClustering, Incidence, v_measure
from cocluster import Curve as CriterionCurve
from snapshot import Cluster, Curve, Documents, Related, Snapshot
from worker.breadth import BROAD, breadth
from worker.corpora import Corpus
from worker.corpus import TagCorpus
from worker.labels import choose_label, cohesion, label_order


@dataclass(frozen=True, eq=False)
class Concepts:
    """The tag clusters with their labels, and how broad each tag is."""

    tag_cluster: NDArray[np.int32]
    clusters: tuple[Cluster, ...]
    breadth: NDArray[np.float32]
    broad: NDArray[np.bool_]


def concepts(names: tuple[str, ...], kept: Incidence, model: CoClustering) -> Concepts:
    """Label the clusters of the automatic cut. Ids count from the largest cluster, 0."""
    counts = tag_counts(kept)
    tag_cluster = by_size(model.column_labels_)
    wide = breadth(kept.matrix, by_size(model.row_labels_))
    broad = wide >= BROAD
    scores = label_order(counts, cohesion(model.column_transition_, tag_cluster), broad)
    members = [np.flatnonzero(tag_cluster == cluster).tolist() for cluster in range(model.n_column_clusters_)]
    clusters = tuple(
        Cluster(id=cluster, label=choose_label(tags, names, scores), size=len(tags))
        for cluster, tags in enumerate(members)
    )
    return Concepts(tag_cluster, clusters, wide, broad)


def snapshot_of(
    corpus: Corpus,
    tagged: TagCorpus,
    kept: Incidence,
    model: CoClustering,
    *,
    meaning: Concepts,
    relations: Related,
    version: str,
    created: datetime,
    timings: Mapping[str, float],
    notes: Mapping[str, Any],
) -> tuple[Snapshot, Documents]:
    """Everything that is published of one run."""
    snapshot = Snapshot(
        corpus=corpus.name,
        version=version,
        created=created,
        title=corpus.title or corpus.name,
        fingerprint=tagged.fingerprint,
        document_count=len(kept.rows),
        names=tuple(tagged.names[column] for column in kept.columns),
        keys=tuple(tagged.keys[column] for column in kept.columns),
        counts=tag_counts(kept),
        breadth=meaning.breadth,
        broad=meaning.broad,
        tag_cluster=meaning.tag_cluster,
        tag_linkage=model.column_linkage_,
        clusters=meaning.clusters,
        related=relations,
        tag_curve=curve(model.column_curve_),
        document_curve=curve(model.row_curve_),
        parameters={**corpus.parameters(), **notes},
        timings=timings,
        quality=quality(model, [tagged.labels[row] for row in kept.rows]),
    )
    documents = Documents(
        ids=tuple(tagged.ids[row] for row in kept.rows),
        clusters=by_size(model.row_labels_),
        linkage=model.row_linkage_,
    )
    return snapshot, documents


def quality(model: CoClustering, labels: list[str | None]) -> dict[str, float]:
    """Figures by which an operator judges a run."""
    figures = {
        "information_bits": float(model.information_),
        "tag_clusters": float(model.n_column_clusters_),
        "document_clusters": float(model.n_row_clusters_),
        "largest_tag_cluster": float(np.bincount(model.column_labels_).max()),
    }
    if all(label is not None for label in labels):
        _, truth = np.unique(np.array(labels, dtype=str), return_inverse=True)
        figures["document_v_measure"] = float(v_measure(truth, model.row_labels_))
    return figures


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
