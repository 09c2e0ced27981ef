"""Defines what a snapshot holds, as dataclasses."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from snapshot.version.aliases import Alias
from snapshot.version.documents.document_table import DocumentTable
from snapshot.version.documents.series import Series
from snapshot.version.proposals import Proposal
from snapshot.version.tail import TailTags
from tagmodel import Cluster, CriterionCurve, Dendrogram, DocumentClassifier, Partition, RelatedTags

SCHEMA: Final = 4
"""Grows by one when the stored layout changes. `upgrades` has a step for each older schema, so readers accept all."""

Descent = Literal["kept", "split", "merged", "new"]


def version_at(moment: datetime) -> str:
    """A version id that sorts by time, to the millisecond: 20261116T014812.345Z."""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y%m%dT%H%M%S}.{utc.microsecond // 1000:03d}Z"


def version_after(moment: datetime, versions: Iterable[str]) -> str:
    """The version id of a moment, or the next one after the newest of these: clocks may have been wrong before.

    Names that are no version ids do not count.
    """
    newest = max((known for version in versions if (known := _moment_of(version))), default=None)
    return version_at(moment if newest is None else max(moment, newest + timedelta(milliseconds=1)))


def is_version(name: str) -> bool:
    """Whether this is the id of a version."""
    return _moment_of(name) is not None


def _moment_of(version: str) -> datetime | None:
    try:
        return datetime.strptime(version, "%Y%m%dT%H%M%S.%fZ").replace(tzinfo=UTC)
    except ValueError:
        return None


@dataclass(frozen=True)
class ClusterLineage:
    """The origin of one cluster, and the earlier clusters of which it took a large share of the tags."""

    parents: Annotated[tuple[int, ...], Field(alias="from")]
    kind: Descent


@dataclass(frozen=True)
class Lineage:
    """How the clusters continue those of the previous version.

    Attributes:
        ari: adjusted Rand index between the partitions of the tags that both versions have.
        clusters: the origin of each cluster, by id.
        gone: ids of earlier clusters that no cluster continues.
        moved: share of those tags whose cluster id changed.
        next_id: the first id never used yet.
        previous: the previous version; None for the first.
        runs_since_fresh: how many runs in a row inherited.
    """

    ari: float
    clusters: Mapping[int, ClusterLineage]
    gone: tuple[int, ...]
    moved: float
    next_id: int
    previous: str | None
    runs_since_fresh: int


@dataclass(frozen=True)
class MapRegion:
    """The disc of a concept on the map, whose sides are 1 long."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True, eq=False, kw_only=True)
class SnapshotMeta:
    """The part of a snapshot that is JSON and cheap to read.

    Attributes:
        clusters: the clusters of tags, in the order of their ids.
        cluster_documents: how many documents belong to each cluster, in the same order: those of whose M* it has the
            largest share; empty after a cut by hand.
        parameters: what determined the result, together with the documents.
        timings: seconds by stage.
        quality: figures by which an operator judges a run.
        suggestions: how related tags were learnt, and how well they predict hidden tags.
        document_count: the documents with a tag of the tree: the rows of the matrix.
        tag_count: the tags of the tree: the columns of the matrix.
        tail_document_count: the other documents, which only the table of documents has.
        tail_tag_count: the other tags.
        regions: where each cluster lies on the map, in the order of the clusters; empty without documents.
        hues: the colour of each cluster in the same order, in degrees of the OKLCH circle.
    """

    corpus: str
    version: str
    created: datetime
    title: str
    fingerprint: str
    document_count: int
    tag_count: int
    clusters: tuple[Cluster, ...]
    parameters: Mapping[str, Any]
    timings: Mapping[str, float]
    quality: Mapping[str, float]
    suggestions: Mapping[str, Any]
    lineage: Lineage
    cluster_documents: tuple[int, ...] = ()
    tail_document_count: int = 0
    tail_tag_count: int = 0
    regions: tuple[MapRegion, ...] = ()
    hues: tuple[int, ...] = ()

    @property
    def all_documents(self) -> int:
        """Documents with a tag of the tree, and the others."""
        return self.document_count + self.tail_document_count

    @property
    def all_tags(self) -> int:
        """Tags of the tree and rare ones."""
        return self.tag_count + self.tail_tag_count


@dataclass(frozen=True, eq=False)
class Picture:
    """The matrix before and after smoothing, as small images: documents × tags in the order of the dendrograms.

    Shades from 0 (empty) to 255; each is the density of a block of the matrix.
    """

    before: NDArray[np.uint8]
    after: NDArray[np.uint8]


@dataclass(frozen=True, eq=False, kw_only=True)
class Snapshot(SnapshotMeta):
    """Everything one run computed about a corpus. Immutable; identified by corpus and version.

    Arrays over tags are parallel: names[i] occurs in counts[i] documents, and its cluster is clusters[position] with
    position = partition.labels[i]. `keys` are the normalised spellings, by which tags are looked up. `aliases` are
    other names of the tags, in the order of their keys. `proposals` are what editors may decide about, kind by kind.
    These are the head tags, which are in the tree. `tail` has all others, numbered after them. `series` counts the
    documents by their dates. `moved_by_refinement` marks the tags that are not in the cluster of their branch of the
    tree; empty in older versions.
    """

    names: tuple[str, ...]
    keys: tuple[str, ...]
    counts: NDArray[np.int32]
    breadth: NDArray[np.float32]
    broad: NDArray[np.bool_]
    partition: Partition
    tree: Dendrogram
    related: RelatedTags
    tag_curve: CriterionCurve
    document_curve: CriterionCurve
    picture: Picture
    classifier: DocumentClassifier
    aliases: tuple[Alias, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    tail: TailTags = field(default_factory=TailTags)
    moved_by_refinement: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    series: Series = field(default_factory=Series)


@dataclass(frozen=True, eq=False)
class Documents:
    """The documents of a snapshot, stored apart because serving tags never needs them in memory.

    `clusters` are ids of document clusters, `leaves` the leaf of each document in the dendrogram: its own, or that of
    its micro-cluster. Leaves are numbered by their first documents. `table` is what a run publishes for services to
    map; None if the corpus leaves it out, and in what is read back.
    """

    ids: tuple[str, ...]
    clusters: NDArray[np.int32]
    leaves: NDArray[np.int32]
    tree: Dendrogram
    table: DocumentTable | None = None

    @property
    def leaf_names(self) -> tuple[str, ...]:
        """The first document of each leaf."""
        first = np.unique(self.leaves, return_index=True)[1]
        return tuple(self.ids[place] for place in first.tolist())


@dataclass(frozen=True, eq=False)
class DocumentTree:
    """The dendrogram of documents alone; a leaf is named by the first of its documents."""

    tree: Dendrogram
    leaf_names: tuple[str, ...]
