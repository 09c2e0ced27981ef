"""Jobs as everybody sees them: asked for, followed, cancelled. The worker runs them; others only ask and look."""

import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Final, Literal, cast

import orjson
from redis import Redis

from snapshot import keys
from snapshot.store import translated

State = Literal["queued", "running", "done", "unchanged", "kept", "failed", "cancelled"]

ENDED: Final = frozenset({"done", "unchanged", "kept", "failed", "cancelled"})
"""`kept`: computed, but not made current because it differs too much (max_drift)."""

STAGES: Final = ("load", "matrix", "smooth", "agglomerate", "cut", "place", "label", "relate", "publish")
"""What a run goes through, in this order."""

STAGES_OF_SOME: Final = {"group": "smooth"}
"""Stages of runs of large corpora alone, each with the stage that it follows."""

REMEMBERED_SECONDS: Final = 7 * 86400
CANCEL_SECONDS: Final = 3600


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

    def at(self, moment: float, **changes: object) -> "RunStatus":
        """The same run a little later."""
        return replace(self, updated=moment, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True)
class RunRequest:
    """Somebody wants a corpus clustered now; `fresh` without inheriting from the version before."""

    job: str
    corpus: str
    fresh: bool = False


def new_job_id(corpus: str) -> str:
    """A name for one run."""
    return f"{corpus}-{uuid.uuid4().hex[:12]}"


class StatusBoard:
    """Where the worker writes how runs are getting on, and everybody else reads it and asks for runs."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def write(self, corpus: str, status: RunStatus) -> None:
        """Replace the status of a corpus and of the job."""
        record = orjson.dumps(asdict(replace(status, corpus=corpus)))
        with translated():
            pipe = self._redis.pipeline(transaction=True)
            pipe.set(keys.run(corpus), record)
            pipe.set(keys.job(status.job), record, ex=REMEMBERED_SECONDS)
            pipe.execute()

    def write_job(self, status: RunStatus) -> None:
        """Replace the status of a job alone: that of its corpus is of another run."""
        with translated():
            self._redis.set(keys.job(status.job), orjson.dumps(asdict(status)), ex=REMEMBERED_SECONDS)

    def read(self, corpus: str) -> RunStatus | None:
        """The latest status of a corpus, or None if no run was ever asked for."""
        return self._get(keys.run(corpus))

    def job(self, job: str) -> RunStatus | None:
        """The status of one job, or None if it is unknown or long forgotten."""
        return self._get(keys.job(job))

    def request(self, corpus: str, moment: float, *, fresh: bool = False) -> RunStatus:
        """Ask for a run, which the scheduler queues within a second; one that is queued already is the answer."""
        latest = self.read(corpus)
        if latest is not None and latest.state == "queued":
            return latest
        status = RunStatus(new_job_id(corpus), "queued", moment, moment, corpus)
        with translated():
            pipe = self._redis.pipeline(transaction=True)
            pipe.set(keys.job(status.job), orjson.dumps(asdict(status)), ex=REMEMBERED_SECONDS)
            pipe.rpush(keys.REQUESTS, orjson.dumps(asdict(RunRequest(status.job, corpus, fresh))))
            pipe.execute()
        return status

    def cancel(self, job: str) -> None:
        """Ask a queued or running job to stop; whoever runs it looks several times a second."""
        with translated():
            self._redis.set(keys.cancel(job), b"1", ex=CANCEL_SECONDS)

    def cancelled(self, job: str) -> bool:
        """Whether somebody asked the job to stop."""
        with translated():
            return bool(self._redis.exists(keys.cancel(job)))

    def _get(self, key: str) -> RunStatus | None:
        with translated():
            value = cast("bytes | None", self._redis.get(key))
        return None if value is None else _status(orjson.loads(value))


def _status(record: Mapping[str, object]) -> RunStatus:
    """Fields that a newer worker may have added are passed over."""
    known = {name: record[name] for name in RunStatus.__dataclass_fields__ if name in record}
    return RunStatus(**known)  # type: ignore[arg-type]
