"""Copies everything that Cotag has in a store to a file, and back into an empty store.

A backup is JSON Lines, compressed with gzip: a header, one line for each string, member, item or field, and a last line
with their number. Values are base64. Keys that expire are left out: heartbeats, locks, statuses of jobs, and what an
unfinished publication has written.
"""

import gzip
import os
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import orjson
from redis import Redis

from snapshot.errors import NoSuchVersion, SnapshotError
from snapshot.store import keys
from snapshot.store.snapshots import SnapshotStore, translate_errors

FORMAT: Final = 1
ATTEMPTS: Final = 3
BATCH: Final = 64
"""Lines that a restore writes at once; a line holds at most 8 MB."""

PREFIX: Final = "cotag:"
TYPES: Final = frozenset({"string", "hash", "set", "zset", "list"})
LONGEST_HEADER: Final = 1000
LONGEST_LINE: Final = 2**30
"""Bytes of a line: the largest value of a store, in base64."""

Line = dict[str, Any]


class BackupError(SnapshotError):
    """A backup cannot be made, or a file is none; the message says why."""


def back_up(redis: Redis, path: Path) -> int:
    """Write a backup and return the number of its lines. It is complete, or there is none.

    Versions never change. If one was published, activated or dropped meanwhile, the backup starts again.
    """
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        for _ in range(ATTEMPTS):
            before = _pointers(redis)
            unfinished.unlink(missing_ok=True)
            with _private(unfinished) as raw, gzip.open(raw, "wb", compresslevel=1) as file:
                count = _write(file, _lines(redis))
            if _pointers(redis) == before:
                unfinished.replace(path)
                return count
    except OSError as error:
        raise BackupError(f"{path}: {error.strerror or error}") from error
    finally:
        unfinished.unlink(missing_ok=True)
    raise BackupError("versions changed whenever a backup was made; pause the corpora (cotag pause) and try again")


def restore(redis: Redis, path: Path) -> int:
    """Write a backup into a store that has nothing of Cotag yet; returns the number of lines.

    The whole file is checked first. What makes a version current is written last.
    """
    count = sum(1 for _ in _read(path))
    with translate_errors():
        if next(redis.scan_iter("cotag:*"), None) is not None:
            raise BackupError("the store already has data of Cotag; restore into an empty one, or another database")
        pointers = {keys.current("*").rpartition(":")[2], keys.versions("*").rpartition(":")[2]}
        for late in (False, True):
            batch: list[Line] = []
            for line in _read(path):
                if (str(line["key"]).rpartition(":")[2] in pointers) == late:
                    batch.append(line)
                if len(batch) == BATCH:
                    _put(redis, batch)
                    batch = []
            _put(redis, batch)
    return count


def _private(path: Path) -> BinaryIO:
    """A new file that only its user can read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _pointers(redis: Redis) -> dict[str, tuple[str | None, list[str]]]:
    store = SnapshotStore(redis)
    return {corpus: (store.current(corpus), store.versions(corpus)) for corpus in store.corpora()}


def _write(file: Any, lines: Iterator[Line]) -> int:
    file.write(orjson.dumps({"cotag_backup": FORMAT}) + b"\n")
    count = 0
    for line in lines:
        file.write(orjson.dumps(line) + b"\n")
        count += 1
    file.write(orjson.dumps({"lines": count}) + b"\n")
    return count


def _lines(redis: Redis) -> Iterator[Line]:
    """Every element of every key of Cotag that does not expire."""
    with translate_errors():
        for raw in sorted(set(redis.scan_iter("cotag:*", count=1000))):
            if redis.ttl(raw) == -1:
                yield from _elements(redis, raw)


def _elements(redis: Redis, key: bytes) -> Iterator[Line]:
    kind = cast("bytes", redis.type(key)).decode()
    line: Line = {"key": key.decode(), "type": kind}
    if kind == "hash":
        for field in sorted(cast("list[bytes]", redis.hkeys(key))):
            yield {**line, "field": _encode(field), "value": _encode(redis.hget(key, cast("Any", field)) or b"")}
        return
    for value, score in _values(redis, key, kind):
        yield {**line, "value": _encode(value)} | ({} if score is None else {"score": score})


def _values(redis: Redis, key: bytes, kind: str) -> list[tuple[bytes, float | None]]:
    """What a key holds, with scores if it is a sorted set."""
    if kind == "zset":
        return cast("list[tuple[bytes, float | None]]", redis.zrange(key, 0, -1, withscores=True))
    values: Any = [redis.get(key)] if kind == "string" else redis.smembers(key) if kind == "set" else None
    members: Any = redis.lrange(key, 0, -1) if values is None else values
    if None in members:
        raise NoSuchVersion(f"{key.decode()} disappeared while it was copied")
    return [(member, None) for member in (sorted(members) if kind == "set" else members)]


def _put(redis: Redis, lines: list[Line]) -> None:
    pipe = redis.pipeline(transaction=True)
    for line in lines:
        key, value = line["key"], b64decode(line["value"])
        match line["type"]:
            case "string":
                pipe.set(key, value)
            case "hash":
                pipe.hset(key, cast("Any", b64decode(line["field"])), cast("Any", value))
            case "set":
                pipe.sadd(key, value)
            case "zset":
                pipe.zadd(key, {cast("Any", value): line["score"]})
            case "list":
                pipe.rpush(key, value)
    pipe.execute()


def _read(path: Path) -> Iterator[Line]:
    """The lines of a backup; BackupError if it is none, or not complete."""
    count, ended = 0, False
    try:
        with gzip.open(path, "rb") as file:
            if orjson.loads(file.readline(LONGEST_HEADER)).get("cotag_backup") != FORMAT:
                raise BackupError(f"{path} is no backup of Cotag, or of another release")
            while raw := file.readline(LONGEST_LINE):
                if len(raw) == LONGEST_LINE:
                    raise BackupError(f"{path}: line {count + 2} is longer than {LONGEST_LINE:,} bytes")
                line = orjson.loads(raw)
                if "lines" in line:
                    ended = line["lines"] == count
                else:
                    count += 1
                    yield _checked(line, count)
    except (OSError, EOFError) as error:
        raise BackupError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    except zlib.error as error:
        raise BackupError(f"{path}: {error}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BackupError(f"{path} is no backup of Cotag: line {count + 1}: {error}") from error
    if not ended:
        raise BackupError(f"{path} is incomplete: it was cut short")


def _checked(line: Line, number: int) -> Line:
    """The same line; ValueError if it is none of a key of Cotag, with values that can be decoded."""
    if not isinstance(line["key"], str) or not line["key"].startswith(PREFIX):
        raise ValueError(f"record {number} is about {line['key']!r}, which is no key of Cotag")
    if line["type"] not in TYPES:
        raise ValueError(f"record {number} has the unknown type {line['type']!r}")
    b64decode(line["value"], validate=True)
    if line["type"] == "hash":
        b64decode(line["field"], validate=True)
    if line["type"] == "zset":
        float(line["score"])
    return line


def _encode(value: Any) -> str:
    return b64encode(value).decode()
