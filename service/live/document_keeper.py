"""Opens the documents of each version, removes files that nobody needs, and tries again where documents are missing."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import structlog

from service.live.document_files import DocumentFiles
from service.view.document_store import NOT_LOADED, DocumentStore, MissingDocuments
from service.view.view import View
from snapshot import NoSuchVersion, Snapshot, SnapshotCorrupt, SnapshotStore

RETRY_SECONDS: Final = 15.0
"""Between two attempts to get hold of missing documents, and to remove files that another process mapped."""

log = structlog.get_logger()


class DocumentKeeper:
    """The documents of all views of a process; without files there are none."""

    def __init__(self, files: DocumentFiles | None, store: SnapshotStore, clock: Callable[[], float]) -> None:
        self._files = files
        self._store = store
        self._clock = clock
        self._tried: dict[str, float] = {}
        self._swept = 0.0
        self._swept_for: Mapping[str, View] = {}

    def open(self, snapshot: Snapshot, meta: bytes, *, store_answers: bool = True) -> DocumentStore | MissingDocuments:
        """The documents of a version, from the store or, while it is away, from the disk alone."""
        if self._files is None:
            return NOT_LOADED
        return self._files.open(snapshot, meta, self._store if store_answers else None)

    def look_after(self, views: Mapping[str, View], behind: Iterable[str]) -> bool:
        """Remove files that no process maps, and try again to open missing documents; whether some are there now."""
        if self._files is None:
            return False
        if views is not self._swept_for or not 0 <= self._clock() - self._swept < RETRY_SECONDS:
            self._files.sweep(views)
            self._swept_for, self._swept = views, self._clock()
        opened = [self._retry(view) for corpus, view in views.items() if corpus not in behind]
        return any(opened)

    def _retry(self, view: View) -> bool:
        """Whether documents that were missing are there now. A disk may have space again, a store be back."""
        state, corpus, version = view.document_state, view.snapshot.corpus, view.snapshot.version
        if isinstance(state, DocumentStore) or state.left_out:
            return False
        if self._clock() - self._tried.get(corpus, 0.0) < RETRY_SECONDS:
            return False
        self._tried[corpus] = self._clock()
        try:
            view.document_state = self.open(view.snapshot, self._store.raw_meta(corpus, version))
        except (NoSuchVersion, SnapshotCorrupt) as error:
            log.warning("cannot read the documents", corpus=corpus, version=version, reason=str(error))
        if view.has_documents:
            log.info("serving documents", corpus=corpus, version=version)
        return view.has_documents
