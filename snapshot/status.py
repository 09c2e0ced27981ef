from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal, cast

import orjson
from redis import Redis

from snapshot import keys
from snapshot.store import translated

State = Literal["queued", "running", "done", "unchanged", "failed"]


@dataclass(frozen=True)
class RunStatus:
    """How the latest run of a corpus is getting on, or how it ended. Times are seconds since the epoch."""

    job: str
    state: State
    started: float
    updated: float
    stage: str = ""
    done: int = 0
    total: int = 0
    version: str = ""
    error: str = ""

    def at(self, moment: float, **changes: object) -> "RunStatus":
        """The same run a little later."""
        return replace(self, updated=moment, **changes)  # type: ignore[arg-type]


class StatusBoard:
    """Where the worker writes how runs are getting on, and everybody else reads it."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def write(self, corpus: str, status: RunStatus) -> None:
        """Replace the status of a corpus."""
        with translated():
            self._redis.set(keys.run(corpus), orjson.dumps(asdict(status)))

    def read(self, corpus: str) -> RunStatus | None:
        """The latest status, or None if no run was ever asked for."""
        with translated():
            value = cast("bytes | None", self._redis.get(keys.run(corpus)))
        return None if value is None else _status(orjson.loads(value))


def _status(record: Mapping[str, object]) -> RunStatus:
    """Fields that a newer worker may have added are passed over."""
    known = {name: record[name] for name in RunStatus.__dataclass_fields__ if name in record}
    return RunStatus(**known)  # type: ignore[arg-type]
