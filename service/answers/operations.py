"""Answers about corpora, versions, runs and pushed documents, and errors."""

from dataclasses import dataclass, field
from typing import Any

from service.answers.clusters import NewTag, PlacedDocument
from service.answers.edits import EditConflict
from service.errors import Reason


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
    report: dict[str, Any] | None = None


@dataclass(frozen=True)
class CorpusAnswer:
    """What is served of a corpus; `stale_seconds` since the store last confirmed that this is the current version.

    `rare_tags` are those of its `tags` that too few documents have for the tree. `warning` says that its concepts mean
    little, and what to try.
    """

    name: str
    title: str
    version: str
    revision: int
    created: str
    age_seconds: float
    stale: bool
    stale_seconds: float
    documents: int
    tags: int
    rare_tags: int
    clusters: int
    parameters: dict[str, Any]
    quality: dict[str, Any]
    warning: str | None
    suggestions: dict[str, Any]
    lineage: dict[str, Any]
    schedule: str | None
    next_run: float | None
    paused: bool
    pinned: str | None
    pushed: bool
    run: RunAnswer | None


@dataclass(frozen=True)
class CorporaAnswer:
    """All corpora; `stale` while the store is away and what is served may be out of date."""

    corpora: list[CorpusAnswer]
    stale: bool


@dataclass(frozen=True)
class SnapshotAnswer:
    """One stored version; `problem` says why this service cannot read it, `warning` that its concepts mean little."""

    version: str
    current: bool
    created: str | None
    documents: int | None
    tags: int | None
    rare_tags: int | None
    clusters: int | None
    quality: dict[str, Any]
    warning: str | None
    suggestions: dict[str, Any]
    lineage: dict[str, Any]
    problem: str | None


@dataclass(frozen=True)
class SnapshotsAnswer:
    """One page of the stored versions, newest first; `served` is what this process answers from."""

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
    revision: int | None = None
    placed: list[PlacedDocument] = field(default_factory=list)
    new_tags: list[NewTag] = field(default_factory=list)


@dataclass(frozen=True)
class Readiness:
    """Whether questions can be answered, and from what; `stale` corpora with the seconds since last confirmed.

    `missing` are the known corpora that have no snapshot, and why.
    """

    ready: bool
    store: bool
    corpora: dict[str, str]
    stale: dict[str, float]
    missing: dict[str, Reason]


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
    """RFC 9457 problem details. `instance` is the id of the request, as in the logs.

    `reason` says why a corpus has no snapshot to answer from, `oldest` is the oldest version that is still known,
    `conflicts` are edits that contradict each other, and `revision` is the one that the edits have.
    """

    type: str
    title: str
    status: int
    detail: str
    instance: str = ""
    suggestions: list[str] = field(default_factory=list)
    lines: list[LineFault] = field(default_factory=list)
    reason: Reason | None = None
    oldest: str | None = None
    revision: int | None = None
    conflicts: list[EditConflict] = field(default_factory=list)
