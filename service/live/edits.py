"""Follows the edits of the corpora: read from the store when their revision changes, copied to disk for outages."""

import threading
from collections.abc import Callable, Mapping
from typing import Final

import structlog

from service.live.disk_cache import DiskCache
from service.view.view import View
from service.web.metrics import Metrics
from snapshot import WrongType
from snapshot.edits import NO_EDITS, EditState
from snapshot.store.edits import EditStore

PATIENCE_SECONDS: Final = 1.0
"""How long an editor waits until the process that answers has taken up the change."""

log = structlog.get_logger()


class LiveEdits:
    """The edits of all corpora as last read."""

    def __init__(self, store: EditStore | None, disk_cache: DiskCache | None, metrics: Metrics) -> None:
        self._store = store
        self._disk_cache = disk_cache
        self._metrics = metrics
        self._states: dict[str, EditState] = {}
        self._damaged = False
        self._applied = threading.Condition()

    def refresh(self, corpora: list[str]) -> None:
        """Read the edits of the corpora whose revision changed. Damaged edits leave the last ones in force."""
        if self._store is None:
            return
        try:
            for corpus, revision in self._store.revisions(corpora).items():
                if corpus not in self._states or self._states[corpus].revision != revision:
                    self._states[corpus] = self._store.read(corpus) if revision else NO_EDITS
                    if self._disk_cache is not None:
                        self._disk_cache.write_edits(corpus, self._states[corpus])
        except WrongType as error:
            if not self._damaged:
                log.error("edits are damaged; the last ones stay in force", reason=str(error))  # noqa: TRY400
            self._damaged = True
        else:
            self._damaged = False

    def apply(self, views: Mapping[str, View]) -> dict[str, View]:
        """The views that need other edits, with these."""
        return {
            corpus: self.applied(view)
            for corpus, view in views.items()
            if view.revision != self._state(corpus).revision
        }

    def applied(self, view: View) -> View:
        """A view with the current edits of its corpus."""
        state = self._state(view.snapshot.corpus)
        if state.revision == view.revision:
            return view
        edited = view.with_edits(state)
        counts = edited.edit_counts
        for force, count in counts.items():
            self._metrics.edits.labels(view.snapshot.corpus, force).set(count)
        log.info("edits", corpus=view.snapshot.corpus, revision=state.revision, **counts)
        return edited

    def notify(self) -> None:
        """Wake those who wait for a change."""
        with self._applied:
            self._applied.notify_all()

    def wait_for(self, is_applied: Callable[[], bool]) -> None:
        """Return when a change is applied, or after a while."""
        with self._applied:
            self._applied.wait_for(is_applied, PATIENCE_SECONDS)

    def load_copy(self, corpus: str) -> None:
        """Take the edits of a corpus from disk, unless the store gave them already."""
        if self._disk_cache is not None and corpus not in self._states:
            self._states[corpus] = self._disk_cache.read_edits(corpus)

    def _state(self, corpus: str) -> EditState:
        return self._states.get(corpus, NO_EDITS)
