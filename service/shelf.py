import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog

from service.errors import NothingServed, UnknownCorpus
from service.view import View
from snapshot import RunStatus, SnapshotError, SnapshotStore, StatusBoard, StoreUnavailable

POLL_SECONDS: Final = 1.0
"""The store is asked at least this often, in case an announcement got lost."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Freshness:
    """Whether the store answers, and since when it does not."""

    connected: bool
    since: float


class Shelf:
    """The current snapshot of every corpus, in memory, replaced whole when a new one is published.

    Requests take a view once and use it to the end, so a swap under their feet changes nothing for them.
    A snapshot that cannot be read is refused and logged; the one before it stays.
    """

    def __init__(self, store: SnapshotStore, board: StatusBoard, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._board = board
        self._clock = clock
        self._views: dict[str, View] = {}
        self._refused: dict[str, str] = {}
        self._freshness = Freshness(connected=False, since=clock())
        self._stopped = threading.Event()

    def start(self) -> None:
        """Fill the shelf now if the store answers, and keep it up to date from a thread."""
        self._try_refresh()
        threading.Thread(target=self._follow, name="shelf", daemon=True).start()

    def stop(self) -> None:
        """Follow the store no longer."""
        self._stopped.set()

    def view(self, corpus: str) -> View:
        """The current view of a corpus."""
        try:
            return self._views[corpus]
        except KeyError:
            pass
        if self._board_knows(corpus):
            raise NothingServed(f"{corpus} has no snapshot yet; its first clustering is under way")
        raise UnknownCorpus(f"there is no corpus {corpus!r}")

    def views(self) -> dict[str, View]:
        """All current views by corpus."""
        return dict(sorted(self._views.items()))

    @property
    def freshness(self) -> Freshness:
        """Whether the store answered when last asked."""
        return self._freshness

    def status(self, corpus: str) -> RunStatus | None:
        """How the latest run of a corpus is getting on; None also when the store is away."""
        try:
            return self._board.read(corpus)
        except StoreUnavailable:
            return None

    def refresh(self) -> None:
        """Load every corpus whose current version is not the one on the shelf."""
        for corpus in self._store.corpora():
            version = self._store.current(corpus)
            held = self._views.get(corpus)
            if version is None or (held is not None and held.snapshot.version == version):
                continue
            if self._refused.get(corpus) == version:
                continue
            try:
                view = View(self._store.load(corpus, version))
            except StoreUnavailable:
                raise
            except SnapshotError as error:
                self._refused[corpus] = version
                log.error("snapshot refused", corpus=corpus, version=version, reason=str(error))  # noqa: TRY400
                continue
            self._views = {**self._views, corpus: view}
            log.info("serving", corpus=corpus, version=version)
        if not self._freshness.connected:
            self._freshness = Freshness(connected=True, since=self._clock())

    def _follow(self) -> None:
        while not self._stopped.is_set():
            try:
                for _ in self._store.announcements(wait=POLL_SECONDS):
                    if self._stopped.is_set():
                        return
                    self.refresh()
            except StoreUnavailable as error:
                self._lost(error)
                self._stopped.wait(POLL_SECONDS)

    def _try_refresh(self) -> None:
        try:
            self.refresh()
        except StoreUnavailable as error:
            self._lost(error)

    def _lost(self, error: StoreUnavailable) -> None:
        if self._freshness.connected or not self._views:
            log.warning("the store is away", reason=str(error), serving=sorted(self._views))
        self._freshness = Freshness(
            connected=False, since=self._clock() if self._freshness.connected else self._freshness.since
        )

    def _board_knows(self, corpus: str) -> bool:
        return self.status(corpus) is not None
