"""Follows the documents that are pushed and deleted: which of them the version lacks that is served."""

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

import structlog

from service.live.disk_cache import Deletions, DiskCache
from service.view.changes import NO_CHANGES, ChangedDocument, Changes, changed_document
from service.view.view import View
from snapshot import PushedChange, PushedDocuments, WrongType, pushed_revision

FRESH_LIMIT: Final = 50_000
"""Pushed documents that a process takes up before the next run, unless it is set otherwise."""

PAGE: Final = 2000
"""Changes that are read at once."""

log = structlog.get_logger()


class _Waiting:
    """Ids of the documents that wait for the next run, and a digest of them, kept up to date one by one."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._digest = 0

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def digest(self) -> str:
        """The same for the same ids in any order, in every process; empty if none waits."""
        return f"{self._digest:016x}" if self._ids else ""

    def add(self, name: str) -> None:
        if name not in self._ids:
            self._ids.add(name)
            self._toggle(name)

    def discard(self, name: str) -> None:
        if name in self._ids:
            self._ids.remove(name)
            self._toggle(name)

    def _toggle(self, name: str) -> None:
        key = name.encode(errors="surrogatepass")
        self._digest ^= int.from_bytes(blake2b(key, digest_size=8).digest())


@dataclass(eq=False)
class _Followed:
    """The changes of one corpus since a version."""

    base: View
    floor: int
    """The version has all changes up to this revision."""

    seen: int
    cleared: int = 0
    erasures: int = 0
    last: dict[str, PushedChange] = field(default_factory=dict)
    documents: dict[str, ChangedDocument] = field(default_factory=dict)
    fresh: int = 0
    """How many of the documents exist."""

    waiting: _Waiting = field(default_factory=_Waiting)
    current: Changes = NO_CHANGES


class LivePushedChanges:
    """The changes of all corpora since the versions that are served; `most` is how many documents are taken up."""

    def __init__(
        self, pushed: Callable[[str], PushedDocuments] | None, most: int, disk_cache: DiskCache | None = None
    ) -> None:
        self._pushed = pushed
        self._most = most
        self._disk_cache = disk_cache
        self._followed: dict[str, _Followed] = {}
        self._erasures: dict[str, int] = {}
        self._damaged: set[str] = set()
        self._copied: dict[str, Deletions] = {}

    def erasures(self, corpus: str) -> int:
        """How often versions of a corpus were rewritten without some documents, as last read."""
        return self._erasures.get(corpus, 0)

    def since(self, base: View, base_url: str | None) -> Changes:
        """The changes since a version, read from the store; the same object as before if nothing changed.

        If their keys are damaged, the last ones stay in force.
        """
        corpus = base.snapshot.corpus
        if self._pushed is None:
            return NO_CHANGES
        try:
            followed = self._read(self._pushed(corpus), base, base_url)
        except WrongType as error:
            if corpus not in self._damaged:
                log.error("pushed documents are damaged", corpus=corpus, reason=str(error))  # noqa: TRY400
            self._damaged.add(corpus)
            return self.last(base)
        self._damaged.discard(corpus)
        return followed.current

    def last(self, base: View) -> Changes:
        """The changes since a version as last read."""
        followed = self._followed.get(base.snapshot.corpus)
        return NO_CHANGES if followed is None or followed.base is not base else followed.current

    def load_copy(self, base: View) -> Changes:
        """What the copy on disk says was deleted after a version: for a start while the store is away."""
        if self._disk_cache is None:
            return NO_CHANGES
        corpus, floor = base.snapshot.corpus, pushed_revision(base.snapshot)
        deletions = self._disk_cache.read_deletions(corpus)
        changes = [
            PushedChange(name, at, None)
            for name, at in deletions.documents.items()
            if at > max(floor, deletions.cleared)
        ]
        cleared = deletions.cleared > floor
        if not changes and not cleared:
            return NO_CHANGES
        store = base.documents if base.has_documents else None
        documents = {change.id: changed_document(change, base.names, store, None) for change in changes}
        return Changes(max(deletions.cleared, *(change.revision for change in changes), 0), documents, cleared)

    def forget(self, corpus: str) -> None:
        """Stop following a corpus."""
        self._followed.pop(corpus, None)

    def _read(self, pushed: PushedDocuments, base: View, base_url: str | None) -> _Followed:
        corpus = base.snapshot.corpus
        followed = self._followed_from(base, base_url)
        changed = self._followed.get(corpus) is not followed
        while True:
            page = pushed.changes(followed.seen, PAGE, base.snapshot.version)
            self._erasures[corpus] = page.erasures
            if page.revision < followed.seen:  # another store, or one that was restored
                followed = _Followed(base, pushed_revision(base.snapshot), pushed_revision(base.snapshot))
                if page.revision < followed.seen:
                    followed.floor = followed.seen = page.revision
                changed = True
                continue
            changed |= self._forget_before(followed, page.cleared, max(followed.floor, page.contained))
            changed |= bool(page.changes)
            for change in page.changes:
                self._take_up(followed, change, base_url)
            if len(page.changes) < PAGE:
                followed.seen = page.revision
                break
            followed.seen = page.changes[-1].revision
        self._followed[corpus] = followed
        if changed:
            cleared = followed.cleared > followed.floor
            waiting = followed.waiting
            any_left = cleared or bool(followed.documents) or bool(waiting)
            followed.current = (
                Changes(followed.seen, dict(followed.documents), cleared, len(waiting), waiting.digest)
                if any_left
                else NO_CHANGES
            )
            self._copy_deletions(corpus, followed)
        return followed

    def _followed_from(self, base: View, base_url: str | None) -> _Followed:
        """What is known of the changes since a version; what the version has is forgotten."""
        known, floor = self._followed.get(base.snapshot.corpus), pushed_revision(base.snapshot)
        if known is not None and known.base is base:
            return known
        if known is None or floor < known.floor or known.waiting:
            return _Followed(base, floor, floor)
        followed = _Followed(base, floor, max(known.seen, floor), known.cleared)
        for change in known.last.values():
            if change.revision > floor:
                self._take_up(followed, change, base_url)
        return followed

    def _take_up(self, followed: _Followed, change: PushedChange, base_url: str | None) -> None:
        documents = followed.documents
        known = documents.get(change.id)
        if change.record is not None and known is None and followed.fresh >= self._most:
            followed.waiting.add(change.id)
            return
        followed.waiting.discard(change.id)
        base = followed.base
        store = base.documents if base.has_documents else None
        followed.last[change.id] = change
        documents[change.id] = changed = changed_document(change, base.names, store, base_url)
        followed.fresh += changed.exists - (known is not None and known.exists)

    def _forget_before(self, followed: _Followed, cleared: int, floor: int) -> bool:
        """Forget what came before the last deletion of all, and what the version has."""
        before = max(cleared, floor)
        if (cleared, floor) == (followed.cleared, followed.floor):
            return False
        followed.cleared, followed.floor = cleared, floor
        for name in [name for name, change in followed.last.items() if change.revision <= before]:
            del followed.last[name]
            followed.fresh -= followed.documents.pop(name).exists
        followed.waiting = _Waiting() if before >= followed.seen else followed.waiting
        return True

    def _copy_deletions(self, corpus: str, followed: _Followed) -> None:
        if self._disk_cache is None:
            return
        deleted = {name: change.revision for name, change in followed.last.items() if change.record is None}
        deletions = Deletions(deleted, followed.cleared)
        if self._copied.get(corpus) != deletions:
            self._disk_cache.write_deletions(corpus, deletions)
            self._copied[corpus] = deletions
