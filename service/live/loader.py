"""Loads versions from the store and verifies them; a version that cannot be read is refused once."""

from dataclasses import dataclass
from typing import Final

import structlog

from service.live.document_keeper import DocumentKeeper
from service.view.view import View, make_view
from service.web.metrics import Metrics
from snapshot import NoSuchVersion, SchemaMismatch, Snapshot, SnapshotError, SnapshotStore, StoreUnavailable, decode
from snapshot.store.change_log import ChangeLog

STEPS: Final = 6
"""How many of the last steps between versions a view holds, for the pages of concepts."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Loaded:
    """A version that can be served, and its bytes as the store has them."""

    view: View
    meta: bytes
    arrays: bytes


class SnapshotLoader:
    """Makes views of versions. Those that were refused are remembered, one for each corpus."""

    def __init__(
        self,
        store: SnapshotStore,
        documents: DocumentKeeper,
        metrics: Metrics,
        answer_bytes: int,
        change_log: ChangeLog | None = None,
    ) -> None:
        self._store = store
        self._change_log = change_log
        self._documents = documents
        self._metrics = metrics
        self._answer_bytes = answer_bytes
        self._refused: dict[str, tuple[str, str]] = {}

    def load(self, corpus: str, version: str) -> Loaded | None:
        """Load and verify a version; None if it is refused, which is logged and counted, or no longer there."""
        if self._refused.get(corpus, ("", ""))[0] == version:
            return None
        try:
            meta, arrays = self._store.raw(corpus, version)
            snapshot = decode(meta, arrays)
            if (snapshot.corpus, snapshot.version) != (corpus, version):
                raise SnapshotError(f"version {version} of {corpus} holds {snapshot.version} of {snapshot.corpus}")  # noqa: TRY301
            view = make_view(snapshot, self._answer_bytes, self._documents.open(snapshot, meta))
        except StoreUnavailable:
            raise
        except NoSuchVersion:
            return None  # dropped since the current version was read; the next refresh loads its successor
        except SnapshotError as error:
            self._refuse(corpus, version, error)
            return None
        if self._change_log is not None:
            view.steps = self._change_log.latest(corpus, version, STEPS)
        return Loaded(view, meta, arrays)

    def from_disk(self, snapshot: Snapshot, meta: bytes) -> View:
        """The view of a copy on disk, for when the store is away."""
        return make_view(snapshot, self._answer_bytes, self._documents.open(snapshot, meta, store_answers=False))

    def fault(self, corpus: str, version: str) -> str:
        """Why a version is not served."""
        refused, why = self._refused.get(corpus, ("", ""))
        return why if refused == version else f"version {version} is missing in the store"

    def _refuse(self, corpus: str, version: str, error: SnapshotError) -> None:
        self._refused[corpus] = version, str(error)
        self._metrics.refused.labels(corpus, "schema" if isinstance(error, SchemaMismatch) else "corrupt").inc()
        log.error("snapshot refused", corpus=corpus, version=version, reason=str(error))
