"""The small records in the store, each with one type: what is declared, asked for, under way, or over.

A record of a newer writer may have more fields: they are passed over. A record that makes no sense is logged, counted
and treated as if it were not there.
"""

import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, TypeVar

import orjson
import structlog
from pydantic import TypeAdapter, ValidationError

State = Literal["queued", "running", "done", "unchanged", "held", "failed", "cancelled"]

ENDED: Final = frozenset({"done", "unchanged", "held", "failed", "cancelled"})
"""`held`: computed and stored, but not served because it differs too much (max_drift, max_recall_drop)."""

STAGES: Final = ("load", "matrix", "smooth", "agglomerate", "cut", "place", "label", "relate", "publish")
"""What a run goes through, in this order."""

STAGES_OF_SOME: Final = {"group": "smooth"}
"""Stages of runs of large corpora alone, each with the stage that it follows."""

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


@dataclass(frozen=True)
class RunRequest:
    """Somebody wants a corpus clustered now; `fresh` without inheriting from the version before."""

    job: str
    corpus: str
    fresh: bool = False


@dataclass(frozen=True)
class Turn:
    """The last turn of a corpus: when, under which declaration, how often tried again, its draw of the jitter (0…1)."""

    at: float
    digest: str
    attempts: int = 0
    draw: float = 0.0


@dataclass(frozen=True)
class RunStatus:
    """How a run is getting on, or how it ended. Times are seconds since the epoch."""

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
    """The error may go away by itself, so the run is tried again."""

    def at(self, moment: float, **changes: Any) -> "RunStatus":
        """The same run a little later."""
        return replace(self, updated=moment, **changes)


@dataclass(frozen=True)
class Announcement:
    """A corpus has a new current version."""

    corpus: str
    version: str


def new_job_id(corpus: str) -> str:
    """A name for one job."""
    return f"{corpus}-{uuid.uuid4().hex[:12]}"


def encode_record(record: Any) -> bytes:
    """A record as it is stored."""
    return orjson.dumps(asdict(record))


class RecordReader:
    """Reads records from the store. One that makes no sense is logged once and counted, and gives None."""

    def __init__(self, count: Callable[[str], None] | None = None) -> None:
        self._count = count
        self._refused: dict[str, bytes] = {}
        self._adapters: dict[type[Any], TypeAdapter[Any]] = {}

    def read(self, kind: type[R], key: str, raw: bytes | None) -> R | None:
        """The record under a key, or None if there is none or it makes no sense."""
        if raw is None:
            return None
        try:
            record: R = self._adapter(kind).validate_json(raw)
        except ValidationError as error:
            if self._refused.get(key) != raw:
                self._refused[key] = raw
                log.warning("unreadable record", key=key, kind=kind.__name__, reason=_reason(error))
                if self._count is not None:
                    self._count(kind.__name__)
            return None
        self._refused.pop(key, None)
        return record

    def _adapter(self, kind: type[R]) -> TypeAdapter[R]:
        if kind not in self._adapters:
            self._adapters[kind] = TypeAdapter(kind)
        return self._adapters[kind]


def _reason(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(step) for step in fault['loc']) or 'record'}: {fault['msg']}"
