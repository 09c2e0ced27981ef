"""Removes documents from the store for good: from what was pushed, from every stored version, and from its files."""

import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

import orjson
from redis import Redis
from redis.exceptions import ResponseError

from snapshot.errors import SnapshotError, StoreUnavailable
from snapshot.store import keys
from snapshot.store.operation.corpus_lock import CorpusLock
from snapshot.store.pushed import PushedDocuments
from snapshot.store.snapshots import PARTS, SnapshotStore, translate_errors
from snapshot.version.documents.document_table import table_in
from snapshot.version.documents.erasure import ErasedVersion, without_documents
from snapshot.version.encoding.codec import EncodedSnapshot, encode, index_checksums

WAIT_SECONDS: Final = 0.5


@dataclass
class Erasure:
    """What was removed.

    Attributes:
        pushed: how many pushed documents.
        rewritten: the versions that had some of them, and how many each.
        deleted: the versions that were deleted as a whole.
        found: the ids of the documents that were somewhere.
        files_rewritten: whether the store wrote its files anew; None if it has none.
    """

    pushed: int = 0
    rewritten: dict[str, int] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)
    found: set[str] = field(default_factory=set)
    files_rewritten: bool | None = None


class Eraser:
    """Removes documents of one corpus. No run publishes meanwhile."""

    def __init__(self, redis: Redis, corpus: str, say: Callable[[str], None] = lambda _: None) -> None:
        self._redis = redis
        self._corpus = corpus
        self._say = say
        self._store = SnapshotStore(redis)
        self._pushed = PushedDocuments(redis, corpus)

    def erase(self, ids: Collection[str]) -> Erasure:
        """Remove documents by their ids."""
        erasure, wanted = Erasure(), set(ids)
        spellings = self._spellings(wanted, erasure)
        erasure.pushed = self._pushed.delete(wanted)  # services hide them from now on, and no run reads them
        with _LockedCorpus(self._redis, self._corpus, self._say) as lock:
            self._delete_staged()
            for version in self._store.versions(self._corpus):
                self._erase_in(version, wanted, spellings, erasure)
                lock.renew()
            with translate_errors():
                self._redis.zrem(keys.pushed_changes(self._corpus), *wanted)
        return self._finish(erasure)

    def erase_all(self) -> Erasure:
        """Remove all documents, and with them every version."""
        erasure = Erasure(pushed=self._pushed.clear())
        with _LockedCorpus(self._redis, self._corpus, self._say):
            self._delete_staged()
            erasure.deleted = self._store.versions(self._corpus)
            with translate_errors():
                pipe = self._redis.pipeline(transaction=True)
                for version in erasure.deleted:
                    pipe.delete(*(keys.part(self._corpus, version, part) for part in PARTS))
                for key in (keys.current, keys.pinned, keys.versions, keys.changes):
                    pipe.delete(key(self._corpus))
                pipe.execute()
        return self._finish(erasure)

    def _finish(self, erasure: Erasure) -> Erasure:
        self._pushed.note_erasure()
        erasure.files_rewritten = rewrite_files(self._redis, self._say)
        return erasure

    def _spellings(self, ids: Collection[str], erasure: Erasure) -> Counter[str]:
        """How the pushed documents of these ids write their tags."""
        written: Counter[str] = Counter()
        with translate_errors():
            records = cast("list[bytes | None]", self._redis.hmget(keys.pushed(self._corpus), list(ids)))
        for name, record in zip(ids, records, strict=True):
            if record is None:
                continue
            erasure.found.add(name)
            try:
                written.update(tag for tag in orjson.loads(record).get("tags", ()) if isinstance(tag, str))
            except (ValueError, AttributeError, TypeError):
                continue
        return written

    def _erase_in(self, version: str, ids: set[str], spellings: Counter[str], erasure: Erasure) -> None:
        """Rewrite a version without the documents; delete it if that cannot be, or if it cannot be read."""
        try:
            erased = self._without(version, ids, spellings)
        except StoreUnavailable:
            raise
        except SnapshotError as error:
            self._say(f"version {version} cannot be read ({error}); it is deleted")
            self._delete(version, erasure)
            return
        erasure.found.update(erased.removed)
        if not erased.removed:
            return
        if erased.snapshot is None:
            self._say(f"version {version} is deleted: a tag of its tree has no other document")
            self._delete(version, erasure)
            return
        self._replace(encode(erased.snapshot, erased.documents))
        erasure.rewritten[version] = len(erased.removed)

    def _without(self, version: str, ids: set[str], spellings: Counter[str]) -> ErasedVersion:
        store, corpus = self._store, self._corpus
        snapshot, documents = store.load(corpus, version), store.documents(corpus, version)
        checksums = index_checksums(store.raw_meta(corpus, version))
        if checksums is not None:
            table = table_in(b"".join(store.index_chunks(corpus, version, checksums)))
            documents = replace(documents, table=table)
        return without_documents(snapshot, documents, ids, spellings)

    def _replace(self, encoded: EncodedSnapshot) -> None:
        """Write all parts of a version anew, in one step."""
        names = {part: keys.part(encoded.corpus, encoded.version, part) for part in PARTS}
        with translate_errors():
            pipe = self._redis.pipeline(transaction=True)
            pipe.delete(*names.values())
            for part in ("meta", "arrays", "documents", "dendrogram"):
                pipe.set(names[part], getattr(encoded, part))
            for part in ("tags", "clusters"):
                pipe.hset(names[part], mapping=cast("Any", getattr(encoded, part)))
            for number, chunk in enumerate(encoded.index):
                pipe.hset(names["index"], str(number), chunk)
            pipe.execute()

    def _delete(self, version: str, erasure: Erasure) -> None:
        """Delete a version, served or not, and the steps between versions, which may name its tags."""
        served = self._store.current(self._corpus) == version
        with translate_errors():
            pipe = self._redis.pipeline(transaction=True)
            pipe.zrem(keys.versions(self._corpus), version)
            pipe.delete(keys.changes(self._corpus), *(keys.part(self._corpus, version, part) for part in PARTS))
            if served:
                pipe.delete(keys.current(self._corpus), keys.pinned(self._corpus))
            pipe.execute()
        erasure.deleted.append(version)

    def _delete_staged(self) -> None:
        """Delete what an unfinished publication has left."""
        start = keys.part(self._corpus, "*", "*").partition("*")[0]
        known = set(self._store.versions(self._corpus))
        with translate_errors():
            for key in self._redis.scan_iter(keys.part(self._corpus, "*", "*")):
                if key.decode(errors="replace").removeprefix(start).rpartition(":")[0] not in known:
                    self._redis.delete(key)


