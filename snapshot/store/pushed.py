"""Stores documents pushed over HTTP until the next run reads them."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, cast

import orjson
from redis import Redis

from snapshot.store import keys
from snapshot.store.health.confirmation import confirm_written
from snapshot.store.snapshots import translate_errors

BATCH: Final = 500


class PushedDocument(NamedTuple):
    """A document as it is pushed; `card` has its title, url, image, fields and text, as far as it has them."""

    id: str
    tags: list[str]
    label: str | None = None
    card: Mapping[str, Any] = {}


class PushedDocuments:
    """The pushed documents of one corpus in Redis: one hash, document id → JSON."""

    def __init__(self, redis: Redis, corpus: str) -> None:
        self._redis = redis
        self._key = keys.pushed(corpus)

    def put(self, documents: Iterable[PushedDocument]) -> int:
        """Add documents, replacing those with the same id; returns how many were passed in.

        They are then in the append-only file of the store, if it can confirm that.
        """
        count = 0
        batch: dict[str, bytes] = {}
        with self._confirmed() as connection:
            for name, tags, label, card in documents:
                batch[name] = orjson.dumps({"id": name, "tags": tags, "label": label, **card})
                count += 1
                if len(batch) >= BATCH:
                    connection.hset(self._key, mapping=cast("Any", batch))
                    batch = {}
            if batch:
                connection.hset(self._key, mapping=cast("Any", batch))
        return count

    def delete(self, names: Iterable[str]) -> int:
        """Remove documents by id; returns how many existed."""
        ids = list(names)
        with self._confirmed() as connection:
            batches = [ids[start : start + BATCH] for start in range(0, len(ids), BATCH)]
            return sum(int(connection.hdel(self._key, *batch)) for batch in batches)

    def clear(self) -> int:
        """Remove all documents; returns how many existed."""
        with self._confirmed() as connection:
            pipe = connection.pipeline(transaction=True)
            pipe.hlen(self._key)
            pipe.delete(self._key)
            return int(pipe.execute()[0])

    def count(self) -> int:
        """How many documents there are."""
        with translate_errors():
            return int(self._redis.hlen(self._key))

    def records(self) -> Iterator[bytes]:
        """All documents as JSON, in no particular order; each once even while others are added."""
        seen: set[bytes] = set()
        with translate_errors():
            for name, record in self._redis.hscan_iter(self._key, count=BATCH):
                if name not in seen:
                    seen.add(name)
                    yield record

    @contextmanager
    def _confirmed(self) -> Iterator[Redis]:
        """One connection for writes, which are confirmed at the end."""
        with translate_errors(), self._redis.client() as connection:
            yield connection
            confirm_written(connection)
