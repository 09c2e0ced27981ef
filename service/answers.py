"""What the API answers: the shapes that clients rely on. Encoded as they stand, documented from here."""

from dataclasses import dataclass, field

from service.understanding import How


@dataclass(frozen=True)
class UnderstoodPart:
    """A piece of the query, the tag it was taken for, and how it was recognised."""

    text: str
    tag: str
    how: How


@dataclass(frozen=True)
class QueryAnswer:
    """The query as it was understood."""

    text: str
    tags: list[str]
    understood: list[UnderstoodPart]
    ignored: list[str]


@dataclass(frozen=True)
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
class CloudAnswer:
    """A grouped tag cloud, heaviest group and tag first; broad tags stand apart."""

    corpus: str
    version: str
    query: QueryAnswer
    groups: list[CloudGroup]
    broad: list[CloudTag]


@dataclass(frozen=True)
class Because:
    """A query tag and its share in a suggestion."""

    tag: str
    share: float


@dataclass(frozen=True)
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
class RunAnswer:
    """How the latest run of a corpus is getting on."""

    state: str
    stage: str
    done: int
    total: int
    error: str


@dataclass(frozen=True)
class CorpusAnswer:
    """What is served of a corpus."""

    name: str
    title: str
    version: str
    created: str
    age_seconds: float
    documents: int
    tags: int
    clusters: int
    parameters: dict[str, object]
    quality: dict[str, float]
    run: RunAnswer | None


@dataclass(frozen=True)
class CorporaAnswer:
    """All corpora; `stale` while the store is away and what is served may be out of date."""

    corpora: list[CorpusAnswer]
    stale: bool


@dataclass(frozen=True)
class Readiness:
    """Whether questions can be answered, and from what."""

    ready: bool
    store: bool
    corpora: dict[str, str]


@dataclass(frozen=True)
class Problem:
    """RFC 9457 problem details."""

    type: str
    title: str
    status: int
    detail: str
    suggestions: list[str] = field(default_factory=list)
