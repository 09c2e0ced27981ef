"""Restores a backup: checks the whole file, writes it beside, and makes it visible in one step.

What is written first has keys of its own, which expire, so a restore that was killed leaves nothing for long, and can
be repeated at once: a second one removes what the first has written, and stops it if it is still at work.
"""

import secrets
from base64 import b64decode
from pathlib import Path
from typing import Any, Final, cast

from redis import Redis

from snapshot.errors import PublishRefused
from snapshot.store import keys
from snapshot.store.backup.file import PREFIX, BackupError, BackupReader, Record, verify
from snapshot.store.publication import SCRIPTS
from snapshot.store.snapshots import translate_errors

STAGING_SECONDS: Final = 86400
"""Time to live of what an unfinished restore has written."""

BATCH_RECORDS: Final = 256
BATCH_BYTES: Final = 2**24
"""What is written at once: so many records, or so many bytes."""

MOST_KEYS: Final = 400_000
"""The script that makes them visible takes two names for each, and a server takes a million arguments."""

RESTORE: Final = (SCRIPTS / "restore.lua").read_text(encoding="utf-8")


def restore(redis: Redis, path: Path) -> int:
    """Write a backup into a store that has nothing of Cotag yet; returns the number of records."""
    contents = verify(path)
    with translate_errors():
        _check_room(redis, contents.bytes)
        restoring = _Restoring(redis)
        restoring.begin()
        reader = BackupReader(path)
        batch: list[Record] = []
        size = 0
        for record in reader.records():
            batch.append(record)
            size += len(record["value"])
            if len(batch) >= BATCH_RECORDS or size >= BATCH_BYTES:
                restoring.put(batch)
                batch, size = [], 0
        restoring.put(batch)
        if reader.contents != contents:
            raise BackupError(f"{path} changed while it was restored; nothing is restored")
        restoring.finish()
    return contents.records


class _Restoring:
    """What one restore has written beside."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._token = secrets.token_hex(8)
        self._staged: dict[str, str] = {}
        """By the key that each becomes."""

    def begin(self) -> None:
        """Take over from a restore before; BackupError if the store has anything else of Cotag."""
        own = keys.staged("*").rstrip("*").encode()
        left = []
        for name in self._redis.scan_iter(f"{PREFIX}*", count=1000):
            if name != keys.RESTORING.encode() and not name.startswith(own):
                raise BackupError("the store already has data of Cotag; restore into an empty one, or another database")
            left.append(name)
        self._redis.set(keys.RESTORING, self._token, ex=STAGING_SECONDS)
        for name in left:
            if name.startswith(own):
                self._redis.unlink(name)

    def put(self, records: list[Record]) -> None:
        """Write records beside."""
        pipe = self._redis.pipeline(transaction=True)
        pipe.get(keys.RESTORING)
        touched = set()
        for record in records:
            name = self._staged.get(record["key"]) or self._stage(record["key"])
            touched.add(name)
            _put(pipe, name, record)
        for name in touched:
            pipe.expire(name, STAGING_SECONDS)
        if pipe.execute()[0] != self._token.encode():
            raise BackupError("another restore has begun; this one stops, and has restored nothing")

    def finish(self) -> None:
        """Make everything visible in one step."""
        names = [keys.RESTORING, *self._staged.values(), *self._staged]
        try:
            with translate_errors():
                self._redis.eval(RESTORE, len(names), *names, self._token)
        except PublishRefused as error:
            raise BackupError(f"{error}; nothing is restored") from error

    def _stage(self, key: str) -> str:
        if len(self._staged) >= MOST_KEYS:
            raise BackupError(f"the backup has more than {MOST_KEYS:,} keys")
        name = self._staged[key] = keys.staged(f"{self._token}:{len(self._staged)}")
        return name


def _check_room(redis: Redis, size: int) -> None:
    """BackupError if the store has no room for so many bytes of base64."""
    memory = redis.info("memory")
    limit, used = int(memory.get("maxmemory", 0)), int(memory.get("used_memory", 0))
    if limit and used + size * 3 // 4 > limit:
        raise BackupError(
            f"the store has room for {max(limit - used, 0):,} bytes, and the backup has {size * 3 // 4:,}"
        )


def _put(pipe: Any, name: str, record: Record) -> None:
    value = b64decode(record["value"])
    match record["type"]:
        case "string":
            at = int(record.get("at", 0))
            pipe.setrange(name, at, value) if at else pipe.set(name, value)
        case "hash":
            pipe.hset(name, cast("Any", b64decode(record["field"])), cast("Any", value))
        case "set":
            pipe.sadd(name, value)
        case "zset":
            pipe.zadd(name, {cast("Any", value): record["score"]})
        case "list":
            pipe.rpush(name, value)
