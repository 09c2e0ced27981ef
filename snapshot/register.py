"""The register of declared corpora, for processes that do not have the corpora file."""

from collections.abc import Callable, Mapping
from typing import cast

from redis import Redis

from snapshot import keys
from snapshot.records import RecordReader, RegisteredCorpus, encode_record
from snapshot.store import translate_errors


class CorpusRegister:
    """The declared corpora. The scheduler writes the register; service and command line read it."""

    def __init__(self, redis: Redis, count: Callable[[str], None] | None = None) -> None:
        self._redis = redis
        self._records = RecordReader(count)

    def write(self, corpora: Mapping[str, RegisteredCorpus]) -> None:
        """Replace the whole register."""
        with translate_errors():
            pipe = self._redis.pipeline(transaction=True)
            pipe.delete(keys.DECLARED)
            for name, corpus in corpora.items():
                pipe.hset(keys.DECLARED, name, encode_record(corpus).decode())
            pipe.execute()

    def read(self) -> dict[str, RegisteredCorpus]:
        """All declared corpora by name."""
        with translate_errors():
            stored = cast("dict[bytes, bytes]", self._redis.hgetall(keys.DECLARED))
        records = (
            (name.decode(), self._records.read(RegisteredCorpus, f"{keys.DECLARED} {name.decode()}", raw))
            for name, raw in sorted(stored.items())
        )
        return {name: corpus for name, corpus in records if corpus is not None}
