"""Answers about clusters, trees and documents."""

from dataclasses import dataclass, field
from typing import Any, Literal

from service.answers.documents import DocumentEntry

Side = Literal["tags", "documents"]


@dataclass(frozen=True)
class ClusterAnswer:
    """One cluster, its tags by falling count."""

    id: int
    label: str
    size: int
    tags: list[str]


@dataclass(frozen=True)
class ClustersAnswer:
    """A partition of all tags. `chosen` if it is the cut of the snapshot, whose ids last from version to version."""

    corpus: str
    version: str
    revision: int
    k: int
    chosen: bool
    offset: int
    clusters: list[ClusterAnswer]


@dataclass(frozen=True)
class Member:
    """A tag of a cluster; `moved_by_refinement` if the tree has it elsewhere, but this cluster explains it better."""

    tag: str
    count: int
    breadth: float
    broad: bool
    moved_by_refinement: bool


@dataclass(frozen=True)
class NearCluster:
    """Another cluster, by how soon the tree joins it with this one."""

    id: int
    label: str
    size: int


@dataclass(frozen=True)
class ClusterDetail:
    """One cluster of the chosen cut; `lineage` is what the snapshot says about its descent.

    `documents` belong to it, because it has the largest share of them after smoothing; they are this `share` of all.
    """

    corpus: str
    version: str
    revision: int
    id: int
    label: str
    size: int
    documents: int | None
    share: float | None
    tags: list[Member]
    near: list[NearCluster]
    lineage: dict[str, Any]
    representatives: list[DocumentEntry]


@dataclass(frozen=True)
class DocumentPlace:
    """A cluster of documents, labelled by the tags that tell it apart; `size` counts its documents.

    `confidence` is how likely it is; those of all clusters sum to 1.
    """

    id: int
    label: str
    size: int
    confidence: float


@dataclass(frozen=True)
class NewTag:
    """A tag that the snapshot does not know, the cluster of tags nearest to its documents, and how likely that is."""

    tag: str
    cluster: int | None
    label: str
    confidence: float
    documents: int


@dataclass(frozen=True)
class ClassifyAnswer:
    """Where a document with these tags belongs: the most likely cluster of documents, and the next ones."""

    corpus: str
    version: str
    revision: int
    tags: list[str]
    document_cluster: DocumentPlace
    others: list[DocumentPlace]
    new_tags: list[NewTag]


@dataclass(frozen=True)
class PlacedDocument:
    """A pushed document and its cluster of documents; null for one without a known tag."""

    id: str
    document_cluster: int | None
    confidence: float


@dataclass(frozen=True)
class TreeNode:
    """A node of a dendrogram: `id` and `label` at its leaves, `children` above them; `size` counts items below."""

    height: float
    size: int
    id: int | None = None
    label: str | None = None
    children: list["TreeNode"] = field(default_factory=list)


@dataclass(frozen=True)
class TreeAnswer:
    """The tree, nested. Heights are bits of information lost and never fall towards the root."""

    corpus: str
    version: str
    revision: int
    side: Side
    k: int
    unit: str
    tree: TreeNode


@dataclass(frozen=True)
class Leaf:
    """A leaf of a cut tree: one item, or the branch below the cut."""

    id: int
    label: str
    size: int
    height: float


@dataclass(frozen=True)
class LinkageAnswer:
    """The tree as scipy's linkage: rows [a, b, height, leaves below], nodes counted leaves first."""

    corpus: str
    version: str
    revision: int
    side: Side
    k: int
    unit: str
    leaves: list[Leaf]
    linkage: list[tuple[float, float, float, float]]


@dataclass(frozen=True)
class CurveAnswer:
    """The criterion by number of clusters k, arrays in parallel; `height` (of tags only) is what a cut into k loses."""

    corpus: str
    version: str
    revision: int
    side: Side
    chosen: int | None
    k: list[int]
    entropy: list[float]
    information: list[float]
    criterion: list[float]
    height: list[float] | None
