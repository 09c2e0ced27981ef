from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import cast

import orjson
from redis import Redis

from snapshot import keys
from snapshot.store import translated


@dataclass(frozen=True)
class Declared:
    """A corpus as its file declares it, for readers who do not have the file; `next_run` in seconds since the epoch."""

    name: str
    title: str
    schedule: str
    next_run: float
    pushed: bool = False


class Register:
    """Which corpora are declared. The scheduler keeps it; service and command line read it."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def write(self, corpora: Mapping[str, Declared]) -> None:
        """Replace the whole register."""
        with translated():
            pipe = self._redis.pipeline(transaction=True)
            pipe.delete(keys.DECLARED)
            for name, declared in corpora.items():
                pipe.hset(keys.DECLARED, name, orjson.dumps(asdict(declared)).decode())
            pipe.execute()

    def read(self) -> dict[str, Declared]:
        """All declared corpora by name."""
        with translated():
            found = cast("dict[bytes, bytes]", self._redis.hgetall(keys.DECLARED))
        return {name.decode(): Declared(**orjson.loads(record)) for name, record in sorted(found.items())}
