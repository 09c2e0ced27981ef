"""The steps between versions in the store: written when a version is published, kept for a year."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, cast

from redis import Redis

from snapshot.errors import SnapshotError, WrongType
from snapshot.store import keys
from snapshot.store.snapshots import translate_errors
from snapshot.version.changes import Concepts, Step, decode_step, previous_of, redo, undo
from snapshot.version.schema import version_at

YEAR_SECONDS: Final = 366 * 86400


class UnknownSince(SnapshotError):
    """No step leads from the current version to this one; `oldest` is the oldest to which one does."""

    def __init__(self, version: str, oldest: str) -> None:
        super().__init__(f"nothing is known about version {version} any more; the oldest known one is {oldest}")
        self.oldest = oldest


@dataclass(frozen=True)
class StoredSteps:
    """The steps of a corpus, by version, as they are stored."""

    raw: dict[str, bytes]

    def ancestors(self, version: str) -> Iterator[str]:
        """A version and those that it continues, newest first, as far as steps lead."""
        seen: set[str] = set()
        while version and version not in seen:
            yield version
            seen.add(version)
            version = previous_of(self.raw[version]) if version in self.raw else ""

    def step(self, version: str) -> Step | None:
        """The step that led to a version."""
        return decode_step(self.raw[version]) if version in self.raw else None

    def concepts_at(self, since: str, current: str, concepts: Concepts) -> Concepts:
        """The concepts of a version, from those of the current one.

        Both may continue a common one, if somebody rolled back: the way leads back to it, then forward.
        """
        back = list(self.ancestors(current))
        forward = list(self.ancestors(since))
        common = next((version for version in forward if version in back), None)
        if common is None:
            raise UnknownSince(since, back[-1])
        for version in back[: back.index(common)]:
            concepts = undo(concepts, self._known(version, since, current))
        for version in reversed(forward[: forward.index(common)]):
            concepts = redo(concepts, self._known(version, since, current))
        return concepts

    def _known(self, version: str, since: str, current: str) -> Step:
        step = self.step(version)
        if step is None:
            raise UnknownSince(since, current)
        return step


class ChangeLog:
    """Reads and trims the steps. `SnapshotStore.publish` writes them."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def steps(self, corpus: str) -> StoredSteps:
        """All steps of a corpus; none if the key is damaged."""
        try:
            with translate_errors():
                stored = cast("dict[bytes, bytes]", self._redis.hgetall(keys.changes(corpus)))
        except WrongType:
            stored = {}
        return StoredSteps({version.decode(errors="replace"): raw for version, raw in stored.items()})

    def latest(self, corpus: str, version: str, limit: int) -> list[Step]:
        """The last steps that led to a version, newest first, read one by one; none if the key is damaged."""
        steps: list[Step] = []
        try:
            while version and len(steps) < limit:
                with translate_errors():
                    raw = cast("bytes | None", self._redis.hget(keys.changes(corpus), version))
                step = None if raw is None else decode_step(raw)
                if step is None:
                    break
                steps.append(step)
                version = step.previous
        except WrongType:
            return []
        return steps

    def trim(self, corpus: str, now: datetime) -> None:
        """Drop the steps of more than a year ago; and all if the key is damaged, so that new ones can be written."""
        oldest = version_at(datetime.fromtimestamp(now.timestamp() - YEAR_SECONDS, UTC)).encode()
        with translate_errors():
            if self._redis.type(keys.changes(corpus)) not in {b"hash", b"none"}:
                self._redis.delete(keys.changes(corpus))
                return
            old = [
                version for version in cast("list[bytes]", self._redis.hkeys(keys.changes(corpus))) if version < oldest
            ]
            if old:
                self._redis.hdel(keys.changes(corpus), *(version.decode() for version in old))
