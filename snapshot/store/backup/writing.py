"""Makes a backup of a store in use.

Keys that expire are left out: heartbeats, locks, statuses of jobs, and what an unfinished publication or restore wrote.
"""

from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, cast

from redis import Redis

from snapshot.errors import NoSuchVersion
from snapshot.store.backup.file import PREFIX, BackupError, BackupWriter, Record, private_file
from snapshot.store.snapshots import SnapshotStore, translate_errors

ATTEMPTS: Final = 3
PIECE: Final = 2**23
"""Bytes of a string in one record."""

PAGE: Final = 1000
"""Items or members that are read at once."""


def back_up(redis: Redis, path: Path) -> int:
    """Write a backup and return the number of its records. It is complete, or there is none.

    Versions never change. If one was published, activated or dropped meanwhile, the backup starts again.
    """
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        for _ in range(ATTEMPTS):
            before = _pointers(redis)
            unfinished.unlink(missing_ok=True)
            with private_file(unfinished) as raw:
                writer = BackupWriter(raw)
                for record in _records(redis):
                    writer.write(record)
                count = writer.finish(version("cotag"), datetime.now(tz=UTC).isoformat(timespec="seconds"))
            if _pointers(redis) == before:
                unfinished.replace(path)
                return count
    except OSError as error:
        raise BackupError(f"{path}: {error.strerror or error}") from error
    finally:
        unfinished.unlink(missing_ok=True)
    raise BackupError("versions changed whenever a backup was made; pause the corpora (cotag pause) and try again")


def _pointers(redis: Redis) -> dict[str, tuple[str | None, list[str]]]:
    store = SnapshotStore(redis)
    return {corpus: (store.current(corpus), store.versions(corpus)) for corpus in store.corpora()}


def _records(redis: Redis) -> Iterator[Record]:
    """Every element of every key of Cotag that does not expire."""
    with translate_errors():
        for raw in sorted(set(redis.scan_iter(f"{PREFIX}*", count=1000))):
            if redis.ttl(raw) == -1:
                yield from _elements(redis, raw)


def _elements(redis: Redis, key: bytes) -> Iterator[Record]:
    kind = cast("bytes", redis.type(key)).decode()
    record: Record = {"key": key.decode(), "type": kind}
    if kind == "string":
        yield from _pieces(redis, key, record)
    elif kind == "hash":
        for field in sorted(cast("list[bytes]", redis.hkeys(key))):
            value = redis.hget(key, cast("Any", field))
            yield {**record, "field": _encode(field), "value": _encode(value or b"")}
    else:
        for value, score in _members(redis, key, kind):
            yield {**record, "value": _encode(value)} | ({} if score is None else {"score": score})


def _members(redis: Redis, key: bytes, kind: str) -> Iterator[tuple[bytes, float | None]]:
    """What a sorted set holds, with scores; what a list or a set holds."""
    if kind == "zset":
        for start in range(0, redis.zcard(key), PAGE):
            yield from cast("Any", redis.zrange(key, start, start + PAGE - 1, withscores=True))
    elif kind == "list":
        for start in range(0, redis.llen(key), PAGE):
            yield from ((item, None) for item in cast("Any", redis.lrange(key, start, start + PAGE - 1)))
    else:
        yield from ((member, None) for member in sorted(cast("Any", redis.smembers(key))))


def _pieces(redis: Redis, key: bytes, record: Record) -> Iterator[Record]:
    """A string in pieces. One that vanished is no longer part of a version, whose pointer has changed then."""
    length = redis.strlen(key)
    if not length and not redis.exists(key):
        raise NoSuchVersion(f"{key.decode()} disappeared while it was copied")
    for start in range(0, length or 1, PIECE):
        piece = cast("bytes", redis.getrange(key, start, start + PIECE - 1))
        if len(piece) != min(PIECE, length - start):
            raise NoSuchVersion(f"{key.decode()} changed while it was copied")
        yield {**record, "value": _encode(piece)} | ({"at": start} if start else {})


def _encode(value: Any) -> str:
    return b64encode(value).decode()
