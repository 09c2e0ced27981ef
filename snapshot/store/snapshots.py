"""Publishes snapshots to Redis and reads them, completely or not at all, verified by checksum.

A publisher first writes a snapshot under its own keys with a time to live, so the remains of a killed publisher expire.
One script then checks that no part is missing and that the version is newer than all others, makes the keys permanent,
moves the pointer and announces the change. Readers see the old version or the new one, never a mixture.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

import structlog
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError
from redis.retry import Retry

from runtime.sentinels import is_sentinel_url, parse_sentinel_url
from snapshot.errors import AnotherPinned, NoSuchVersion, PublishRefused, SnapshotCorrupt, StoreUnavailable, WrongType
from snapshot.store import keys
from snapshot.store.health.master import SENTINEL_SECONDS, MajoritySentinel, connection_class
from snapshot.store.health.replicas import demand_replicas
from snapshot.store.publication import SCRIPTS, PublishedBeside, run_activate_script, run_publish_script
from snapshot.store.records import Announcement, RecordReader
from snapshot.version.documents.document_table import decode_chunk
from snapshot.version.encoding.codec import (
    EncodedSnapshot,
    decode,
    decode_document_tree,
    decode_documents,
    decode_meta,
    index_checksums,
)
from snapshot.version.schema import Documents, DocumentTree, Snapshot, SnapshotMeta, is_version

BLOBS: Final = ("meta", "arrays", "documents", "dendrogram")
PARTS: Final = (*BLOBS, "tags", "clusters", "index")
STAGING_SECONDS: Final = 3600
"""Time to live of the parts of an unfinished publication."""

DELETE: Final = (SCRIPTS / "delete.lua").read_text(encoding="utf-8")

log = structlog.get_logger()


def connect(url: str, *, timeout: float = 5.0, confirm_replicas: int = 0) -> Redis:
    """A client that gives up after `timeout` seconds. Connects when first used, and does not retry by itself.

    What must not be lost is confirmed when so many replicas have it.
    """
    options: dict[str, Any] = {
        "socket_timeout": timeout,
        "socket_connect_timeout": timeout,
        "health_check_interval": 30,
        "retry": Retry(NoBackoff(), 1),
    }
    redis = _watched_store(url, options) if is_sentinel_url(url) else Redis.from_url(url, **options)
    demand_replicas(redis, confirm_replicas)
    return redis


def _watched_store(url: str, options: dict[str, Any]) -> Redis:
    """A client of whichever server the Sentinels call the master."""
    parsed = parse_sentinel_url(url)
    own = {**options, "socket_timeout": SENTINEL_SECONDS, "socket_connect_timeout": SENTINEL_SECONDS, **parsed.own}
    sentinel = MajoritySentinel(parsed.sentinels, sentinel_kwargs=own, **options)  # type: ignore[no-untyped-call]
    options = {**options, **parsed.store, "connection_class": connection_class(parsed)}
    client = sentinel.master_for(parsed.name, redis_class=Redis, **options)  # type: ignore[no-untyped-call]
    return cast("Redis", client)


@contextmanager
def translate_errors() -> Iterator[None]:
    """RedisError -> StoreUnavailable, WrongType or PublishRefused."""
    try:
        yield
    except ResponseError as error:
        message = str(error)
        if message.startswith("REFUSED "):
            raise PublishRefused(message.removeprefix("REFUSED ")) from error
        if message.startswith("PINNED "):
            raise AnotherPinned(message.removeprefix("PINNED ")) from error
        if "WRONGTYPE" in message:
            raise WrongType(message) from error
        raise StoreUnavailable(message) from error
    except (RedisError, OSError) as error:
        raise StoreUnavailable(str(error) or type(error).__name__) from error


def read_strings(redis: Redis, names: Sequence[str]) -> dict[str, bytes | None]:
    """The strings under some keys, read in one command. A value of another type reads as empty, which is no record."""
    if not names:
        return {}
    with translate_errors():
        values = dict(zip(names, cast("list[bytes | None]", redis.mget(names)), strict=True))
        missing = [name for name, value in values.items() if value is None]
        if missing and redis.exists(*missing):
            values.update({name: b"" for name in missing if redis.type(name) not in {b"none", b"string"}})
    return values


@contextmanager
def _refusing_wrong_types() -> Iterator[None]:
    """WrongType -> SnapshotCorrupt, where a part of a snapshot is read."""
    try:
        yield
    except WrongType as error:
        raise SnapshotCorrupt(f"a part of the snapshot has another type: {error}") from error


class SnapshotStore:
    """All snapshots of all corpora in one Redis."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._records = RecordReader()
        self._damaged: dict[str, tuple[str, str]] = {}
        self._foreign: dict[str, int] = {}

    def publish(self, encoded: EncodedSnapshot, *, serve: bool = True, beside: PublishedBeside | None = None) -> bool:
        """Write every part, read back what was written, then make it current in one step.

        With serve=False, or while a version is pinned, the new one is stored for inspection, and the current one stays.
        Returns whether the new one is served.
        """
        self.repair_corpora()
        parts = PARTS if encoded.index else PARTS[:-1]
        names = {part: keys.part(encoded.corpus, encoded.version, part) for part in parts}
        with translate_errors():
            for number, chunk in enumerate(encoded.index):
                pipe = self._redis.pipeline(transaction=True)
                pipe.hset(names["index"], str(number), chunk)
                pipe.expire(names["index"], STAGING_SECONDS)
                pipe.execute()
            pipe = self._redis.pipeline(transaction=True)
            for part in BLOBS:
                pipe.set(names[part], getattr(encoded, part))
            pipe.hset(names["tags"], mapping=cast("Any", encoded.tags))
            pipe.hset(names["clusters"], mapping=cast("Any", encoded.clusters))
            for name in names.values():
                pipe.expire(name, STAGING_SECONDS)
            pipe.execute()
            self._verify(encoded, names)
            return run_publish_script(
                self._redis,
                encoded.corpus,
                encoded.version,
                names.values(),
                beside or PublishedBeside(),
                serve=serve,
            )

    def activate(self, corpus: str, version: str, *, pin: bool = False) -> None:
        """Make a stored version current, whether older or newer than the present one.

        With pin=True it stays current until it is unpinned. PublishRefused if there is no such version, AnotherPinned
        if another one is pinned.
        """
        with translate_errors():
            run_activate_script(self._redis, corpus, version, pin=pin)

    def delete(self, corpus: str, version: str) -> None:
        """Delete a stored version; PublishRefused if it is served, or if there is none."""
        names = [keys.part(corpus, version, part) for part in PARTS]
        with translate_errors():
            self._redis.eval(DELETE, 2 + len(names), keys.current(corpus), keys.versions(corpus), *names, version)

    def retain(self, corpus: str, keep: int) -> list[str]:
        """Drop all but the newest `keep` versions and the current one; returns the dropped versions."""
        current = self.current(corpus)
        dropped = [version for version in self.versions(corpus)[keep:] if version != current]
        with translate_errors():
            for version in dropped:
                pipe = self._redis.pipeline(transaction=True)
                pipe.zrem(keys.versions(corpus), version)
                pipe.delete(*(keys.part(corpus, version, part) for part in PARTS))
                pipe.execute()
        return dropped

    def corpora(self) -> list[str]:
        """Names of all corpora that have a snapshot."""
        try:
            with translate_errors():
                return sorted(name.decode() for name in cast("set[bytes]", self._redis.smembers(keys.CORPORA)))
        except WrongType:
            return self._found_corpora()

    def repair_corpora(self) -> None:
        """Write the set of corpora anew if it is no set."""
        with translate_errors():
            if self._redis.type(keys.CORPORA) in {b"set", b"none"}:
                return
            found = self._found_corpora()
            log.error("the set of corpora is damaged, writing it anew", key=keys.CORPORA, corpora=found)
            pipe = self._redis.pipeline(transaction=True)
            pipe.delete(keys.CORPORA)
            if found:
                pipe.sadd(keys.CORPORA, *found)
            pipe.execute()

    def _found_corpora(self) -> list[str]:
        """The names of corpora that have a current version, by the names of their keys."""
        start, end = keys.current("*").split("*")
        with translate_errors():
            found = [key.decode() for key in self._redis.scan_iter(keys.current("*"))]
        return sorted(name.removeprefix(start).removesuffix(end) for name in found)

    def current(self, corpus: str) -> str | None:
        """The version that is served now; None also if the pointer is damaged."""
        return self.currents([corpus])[corpus]

    def currents(self, corpora: Sequence[str]) -> dict[str, str | None]:
        """The versions of some corpora that are served now, read in one command; None also for a damaged pointer."""
        values = read_strings(self._redis, [keys.current(corpus) for corpus in corpora])
        found: dict[str, str | None] = {}
        for corpus in corpora:
            value = values[key := keys.current(corpus)]
            with self._noting_damage(corpus, key):
                if value == b"":
                    raise WrongType("it holds no version")
            found[corpus] = value.decode(errors="replace") if value else None
        return found

    def versions(self, corpus: str) -> list[str]:
        """All stored versions, newest first; none if the list is damaged."""
        versions: list[bytes] = []
        with self._noting_damage(corpus, keys.versions(corpus)), translate_errors():
            versions = cast("list[bytes]", self._redis.zrevrange(keys.versions(corpus), 0, -1))
        names = [version.decode(errors="replace") for version in versions]
        foreign = sum(not is_version(name) for name in names)
        if foreign and foreign != self._foreign.get(corpus):
            log.warning("members that are no versions; the next publication removes them", corpus=corpus, count=foreign)
        self._foreign[corpus] = foreign
        return [name for name in names if is_version(name)]

    @property
    def damage(self) -> dict[str, str]:
        """Corpora whose pointer or list of versions could not be read the last time, and why."""
        return dict(self._damaged.values())

    @contextmanager
    def _noting_damage(self, corpus: str, key: str) -> Iterator[None]:
        """Note and log a value of another type instead of raising it: it harms one corpus, and a run repairs it."""
        try:
            yield
        except WrongType as error:
            if key not in self._damaged:
                log.error("a key of a corpus is damaged", corpus=corpus, key=key, reason=str(error))  # noqa: TRY400
            self._damaged[key] = corpus, f"{key} is damaged: {error}"
        else:
            self._damaged.pop(key, None)

    def meta(self, corpus: str, version: str) -> SnapshotMeta:
        """The JSON part of one version."""
        return decode_meta(self._part(corpus, version, "meta"))

    def raw(self, corpus: str, version: str) -> tuple[bytes, bytes]:
        """Meta and arrays of one version as they are stored, for `decode`."""
        return self._part(corpus, version, "meta"), self._part(corpus, version, "arrays")

    def raw_meta(self, corpus: str, version: str) -> bytes:
        """The meta of one version as it is stored."""
        return self._part(corpus, version, "meta")

    def index_chunks(self, corpus: str, version: str, checksums: Sequence[str]) -> Iterator[bytes]:
        """The chunks of the file of documents of one version, verified one by one."""
        key = keys.part(corpus, version, "index")
        for number, digest in enumerate(checksums):
            with _refusing_wrong_types(), translate_errors():
                stored = cast("bytes | None", self._redis.hget(key, str(number)))
            if stored is None:
                raise NoSuchVersion(f"{corpus} has no version {version}, or not all of its documents")
            yield decode_chunk(stored, digest, f"chunk {number} of the documents of {corpus} {version}")

    def load(self, corpus: str, version: str) -> Snapshot:
        """One version, verified."""
        snapshot = decode(*self.raw(corpus, version))
        if (snapshot.corpus, snapshot.version) != (corpus, version):
            raise SnapshotCorrupt(f"version {version} of {corpus} holds {snapshot.version} of {snapshot.corpus}")
        return snapshot

    def documents(self, corpus: str, version: str) -> Documents:
        """The documents of one version."""
        return decode_documents(self._part(corpus, version, "meta"), self._part(corpus, version, "documents"))

    def verify(self, corpus: str, version: str) -> Snapshot:
        """One version, after reading every part of it; SnapshotError if one cannot be read."""
        snapshot = self.load(corpus, version)
        self.documents(corpus, version)
        for _ in self.index_chunks(corpus, version, index_checksums(self.raw_meta(corpus, version)) or ()):
            pass
        return snapshot

    def documents_bytes(self, corpus: str, version: str) -> int:
        """The size of the documents of one version, as stored; 0 if there is no such version."""
        with translate_errors():
            return self._redis.strlen(keys.part(corpus, version, "documents"))

    def document_tree(self, corpus: str, version: str) -> DocumentTree:
        """The tree of documents of one version, without the documents."""
        return decode_document_tree(self._part(corpus, version, "meta"), self._part(corpus, version, "documents"))

    def announcements(self, wait: float | Callable[[], float]) -> Iterator[Announcement | None]:
        """Each change of a current version as it happens, or None after `wait` seconds without one.

        Of changes of versions and edits that happened together, before anybody asked, only the last is told.
        """
        patience = wait if callable(wait) else lambda: wait
        with translate_errors(), self._redis.pubsub(ignore_subscribe_messages=True) as pubsub:
            pubsub.subscribe(keys.ANNOUNCEMENTS)

            def following(seconds: float) -> Announcement | None:
                message = pubsub.get_message(timeout=seconds)
                return (
                    None if message is None else self._records.read(Announcement, keys.ANNOUNCEMENTS, message["data"])
                )

            while True:
                told = following(patience())
                while told is not None and not told.pushed and (later := following(0)) is not None:
                    if later.pushed:  # about one corpus, so it is told by itself
                        yield told
                    told = later
                yield told

    def _verify(self, encoded: EncodedSnapshot, names: dict[str, str]) -> None:
        """SnapshotCorrupt if the store does not return what was written."""
        for part in BLOBS:
            if self._redis.get(names[part]) != getattr(encoded, part):
                raise SnapshotCorrupt(f"{names[part]} was not stored as it was written")
        for part in ("tags", "clusters", *(["index"] if encoded.index else [])):
            if self._redis.hlen(names[part]) != len(getattr(encoded, part)):
                raise SnapshotCorrupt(f"{names[part]} was not stored as it was written")
        for number, chunk in enumerate(encoded.index):
            if self._redis.hget(names["index"], str(number)) != chunk:
                raise SnapshotCorrupt(f"chunk {number} of {names['index']} was not stored as it was written")

    def _part(self, corpus: str, version: str, part: str) -> bytes:
        with _refusing_wrong_types(), translate_errors():
            value = cast("bytes | None", self._redis.get(keys.part(corpus, version, part)))
        if value is None:
            raise NoSuchVersion(f"{corpus} has no version {version}")
        return value