class _LockedCorpus:
    """The lock of a corpus, waited for: a run that is under way may have read the documents."""

    def __init__(self, redis: Redis, corpus: str, say: Callable[[str], None]) -> None:
        self._lock = CorpusLock(redis, corpus)
        self._corpus = corpus
        self._say = say

    def __enter__(self) -> CorpusLock:
        said = False
        while not self._lock.acquire():
            if not said:
                self._say(f"waiting for the end of the run of {self._corpus} that is under way (cotag jobs --cancel)")
            said = True
            time.sleep(WAIT_SECONDS)
        return self._lock

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def rewrite_files(redis: Redis, say: Callable[[str], None]) -> bool | None:
    """Let the store write its files anew, which still have what was deleted; None if it writes none.

    False if it refuses, which is said.
    """
    with translate_errors():
        state = redis.info("persistence")
        done: bool | None = None
        try:
            if state.get("aof_enabled"):
                redis.bgrewriteaof()
                done = _wait(redis, "aof_rewrite_in_progress", "aof_rewrite_scheduled", "aof_last_bgrewrite_status")
            if redis.config_get("save").get("save"):
                redis.bgsave(schedule=True)
                saved = _wait(redis, "rdb_bgsave_in_progress", "rdb_bgsave_in_progress", "rdb_last_bgsave_status")
                done = saved if done is None else done and saved
        except ResponseError as error:
            say(f"the store does not let its files be written anew ({error}); see docs/how-to/erase.md")
            return False
    return done


def _wait(redis: Redis, running: str, scheduled: str, outcome: str) -> bool:
    while True:
        state = redis.info("persistence")
        if not state.get(running) and not state.get(scheduled):
            return bool(state.get(outcome) == "ok")
        time.sleep(WAIT_SECONDS / 10)
