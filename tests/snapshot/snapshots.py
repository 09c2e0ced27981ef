"""A small snapshot, written out by hand, for tests of codec, store and service."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from snapshot import Cluster, Curve, DocumentClassifier, Documents, Picture, Related, Snapshot, encode, version_at

NAMES = ("payment", "cash", "credit card", "Rain", "snow", "version-control")


def curve(n):
    k = np.arange(1, n + 1, dtype=np.int32)
    return Curve(k=k, entropy=k / n, information=1.0 - 1.0 / k, criterion=k / n * (1.0 - 1.0 / k))


def small_snapshot(moment=datetime(2026, 11, 16, 12, tzinfo=UTC), **changes):
    snapshot = Snapshot(
        corpus="small",
        version=version_at(moment),
        created=moment,
        title="A small corpus",
        fingerprint="f" * 64,
        document_count=20,
        names=NAMES,
        keys=tuple(name.casefold() for name in NAMES),
        counts=np.array([9, 6, 5, 8, 7, 10], dtype=np.int32),
        breadth=np.array([0.2, 0.2, 0.1, 0.2, 0.2, 0.9], dtype=np.float32),
        broad=np.array([False, False, False, False, False, True]),
        tag_cluster=np.array([0, 0, 0, 1, 1, 2], dtype=np.int32),
        tag_linkage=np.array([[0, 1, 0.01, 2], [3, 4, 0.02, 2], [6, 2, 0.03, 3], [8, 5, 0.2, 4], [9, 7, 0.9, 6]]),
        clusters=(
            Cluster(0, ("payment", "cash"), 3),
            Cluster(1, ("Rain", "snow"), 2),
            Cluster(2, ("version-control",), 1),
        ),
        related=transitions(),
        tag_curve=curve(6),
        document_curve=curve(20),
        parameters={"min_count": 5},
        timings={"load": 0.1},
        quality={"tag_clusters": 3.0},
    )
    return replace(snapshot, **changes)


def small_picture():
    before = np.zeros((4, 6), dtype=np.uint8)
    before[:2, :3] = before[2:, 3:] = 255
    return Picture(before, np.maximum(before, 40))


def small_placing():
    """Three clusters of documents: about payment, about weather, and the rest; tags say so plainly."""
    table = np.log2(
        np.array([[8, 1, 1], [8, 1, 1], [8, 1, 1], [1, 8, 1], [1, 8, 1], [3, 3, 4]], dtype=np.float32) / np.float32(10)
    )
    shares = np.log2(np.array([[0.8, 0.1, 0.3], [0.1, 0.8, 0.3], [0.1, 0.1, 0.4]], dtype=np.float32))
    clusters = (Cluster(0, ("payment",), 9), Cluster(1, ("Rain", "snow"), 7), Cluster(2, ("version-control",), 4))
    return DocumentClassifier(table, np.ones(6, dtype=np.float32), shares, 1.5, clusters)


def transitions():
    """One weight for each pair, as snapshots had before a tag spoke differently alone and among others."""
    scores = np.array([0.3, 0.2, 0.1, 0.3, 0.1, 0.2, 0.5, 0.1, 0.5, 0.1, 0.1], dtype=np.float32)
    return Related(
        starts=np.array([0, 3, 5, 6, 8, 9, 11], dtype=np.int32),
        indices=np.array([1, 2, 5, 0, 2, 0, 4, 5, 3, 0, 3], dtype=np.int32),
        alone=scores,
        together=scores,
        evidence=np.zeros(11, dtype=np.float32),
        prior=np.zeros(6, dtype=np.float32),
        blend=1.0,
        trust=0.0,
        tilts=(-1.0, -0.5, 0.0),
        lone_tilts=(-1.0, -0.5, 0.0),
    )


def weights():
    """Weights as they were written before there was evidence beside them: some of them speak against a tag."""
    return replace(
        transitions(),
        together=np.array([0.4, 0.1, -0.2, 0.4, 0.2, 0.1, 0.6, -0.1, 0.6, -0.2, 0.05], dtype=np.float32),
        blend=0.5,
        tilts=(0.0, 0.1, 0.7),
        lone_tilts=(0.0, 0.1, 0.7),
    )


def evident():
    """Weights as they are written now."""
    return replace(
        weights(),
        evidence=np.array([2.0, 1.0, -1.0, 2.5, 0.5, 1.5, 3.0, -0.5, 3.0, -1.5, 0.5], dtype=np.float32),
        prior=np.array([-1.0, -1.5, -2.0, -1.0, -2.5, -3.0], dtype=np.float32),
        blend=0.0,
        trust=0.5,
        lone_tilts=(0.0, 0.2, 0.6),
    )


def evident_snapshot(**changes):
    """A small snapshot as it is written now."""
    return weighted_snapshot(related=evident(), **changes)


def weighted_snapshot(**changes):
    """A small snapshot without evidence."""
    record = {"form": "exact", "penalty": 4.0, "recall": 0.5, "mrr": 0.25, "tail_recall": 0.375, "cases": 16}
    return small_snapshot(**{"related": weights(), "suggestions": record, **changes})


def small_documents(**changes):
    linkage = np.array([[i if i == 0 else 19 + i, i + 1, 0.1 * i, i + 2] for i in range(19)], dtype=np.float64)
    return replace(Documents(tuple(f"d{i}" for i in range(20)), np.arange(20, dtype=np.int32) % 3, linkage), **changes)


def grouped_documents():
    """The same documents with a tree of four micro-clusters."""
    linkage = np.array([[0, 1, 0.1, 2], [2, 3, 0.2, 2], [4, 5, 0.3, 4]])
    return small_documents(linkage=linkage, leaves=np.arange(20, dtype=np.int32) % 4)


def small_encoded(moment=datetime(2026, 11, 16, 12, tzinfo=UTC), **changes):
    return encode(small_snapshot(moment, **changes), small_documents())
