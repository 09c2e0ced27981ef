"""The edits in Redis: read with their revision, changed in one step if nobody else did meanwhile."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, cast
from zlib import crc32

import orjson
import structlog
from redis import Redis
from redis.exceptions import ResponseError

from snapshot.edits.change import EditChange
from snapshot.edits.edit import Edit
from snapshot.edits.state import (
    UNREADABLE,
    EditState,
    decode_edit,
    decode_edits,
    encode_edit,
    is_damaged,
    is_readable,
)
from snapshot.errors import StoreUnavailable
from snapshot.store import keys
from snapshot.store.health.confirmation import confirmed_writes
from snapshot.store.publication import SCRIPTS
from snapshot.store.records import Announcement, encode_record
from snapshot.store.snapshots import translate_errors

EDIT = (SCRIPTS / "edit.lua").read_text(encoding="utf-8")
DECLARE = (SCRIPTS / "declare_edits.lua").read_text(encoding="utf-8")

READ_ATTEMPTS: Final = 5
"""How often a reader tries again if others change the edits meanwhile."""

UNREADABLE_REVISION: Final = 1 << 40
"""What a revision that is no number counts from: more than editors ever decide."""

REVISION: Final = re.compile(rb"\d{1,18}", re.ASCII)

TRIAL_SECONDS = 86400
"""How long the edits of a trial wait for its run."""

log = structlog.get_logger()


class StaleRevision(Exception):
    """Somebody else changed the edits meanwhile; `revision` is the current one."""

    def __init__(self, corpus: str, revision: int, expected: int) -> None:
        super().__init__(f"the edits of {corpus} have revision {revision}, not {expected}; read them again")
        self.revision = revision


class EditStore:
    """The edits of all corpora. Each has a hash of edits, a revision, and what the corpora file says."""

    def __init__(self, redis: Redis, count: Callable[[str], None] | None = None) -> None:
        self._redis = redis
        self._count = count
        self._refused: set[tuple[str, bytes]] = set()

    def revisions(self, corpora: Sequence[str]) -> dict[str, int]:
        """The revision of each corpus; 0 if it has no edits."""
        if not corpora:
            return {}
        with translate_errors():
            stored = cast("list[bytes | None]", self._redis.mget([keys.revision(corpus) for corpus in corpora]))
        return {corpus: _number(raw) for corpus, raw in zip(corpora, stored, strict=True)}

    def read(self, corpus: str) -> EditState:
        """All edits of a corpus, and the revision that they belong to."""
        revision, stored, declared = self._read_together(corpus)
        try:
            edits = decode_edits(b"[" + b",".join(stored.values()) + b"]")
        except UNREADABLE:
            edits = decode_edits(b"[" + b",".join(self._readable(corpus, stored)) + b"]")
        return EditState(_number(revision), edits, self._decode_declared(corpus, declared))

    def _read_together(self, corpus: str) -> tuple[bytes | None, dict[bytes, bytes], bytes | None]:
        """Revision, stored edits and those of the file, of one moment.

        Commands that only read, and no script: a user of the store who may only read can do it. Every change of the
        edits changes the revision, so if it is the same before and after, nothing changed in between.
        """
        for _ in range(READ_ATTEMPTS):
            pipe = self._redis.pipeline(transaction=False)
            pipe.mget([keys.revision(corpus), keys.declared_edits(corpus)])
            pipe.hgetall(keys.edits(corpus))
            pipe.mget([keys.revision(corpus)])
            with translate_errors():
                (revision, declared), stored, (after,) = pipe.execute()
            if revision == after:
                return revision, stored, declared
        raise StoreUnavailable(f"the edits of {corpus} changed whenever they were read; try again")

    def _readable(self, corpus: str, records: dict[bytes, bytes]) -> Iterator[bytes]:
        """The edits that can be read; the others are logged and counted."""
        for name, raw in records.items():
            if is_readable(raw):
                yield raw
            else:
                self._refuse(f"{keys.edits(corpus)} {name.decode(errors='replace')}", raw)

    def _damaged_names(self, corpus: str) -> list[bytes]:
        """The names of stored edits that nobody can read, not even a newer release."""
        if not any(key.startswith(keys.edits(corpus)) for key, _ in self._refused):
            return []
        with translate_errors():
            stored = cast("dict[bytes, bytes]", self._redis.hgetall(keys.edits(corpus)))
        return [name for name, raw in stored.items() if is_damaged(raw)]

    def change(self, corpus: str, revision: int, *, add: Iterable[Edit] = (), remove: Iterable[str] = ()) -> int:
        """Add and remove edits, all or none, and return the new revision. They are then in the store's file.

        Raises:
            StaleRevision: the edits have another revision by now; nothing was changed.
        """
        added = {edit.id: encode_edit(edit) for edit in add}
        removed = [name for name in dict.fromkeys(remove) if name not in added]
        damaged = self._damaged_names(corpus)
        announcement = encode_record(Announcement(corpus, "", revision + 1))
        arguments: list[Any] = [revision, keys.ANNOUNCEMENTS, announcement, len(removed) + len(damaged)]
        arguments += [*removed, *damaged]
        for pair in added.items():
            arguments += pair
        with confirmed_writes(self._redis) as connection:
            try:
                new = int(cast("int", connection.eval(EDIT, 2, keys.revision(corpus), keys.edits(corpus), *arguments)))
            except ResponseError as error:
                current = re.fullmatch(r".*REVISION (\d+)", str(error))
                if current is None:
                    raise
                new = int(current[1])
                after = {**added, **dict.fromkeys(removed)}
                if new != revision + 1 or not added or not _holds(connection, corpus, after):
                    raise StaleRevision(corpus, new, revision) from error
                # The store made this very change, but its answer was lost, and the client sent it again.
        return new

    def declare(self, corpus: str, edits: Iterable[Edit]) -> None:
        """Replace what the corpora file says about a corpus. The revision grows only if that is something else."""
        raw = b"[" + b",".join(encode_edit(edit) for edit in edits) + b"]"
        with translate_errors():
            self._redis.eval(
                DECLARE,
                2,
                keys.revision(corpus),
                keys.declared_edits(corpus),
                raw,
                keys.ANNOUNCEMENTS,
                encode_record(Announcement(corpus, "")),
                UNREADABLE_REVISION,
            )

    def store_trial(self, job: str, change: EditChange) -> None:
        """Write down which edits a job is to try, for a day."""
        record = {
            "add": [orjson.loads(encode_edit(edit)) for edit in change.added],
            "remove": [edit.id for edit in change.removed],
        }
        with translate_errors():
            self._redis.set(keys.trial(job), orjson.dumps(record), ex=TRIAL_SECONDS)

    def trial(self, job: str, edits: EditState) -> EditState | None:
        """The edits that a job is to try, on top of others; None if they have expired."""
        with translate_errors():
            raw = cast("bytes | None", self._redis.get(keys.trial(job)))
        if raw is None:
            return None
        record = orjson.loads(raw)
        left = [edit for edit in edits.stored if edit.id not in record["remove"]]
        return replace(edits, stored=(*left, *map(decode_edit, record["add"])))

    def undeclared(self, corpora: Sequence[str]) -> list[str]:
        """The corpora of which the store does not have what the corpora file says."""
        names = [keys.declared_edits(corpus) for corpus in corpora]
        with translate_errors():
            if not names or self._redis.exists(*names) == len(names):
                return []
            return [corpus for corpus, name in zip(corpora, names, strict=True) if not self._redis.exists(name)]

    def _decode_declared(self, corpus: str, raw: bytes | None) -> tuple[Edit, ...] | None:
        if raw is None:
            return None
        try:
            return tuple(decode_edit(record) for record in orjson.loads(raw))
        except UNREADABLE:
            self._refuse(keys.declared_edits(corpus), raw)
            return None

    def _refuse(self, key: str, raw: bytes) -> None:
        if (key, raw) not in self._refused:
            self._refused.add((key, raw))
            log.warning("unreadable record", key=key, kind=Edit.__name__)
            if self._count is not None:
                self._count(Edit.__name__)


def _number(raw: bytes | None) -> int:
    """A revision. One that is no number counts as some number, so that everybody sees that it changed."""
    if raw is None:
        return 0
    return int(raw) if REVISION.fullmatch(raw) else UNREADABLE_REVISION + crc32(raw)


def _holds(connection: Redis, corpus: str, edits: dict[str, bytes | None]) -> bool:
    """Whether the store has these edits, and lacks those that are None."""
    names = list(edits)
    return cast("list[bytes | None]", connection.hmget(keys.edits(corpus), names)) == list(edits.values())
