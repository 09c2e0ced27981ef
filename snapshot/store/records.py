"""Defines the small records in the store: registered corpora, requests, turns, statuses, announcements, heartbeats.

Readers ignore unknown fields, which a newer writer may add. They log and count an invalid record, and treat it as
missing.
"""

import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, TypeVar, cast

import orjson
import structlog
from pydantic import TypeAdapter, ValidationError

State = Literal["queued", "running", "done", "unchanged", "held", "failed", "cancelled"]

ENDED: Final = frozenset({"done", "unchanged", "held", "failed", "cancelled"})
"""`held`: computed and stored, but not served because it differs too much (max_drift, max_loss, max_recall_drop)."""

STAGES: Final = (
    *("load", "matrix", "smooth", "agglomerate", "cut", "place"),
    *("relate", "label", "propose", "index", "publish"),
)
"""The stages of a run, in order."""

OPTIONAL_STAGES: Final = {"group": "smooth"}
"""Stages that only runs of large corpora have, each with the stage before it."""

ADAPTERS: Final[dict[type[Any], TypeAdapter[Any]]] = {}
R = TypeVar("R")
log = structlog.get_logger()


@dataclass(frozen=True)
class RegisteredCorpus:
    """A declared corpus, for readers who do not have the corpora file; `next_run` in seconds since the epoch."""

    name: str
    title: str
    schedule: str
    next_run: float
    pushed: bool = False
    base_url: str | None = None
    """What relative URLs of pushed documents are joined to."""


@dataclass(frozen=True)
class RunRequest:
    """A request to cluster a corpus now.

    With `fresh` the run also tries a start without inheritance. It publishes that result only if it keeps more
    information than the inheriting one, by the corpus's `fresh_margin`.
    """

    job: str
    corpus: str
    fresh: bool = False


@dataclass(frozen=True)
class Turn:
    """The last turn of a corpus: its time, the digest of the declaration, retries, and its draw of the jitter (0…1).

    `files` is the state of the files that the corpus watches; empty if it watches none.
    """

    at: float
    digest: str
    attempts: int = 0
    draw: float = 0.0
    files: str = ""


@dataclass(frozen=True)
class RunStatus:
    """The progress of a run, or how it ended. Times are seconds since the epoch."""

    job: str
    state: State
    started: float
    updated: float
    corpus: str = ""
    stage: str = ""
    done: int = 0
    total: int = 0
    version: str = ""
    error: str = ""
    transient: bool = False
    """The error may go away by itself, so the scheduler retries the run."""

    fresh: bool = False
    """Whether the run was requested to try a start without inheritance, too."""

    report: dict[str, Any] | None = None
    """What the edits would change that the run tried."""

    def at(self, moment: float, **changes: Any) -> "RunStatus":
        """The status of the same run at a later moment."""
        return replace(self, updated=moment, **changes)


@dataclass(frozen=True)
class Announcement:
    """A corpus has a new current version; or, if `version` is empty, its edits have a new revision.

    With `pushed`, only documents were pushed or deleted.
    """

    corpus: str
    version: str
    revision: int = 0
    pushed: bool = False


@dataclass(frozen=True)
class Heartbeat:
    """A process that lives; its record expires soon after the process stops. Times are seconds since the epoch."""

    part: Literal["worker", "scheduler"]
    host: str
    pid: int
    started: float
    at: float
    """When the record was written."""

    job: str = ""
    """The job that a worker runs; empty while it waits for one."""

    cotag: str = ""
    """The release of Cotag that the process runs."""

    @property
    def name(self) -> str:
        """What distinguishes the process from all others."""
        return f"{self.part}:{self.host}:{self.pid}"


TRIAL: Final = ".try"
"""The end of the id of a job that tries edits; no other id has a dot."""


def new_job_id(corpus: str, *, trial: bool = False) -> str:
    """A new, unique job id."""
    return f"{corpus}-{uuid.uuid4().hex[:12]}{TRIAL if trial else ''}"


def is_trial(job: str) -> bool:
    """Whether a job tries edits: it clusters and reports, but publishes nothing."""
    return job.endswith(TRIAL)


def encode_record(record: Any) -> bytes:
    """The stored form of a record: JSON."""
    return orjson.dumps(asdict(record))


class RecordReader:
    """Reads records from the store. It logs an invalid record once, counts it and returns None."""

    def __init__(self, count: Callable[[str], None] | None = None) -> None:
        self._count = count
        self._refused: dict[str, bytes] = {}
        self._kept: dict[str, tuple[bytes, Any]] = {}

    def read_again(self, kind: type[R], key: str, raw: bytes | None) -> R | None:
        """As `read`, for a key that is read again and again: what is stored as before is not parsed anew."""
        kept = self._kept.get(key)
        if kept is not None and kept[0] == raw:
            return cast("R", kept[1])
        record = self.read(kind, key, raw)
        if raw is None or record is None:
            self._kept.pop(key, None)
        else:
            self._kept[key] = raw, record
        return record

    def read(self, kind: type[R], key: str, raw: bytes | None) -> R | None:
        """The record under a key, or None if it is missing or invalid."""
        if raw is None:
            return None
        try:
            record: R = _adapter(kind).validate_json(raw)
        except ValidationError as error:
            if self._refused.get(key) != raw:
                self._refused[key] = raw
                log.warning("unreadable record", key=key, kind=kind.__name__, reason=_reason(error))
                if self._count is not None:
                    self._count(kind.__name__)
            return None
        self._refused.pop(key, None)
        return record


def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    """Made once for each kind: to make one takes longer than to read a thousand records."""
    if kind not in ADAPTERS:
        ADAPTERS[kind] = TypeAdapter(kind)
    return ADAPTERS[kind]


def _reason(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(step) for step in fault['loc']) or 'record'}: {fault['msg']}"
