"""A topic that was not there before: does it get clusters of its own on the next run?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.cocluster.stability.samples import START, corpus
from bench.document_files import gather
from cocluster import Incidence, incidence
from snapshot import Snapshot
from worker.clustering.cluster import cluster
from worker.clustering.continuity.inheritance import PreviousVersion
from worker.clustering.stages import Stages
from worker.sources.document import Document
from worker.vocabulary.tag_corpus import TagCorpus

OWN: Final = 2 / 3
"""A tag is a topic's own if at least this share of its documents are the topic's."""


@dataclass(frozen=True)
class Arrival:
    """What became of the tags of one label, whose documents came all at once.

    Attributes:
        label: of the documents that were held out.
        documents: how many they are, and how many there are in all.
        own: tags of which two thirds of the documents or more are the label's.
        in_new: share of them in clusters with an id that the version before did not have.
        purity: share of the tags of those clusters that are the topic's own.
        clusters: how many such clusters hold them.
        together: share of them in clusters, of whatever id, of which at least half of the tags are the topic's own.
        moved: share of the tags known before, other than the topic's own, whose id changed.
    """

    label: str
    documents: tuple[int, int]
    own: int
    in_new: float
    purity: float
    clusters: int
    together: float
    moved: float


def arrivals(
    name: str, found: Sequence[Document], label: str, inertias: Sequence[float]
) -> Iterator[tuple[float, Arrival]]:
    """Cluster the documents without those of one label, then with them, with each inertia."""
    rest, tagged = gather(document for document in found if document.label != label), gather(found)
    silent = Stages(lambda *_: None)
    # The first run has nothing to inherit, so it is the same for every inertia.
    first = PreviousVersion(*cluster(corpus(name, inertias[0]), rest, START, silent, notes={}))
    own = own_tags(incidence(tagged.matrix, corpus(name, 0.0).min_count), tagged, label)
    for inertia in inertias:
        later = START + timedelta(days=1)
        snapshot, _ = cluster(corpus(name, inertia), tagged, later, silent, previous=first, notes={})
        counts = (len(found) - len(rest.ids), len(found))
        yield inertia, account(label, first.snapshot, snapshot, own, documents=counts)


def own_tags(kept: Incidence, tagged: TagCorpus, label: str) -> NDArray[np.bool_]:
    """Which of the kept tags are a label's own."""
    mine = np.array([tagged.labels[row] == label for row in kept.rows])
    share = np.asarray(kept.matrix[mine].sum(axis=0)) / np.asarray(kept.matrix.sum(axis=0))
    own: NDArray[np.bool_] = share.ravel() >= OWN
    return own


def account(
    label: str, before: Snapshot, after: Snapshot, own: NDArray[np.bool_], documents: tuple[int, int]
) -> Arrival:
    """The tags of an arrived topic, and the others."""
    known = {cluster.id for cluster in before.clusters}
    clusters = after.partition.item_ids
    unknown = np.array([cluster not in known for cluster in clusters.tolist()])
    fresh = set(clusters[own & unknown].tolist())
    held = np.isin(clusters, list(fresh))
    theirs = {cluster: np.mean(own[clusters == cluster]) for cluster in clusters[own].tolist()}
    was = dict(zip(before.keys, before.partition.item_ids.tolist(), strict=True))
    others = [
        was[key] != cluster
        for key, cluster, mine in zip(after.keys, clusters.tolist(), own.tolist(), strict=True)
        if key in was and not mine
    ]
    return Arrival(
        label=label,
        documents=documents,
        own=int(own.sum()),
        in_new=float(np.mean(unknown[own])) if own.any() else 0.0,
        purity=float(np.mean(own[held])) if held.any() else 0.0,
        clusters=len(fresh),
        together=float(np.mean([theirs[cluster] >= 0.5 for cluster in clusters[own].tolist()])),
        moved=float(np.mean(others)),
    )
