"""The register of declared corpora, for processes that do not have the corpora file."""

from collections.abc import Callable, Mapping
from typing import cast

import structlog
from redis import Redis

from snapshot.errors import WrongType
from snapshot.store import keys
from snapshot.store.records import RecordReader, RegisteredCorpus, encode_record
from snapshot.store.snapshots import translate_errors

log = structlog.get_logger()


class CorpusRegister:
    """The declared corpora. The scheduler writes the register; service and command line read it."""

    def __init__(self, redis: Redis, count: Callable[[str], None] | None = None) -> None:
        self._redis = redis
        self._records = RecordReader(count)
        self._count = count
        self._damaged = False

    def write(self, corpora: Mapping[str, RegisteredCorpus]) -> None:
        """Replace the whole register."""
        with translate_errors():
            pipe = self._redis.pipeline(transaction=True)
            pipe.delete(keys.DECLARED)
            for name, corpus in corpora.items():
                pipe.hset(keys.DECLARED, name, encode_record(corpus).decode())
            pipe.execute()

    def read(self, otherwise: Mapping[str, RegisteredCorpus] | None = None) -> dict[str, RegisteredCorpus]:
        """All declared corpora by name; `otherwise` if the register is damaged or empty, because the store lost it.

        The scheduler writes it anew.
        """
        try:
            with translate_errors():
                stored = cast("dict[bytes, bytes]", self._redis.hgetall(keys.DECLARED))
        except WrongType as error:
            if not self._damaged:
                log.error("the register of declared corpora is damaged", key=keys.DECLARED, reason=str(error))  # noqa: TRY400
                if self._count is not None:
                    self._count(RegisteredCorpus.__name__)
            self._damaged = True
            return dict(otherwise or {})
        self._damaged = False
        records = (
            (name.decode(), self._records.read_again(RegisteredCorpus, f"{keys.DECLARED} {name.decode()}", raw))
            for name, raw in sorted(stored.items())
        )
        return {name: corpus for name, corpus in records if corpus is not None} or dict(otherwise or {})
