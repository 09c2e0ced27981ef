from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

SCHEMA: Final = 1
"""Grows by one when an older reader could no longer make sense of what is written."""


def version_at(moment: datetime) -> str:
    """A version id that sorts by time, to the millisecond: 20261116T014812.345Z."""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y%m%dT%H%M%S}.{utc.microsecond // 1000:03d}Z"


@dataclass(frozen=True)
class Cluster:
    """One concept: a group of tags, with the few tags that tell it from the others."""

    id: int
    label: tuple[str, ...]
    size: int


@dataclass(frozen=True, eq=False)
class Related:
    """For each tag the tags it speaks for or against, best first: those of tag i are indices[starts[i]:starts[i + 1]].

    `alone` are its weights when it is the whole query, `together` those among others; in older snapshots `blend` mixes
    them. `evidence` are its weights in logits, which add to the `prior` of each tag; they count with the power of
    `trust`, which is 0 where a snapshot has none. `tilts` say how the tags' counts count at specificity 0, ½ and 1,
    `lone_tilts` the same for a query of one tag (snapshot/ranking.py).
    """

    starts: NDArray[np.int32]
    indices: NDArray[np.int32]
    alone: NDArray[np.float32]
    together: NDArray[np.float32]
    evidence: NDArray[np.float32]
    prior: NDArray[np.float32]
    blend: float
    trust: float
    tilts: tuple[float, float, float]
    lone_tilts: tuple[float, float, float]

    def span(self, tag: int) -> slice:
        """Where the weights of one tag are."""
        return slice(int(self.starts[tag]), int(self.starts[tag + 1]))


@dataclass(frozen=True, eq=False)
class Curve:
    """The criterion of where to cut, against the number of clusters k.  math.md (10)"""

    k: NDArray[np.int32]
    entropy: NDArray[np.float64]
    information: NDArray[np.float64]
    criterion: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Documents:
    """The document side: kept apart from the rest, because serving tags never needs it in memory."""

    ids: tuple[str, ...]
    clusters: NDArray[np.int32]
    linkage: NDArray[np.float64]
    leaves: NDArray[np.int32] | None = None
    """Leaf of each document in the tree, numbered by first documents; None where each has its own."""


@dataclass(frozen=True, eq=False)
class DocumentTree:
    """The tree of documents alone: a leaf is one document or a micro-cluster, named by the first of its documents."""

    linkage: NDArray[np.float64]
    names: tuple[str, ...]
    sizes: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Placing:
    """What tells the cluster of any document by its tags, and that of a new tag by its documents.  math.md (14)

    Attributes:
        table: what a tag adds to the score of each document cluster, tags × document clusters.
        mass: what it adds to the mass of the document.
        shares: log₂ of each tag cluster's shares over the document clusters, document clusters × tag clusters.
        sharpness: how much a difference of scores says; fitted so that confidences are true (scale.md).
        clusters: the document clusters, by id from 0; labelled by the tags that tell them apart.
    """

    table: NDArray[np.float32]
    mass: NDArray[np.float32]
    shares: NDArray[np.float32]
    sharpness: float
    clusters: tuple[Cluster, ...]


@dataclass(frozen=True, eq=False)
class Picture:
    """The matrix before and after smoothing, as small images: documents × tags in the order of the trees.

    Shades from 0 (empty) to 255; each is the density of a block of the matrix.
    """

    before: NDArray[np.uint8]
    after: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything one run found out about a corpus. Immutable; named by corpus and version.

    Arrays over tags are parallel: names[i] occurs in counts[i] documents and belongs to clusters[tag_cluster[i]]
    where clusters are ordered by id. `keys` are the normalised spellings, by which tags are looked up. `suggestions`
    says how the weights of related tags were chosen, and how well they found tags hidden from them.
    """

    corpus: str
    version: str
    created: datetime
    title: str
    fingerprint: str
    document_count: int
    names: tuple[str, ...]
    keys: tuple[str, ...]
    counts: NDArray[np.int32]
    breadth: NDArray[np.float32]
    broad: NDArray[np.bool_]
    tag_cluster: NDArray[np.int32]
    tag_linkage: NDArray[np.float64]
    clusters: tuple[Cluster, ...]
    related: Related
    tag_curve: Curve
    document_curve: Curve
    parameters: Mapping[str, Any] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    quality: Mapping[str, float] = field(default_factory=dict)
    suggestions: Mapping[str, Any] = field(default_factory=dict)
    lineage: Mapping[str, Any] = field(default_factory=dict)
    picture: Picture | None = None
    placing: Placing | None = None
