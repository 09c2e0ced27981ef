"""Stores documents pushed over HTTP, and which of them changed since a version was made.

Every change has a revision. A run notes the revision from which on it read (`parameters["pushed_revision"]`), so the
documents that changed later are those that its version may lack, or have in an older form.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

import orjson
from redis import Redis

from snapshot.errors import SnapshotError, StoreUnavailable
from snapshot.store import keys
from snapshot.store.health.confirmation import confirmed_writes
from snapshot.store.publication import SCRIPTS
from snapshot.store.records import Announcement, encode_record
from snapshot.store.snapshots import SnapshotStore, translate_errors
from snapshot.version.schema import SnapshotMeta

BATCH: Final = 500
PUSH: Final = (SCRIPTS / "push.lua").read_text(encoding="utf-8")
UNPUSH: Final = (SCRIPTS / "unpush.lua").read_text(encoding="utf-8")
UNPUSH_ALL: Final = (SCRIPTS / "unpush_all.lua").read_text(encoding="utf-8")


class PushedDocument(NamedTuple):
    """A document as it is pushed; `card` has its title, url, image, fields and text, as far as it has them."""

    id: str
    tags: list[str]
    label: str | None = None
    card: Mapping[str, Any] = {}


class PushedChange(NamedTuple):
    """The last change of a document: its JSON as it is now, None if it was deleted."""

    id: str
    revision: int
    record: bytes | None


@dataclass(frozen=True)
class PushedChanges:
    """Changes of pushed documents, oldest first.

    Attributes:
        revision: that of the last change of all.
        cleared: the revision at which all documents were last deleted; 0 if they never were.
        contained: the revision up to which a run found nothing new for the version; 0 if none did.
        erasures: how often stored versions were rewritten without some of their documents.
        changes: at most as many as were asked for.
    """

    revision: int
    cleared: int
    contained: int
    erasures: int
    changes: tuple[PushedChange, ...]


def pushed_revision(meta: SnapshotMeta) -> int:
    """The revision of the pushed documents from which on the run of a version read them."""
    return int(meta.parameters.get("pushed_revision", 0))


class PushedDocuments:
    """The pushed documents of one corpus in Redis: one hash, document id → JSON."""

    def __init__(self, redis: Redis, corpus: str) -> None:
        self._redis = redis
        self._corpus = corpus
        self._key = keys.pushed(corpus)
        self._keys = (self._key, keys.pushed_changes(corpus), keys.pushed_state(corpus))
        self._announcement = (keys.ANNOUNCEMENTS, encode_record(Announcement(corpus, "", pushed=True)))

    def put(self, documents: Iterable[PushedDocument]) -> int:
        """Add documents, replacing those with the same id; returns how many were passed in.

        They are then in the append-only file of the store, if it can confirm that.
        """
        count = 0
        batch: dict[str, bytes] = {}
        with confirmed_writes(self._redis) as connection:
            for name, tags, label, card in documents:
                batch[name] = orjson.dumps({"id": name, "tags": tags, "label": label, **card})
                count += 1
                if len(batch) >= BATCH:
                    self._put(connection, batch)
                    batch = {}
            if batch:
                self._put(connection, batch)
        return count

    def _put(self, connection: Redis, batch: Mapping[str, bytes]) -> None:
        pairs = [value for pair in batch.items() for value in pair]
        connection.eval(PUSH, 3, *self._keys, *self._announcement, *pairs)

    def delete(self, names: Iterable[str]) -> int:
        """Remove documents by id; returns how many existed."""
        ids = list(names)
        with confirmed_writes(self._redis) as connection:
            batches = [ids[start : start + BATCH] for start in range(0, len(ids), BATCH)]
            return sum(
                int(cast("int", connection.eval(UNPUSH, 3, *self._keys, *self._announcement, *batch)))
                for batch in batches
            )

    def clear(self) -> int:
        """Remove all documents; returns how many existed."""
        with confirmed_writes(self._redis) as connection:
            return int(cast("int", connection.eval(UNPUSH_ALL, 3, *self._keys, *self._announcement)))

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

    def revision(self) -> int:
        """The revision of the last change; 0 if there was none."""
        with translate_errors():
            return int(self._redis.hget(keys.pushed_state(self._corpus), "revision") or 0)

    def changes(self, since: int, most: int, version: str = "") -> PushedChanges:
        """The first changes after a revision; `version` is the one that is served.

        Without a script, so that a user who may only read suffices. What changes between the three questions has a
        later revision than the one asked for first, so whoever asks again from there gets it.
        """
        fields = ["revision", "cleared", f"contained:{version}", "erasures"]
        with translate_errors():
            state = cast("list[bytes | None]", self._redis.hmget(keys.pushed_state(self._corpus), fields))
            revision, cleared, contained, erasures = (int(value or 0) for value in state)
            listed: list[tuple[bytes, float]] = []
            records: list[bytes | None] = []
            if revision > since:
                listed = cast(
                    "list[tuple[bytes, float]]",
                    self._redis.zrangebyscore(
                        keys.pushed_changes(self._corpus), f"({since}", "+inf", start=0, num=most, withscores=True
                    ),
                )
            if listed:
                ids = [name for name, _ in listed]
                records = cast("list[bytes | None]", self._redis.hmget(self._key, cast("Any", ids)))
        changes = (
            PushedChange(name.decode(errors="surrogatepass"), int(at), record)
            for (name, at), record in zip(listed, records, strict=True)
        )
        return PushedChanges(revision, cleared, contained, erasures, tuple(changes))

    def note_contained(self, version: str, revision: int) -> None:
        """Note that a version has all changes up to a revision, because a run found the same documents."""
        with translate_errors():
            self._redis.hset(keys.pushed_state(self._corpus), f"contained:{version}", str(revision))

    def note_erasure(self) -> None:
        """Note that stored versions were rewritten, and tell the services."""
        with translate_errors():
            pipe = self._redis.pipeline(transaction=True)
            pipe.hincrby(keys.pushed_state(self._corpus), "erasures", 1)
            pipe.publish(*self._announcement)
            pipe.execute()

    def trim(self, store: SnapshotStore) -> None:
        """Forget the changes that every stored version has, and what was noted about versions that are gone."""
        versions = store.versions(self._corpus)
        revisions = [_revision_of(store, self._corpus, version) for version in versions]
        with translate_errors():
            noted = cast("list[bytes]", self._redis.hkeys(keys.pushed_state(self._corpus)))
            names = [name.decode() for name in noted]
            gone = [name for name in names if name.startswith("contained:") and name.partition(":")[2] not in versions]
            pipe = self._redis.pipeline(transaction=True)
            if revisions:
                pipe.zremrangebyscore(keys.pushed_changes(self._corpus), "-inf", min(revisions))
            if gone:
                pipe.hdel(keys.pushed_state(self._corpus), *gone)
            pipe.execute()


def _revision_of(store: SnapshotStore, corpus: str, version: str) -> int:
    """The revision of a stored version; 0 if it cannot be read, so that nothing it may lack is forgotten."""
    try:
        return pushed_revision(store.meta(corpus, version))
    except StoreUnavailable:
        raise
    except SnapshotError:
        return 0
