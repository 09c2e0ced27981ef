"""What the API answers: the shapes that clients rely on. Encoded as they stand, documented from here."""

from dataclasses import dataclass, field
from typing import Any, Literal

from service.understanding import Meant, Part

Side = Literal["tags", "documents"]


@dataclass(frozen=True)
class QueryAnswer:
    """The query as it was understood: `ignored` words are no tags, `suggestions` is what they may have meant."""

    text: str
    tags: list[str]
    understood: list[Part]
    ignored: list[str]
    suggestions: list[Meant]


@dataclass
class CloudTag:
    """One tag of a cloud: `weight` is scaled for display (the heaviest has 1), `score` is raw."""

    tag: str
    weight: float
    count: int
    score: float


@dataclass(frozen=True)
class CloudGroup:
    """Tags of one concept; `clusters` are the clusters it joins, `size` is how many tags they have in all."""

    id: int
    label: str
    weight: float
    size: int
    clusters: list[int]
    tags: list[CloudTag]


@dataclass(frozen=True)
class Other:
    """Candidates that `limit` left out: how many, their raw score, and their share of the score of all candidates."""

    size: int
    score: float
    share: float


@dataclass(frozen=True)
class Sense:
    """One sense of the tag asked about: neighbours that belong together, and their share of its relations."""

    label: str
    weight: float
    tags: list[str]


@dataclass(frozen=True)
class CloudAnswer:
    """A grouped tag cloud, heaviest group and tag first; broad tags stand apart; `senses` only if asked for."""

    corpus: str
    version: str
    query: QueryAnswer
    groups: list[CloudGroup]
    broad: list[CloudTag]
    other: Other
    senses: list[Sense] | None


@dataclass(frozen=True)
class Because:
    """A query tag and its share in a suggestion."""

    tag: str
    share: float


@dataclass
class RelatedTag:
    """A suggestion, with its cluster and the query tags that brought it."""

    tag: str
    score: float
    count: int
    cluster: int
    because: list[Because]


@dataclass(frozen=True)
class RelatedAnswer:
    """Suggestions, best first."""

    corpus: str
    version: str
    query: QueryAnswer
    related: list[RelatedTag]


@dataclass(frozen=True)
class ListedTag:
    """A tag with its count and its cluster."""

    tag: str
    count: int
    cluster: int


@dataclass(frozen=True)
class TagsAnswer:
    """One page of the tags that match, by falling count; `total` is how many match in all."""

    corpus: str
    version: str
    total: int
    offset: int
    tags: list[ListedTag]


@dataclass(frozen=True)
class Neighbour:
    """A related tag and its score."""

    tag: str
    score: float
    count: int
    cluster: int


@dataclass(frozen=True)
class TagAnswer:
    """All about one tag: `share` of the documents, `breadth` from 0 (specific) to 1 (everywhere)."""

    corpus: str
    version: str
    tag: str
    count: int
    share: float
    cluster: int
    label: str
    breadth: float
    broad: bool
    neighbours: list[Neighbour]


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
    k: int
    chosen: bool
    offset: int
    clusters: list[ClusterAnswer]


@dataclass(frozen=True)
class Member:
    """A tag of a cluster."""

    tag: str
    count: int
    breadth: float
    broad: bool


@dataclass(frozen=True)
class NearCluster:
    """Another cluster, by how soon the tree joins it with this one."""

    id: int
    label: str
    size: int


@dataclass(frozen=True)
class ClusterDetail:
    """One cluster of the chosen cut; `lineage` is what the snapshot says about its descent."""

    corpus: str
    version: str
    id: int
    label: str
    size: int
    tags: list[Member]
    near: list[NearCluster]
    lineage: dict[str, Any]


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
    cluster: int
    label: str
    confidence: float
    documents: int


@dataclass(frozen=True)
class ClassifyAnswer:
    """Where a document with these tags belongs: the most likely cluster of documents, and the next ones."""

    corpus: str
    version: str
    tags: list[str]
    cluster: DocumentPlace
    others: list[DocumentPlace]
    new_tags: list[NewTag]


@dataclass(frozen=True)
class PlacedDocument:
    """A pushed document and its cluster of documents; null for one without a known tag."""

    id: str
    cluster: int | None
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
    side: Side
    chosen: int | None
    k: list[int]
    entropy: list[float]
    information: list[float]
    criterion: list[float]
    height: list[float] | None


@dataclass(frozen=True)
class RunAnswer:
    """How a run is getting on, or how it ended. Times are seconds since the epoch."""

    job: str
    corpus: str
    state: str
    stage: str
    done: int
    total: int
    version: str
    error: str
    started: float
    updated: float


@dataclass(frozen=True)
class CorpusAnswer:
    """What is served of a corpus; `stale_seconds` since the store last confirmed that this is the current version."""

    name: str
    title: str
    version: str
    created: str
    age_seconds: float
    stale: bool
    stale_seconds: float
    documents: int
    tags: int
    clusters: int
    parameters: dict[str, Any]
    quality: dict[str, Any]
    suggestions: dict[str, Any]
    lineage: dict[str, Any]
    schedule: str | None
    next_run: float | None
    pushed: bool
    run: RunAnswer | None


@dataclass(frozen=True)
class CorporaAnswer:
    """All corpora; `stale` while the store is away and what is served may be out of date."""

    corpora: list[CorpusAnswer]
    stale: bool


@dataclass(frozen=True)
class SnapshotAnswer:
    """One kept version; `problem` says why this service could not read it."""

    version: str
    current: bool
    created: str | None
    documents: int | None
    tags: int | None
    clusters: int | None
    quality: dict[str, Any]
    suggestions: dict[str, Any]
    lineage: dict[str, Any]
    problem: str | None


@dataclass(frozen=True)
class SnapshotsAnswer:
    """One page of the kept versions, newest first; `served` is what this process answers from."""

    corpus: str
    current: str | None
    served: str | None
    total: int
    offset: int
    snapshots: list[SnapshotAnswer]


@dataclass(frozen=True)
class ActivatedAnswer:
    """The version that the corpus serves from now on."""

    corpus: str
    version: str


@dataclass(frozen=True)
class PushedAnswer:
    """Documents were accepted or removed; `documents` is how many the corpus holds now, for its next run."""

    corpus: str
    changed: int
    documents: int


@dataclass(frozen=True)
class AcceptedAnswer(PushedAnswer):
    """Documents were accepted, and where they belong as the served `version` has it (null while there is none).

    `placed` tells the clusters of the documents, `new_tags` those of the tags that are new with them.
    """

    version: str | None = None
    placed: list[PlacedDocument] = field(default_factory=list)
    new_tags: list[NewTag] = field(default_factory=list)


@dataclass(frozen=True)
class Readiness:
    """Whether questions can be answered, and from what; `stale` corpora with the seconds since last confirmed."""

    ready: bool
    store: bool
    corpora: dict[str, str]
    stale: dict[str, float]


@dataclass(frozen=True)
class Liveness:
    """The process answers."""

    alive: bool


@dataclass(frozen=True)
class LineFault:
    """What is wrong with one line of a body."""

    line: int
    error: str


@dataclass(frozen=True)
class Problem:
    """RFC 9457 problem details. `instance` is the id of the request, as in the logs."""

    type: str
    title: str
    status: int
    detail: str
    instance: str = ""
    suggestions: list[str] = field(default_factory=list)
    lines: list[LineFault] = field(default_factory=list)
