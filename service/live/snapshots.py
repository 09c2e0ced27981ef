"""The current snapshots in memory, kept up to date with the store by one thread."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import structlog

from service.errors import Absence, NothingServed, UnknownCorpus
from service.live.absence import Freshness, StoreState, absence, damaged_copy, no_documents_left, store_away
from service.live.disk_cache import Copy, DiskCache
from service.live.document_files import DocumentFiles
from service.live.document_keeper import DocumentKeeper
from service.live.edits import LiveEdits
from service.live.loader import SnapshotLoader
from service.live.pace import POLL_SECONDS, RebuildPace
from service.live.parts import Parts
from service.live.pushed_changes import FRESH_LIMIT, LivePushedChanges
from service.view.changes import Changes
from service.view.overlay import overlaid_view
from service.view.view import View
from service.web.metrics import Metrics
from snapshot import (
    Announcement,
    CorpusRegister,
    Heartbeats,
    PushedDocuments,
    RegisteredCorpus,
    RunStatus,
    SnapshotError,
    SnapshotStore,
    StatusBoard,
    StoreUnavailable,
)
from snapshot.store.change_log import ChangeLog
from snapshot.store.edits import EditStore

STALE_SECONDS: Final = 5.0
"""A version that the store has not confirmed for this long is stale, even if the connection is up."""

log = structlog.get_logger()


class LiveSnapshots:
    """The current snapshot of every corpus, in memory, replaced in one step when a new one is published.

    A request takes a view once and uses it to the end, so a swap meanwhile does not affect it. Requests read memory
    only; one thread reads the store. A snapshot that cannot be read is refused, logged and counted, and the one before
    it stays.
    """

    def __init__(
        self,
        store: SnapshotStore,
        board: StatusBoard,
        clock: Callable[[], float] = time.time,
        *,
        register: CorpusRegister | None = None,
        heartbeats: Heartbeats | None = None,
        change_log: ChangeLog | None = None,
        edits: EditStore | None = None,
        disk_cache: DiskCache | None = None,
        document_files: DocumentFiles | None = None,
        metrics: Metrics | None = None,
        pushed: Callable[[str], PushedDocuments] | None = None,
        fresh_limit: int = FRESH_LIMIT,
        answer_bytes: int = 0,
        undeclared: bool = True,
    ) -> None:
        self._store = store
        self._board = board
        self._clock = clock
        self._register = register
        self._heartbeats = heartbeats
        self._disk_cache = disk_cache
        self._documents = DocumentKeeper(document_files, store, clock)
        self._metrics = metrics or Metrics()
        self._edits = LiveEdits(edits, disk_cache, self._metrics)
        self._loader = SnapshotLoader(store, self._documents, self._metrics, answer_bytes, change_log)
        self._undeclared = undeclared
        self._changes = LivePushedChanges(pushed, fresh_limit, disk_cache)
        self._pace = RebuildPace()
        self._bases: dict[str, View] = {}
        self._overlaid: dict[str, View] = {}
        self._erasures: dict[str, int] = {}
        self._views: dict[str, View] = {}
        self._confirmed: dict[str, float] = {}
        self._behind: set[str] = set()
        self._state: StoreState | None = None
        self._last_seen: dict[str, float] = {}
        self._requested: dict[str, str] = {}
        self._damaged_copies: dict[str, str] = {}
        self._observed: dict[str, tuple[str, bool]] = {}
        self.edition = 0
        """Changes whenever a snapshot, its edits or a declaration does."""

        self._freshness = Freshness(connected=False, since=clock())
        self._stopped = threading.Event()
        self._follower: threading.Thread | None = None

    def start(self) -> None:
        """Load all snapshots from the store, or else from disk, and keep them up to date from a thread."""
        self._try_refresh()
        self._load_disk_cache()
        self._follower = threading.Thread(target=self._follow, name="live snapshots", daemon=True)
        self._follower.start()

    def stop(self) -> None:
        """Stop following the store."""
        self._stopped.set()

    def view(self, corpus: str) -> View:
        """The current view of a corpus."""
        view = self._views.get(corpus)
        if view is not None:
            return view
        why = self._absence(corpus)
        if why is not None:
            raise NothingServed(why)
        raise UnknownCorpus(f"there is no corpus {corpus!r}")

    def held(self, corpus: str) -> View | None:
        """The current view of a corpus, if there is one."""
        return self._views.get(corpus)

    def views(self) -> dict[str, View]:
        """All current views by corpus."""
        return dict(sorted(self._views.items()))

    @property
    def freshness(self) -> Freshness:
        """Whether the store answered the last request."""
        return self._freshness

    @property
    def state(self) -> StoreState:
        """What the store says beside the snapshots, as last read; empty before that."""
        return self._state or StoreState()

    def absences(self) -> dict[str, Absence]:
        """All corpora that are known but have no view, and why."""
        views = self._views
        reasons = {name: self._absence(name) for name in sorted(self.state.runs) if name not in views}
        return {name: why for name, why in reasons.items() if why is not None}

    def last_seen(self, part: str) -> float | None:
        """When a worker or a scheduler was last alive; None if none was since this process started."""
        return self._last_seen.get(part)

    def stale_seconds(self, corpus: str) -> float | None:
        """Seconds since the store last confirmed that the version served is current; None while it is up to date."""
        age = self._clock() - self._confirmed.get(corpus, 0.0)
        if self._freshness.connected and corpus not in self._behind and age <= STALE_SECONDS:
            return None
        return max(age, 0.0)

    @property
    def fresh(self) -> bool:
        """Whether every snapshot is up to date."""
        return all(self.stale_seconds(corpus) is None for corpus in self._views)

    def status(self, corpus: str) -> RunStatus | None:
        """The status of the latest run of a corpus, as last read from the store."""
        return self.state.runs.get(corpus)

    def declared(self, corpus: str) -> RegisteredCorpus | None:
        """The declaration of a corpus, as last read from the store."""
        return self.state.declared.get(corpus)

    def declarations(self) -> dict[str, RegisteredCorpus]:
        """All declared corpora, as last read from the store, also those without a snapshot."""
        return dict(self.state.declared)

    def refresh(self) -> None:
        """Load every corpus whose current version is not the one in memory, and read what else the store says."""
        declared = {} if self._register is None else self._register.read(self.declarations())
        self.edition += declared != self.declarations()
        parts = Parts(() if self._heartbeats is None else self._heartbeats.read())
        # A run publishes before it reports its end: if its end is read here, its version is found below.
        runs = self._board.read_all(declared)
        published = [corpus for corpus in self._store.corpora() if self._undeclared or corpus in declared]
        self._drop_views(() if self._undeclared else self._views.keys() - declared.keys())
        runs |= self._board.read_all(corpus for corpus in published if corpus not in declared)
        operating = self._board.operating(runs)
        self._edits.refresh(published)
        faults: dict[str, str] = {}
        current = self._store.currents(published)
        for corpus, version in current.items():
            held = self._bases.get(corpus)
            if version is not None and (held is None or held.snapshot.version != version or self._is_erased(corpus)):
                held = self._take_up(corpus, version, _base_url(declared, corpus)) or held
            elif version is None and self._is_erased(corpus):
                self._drop_views([corpus])
            elif held is not None:
                self._take_up_changes(corpus, _base_url(declared, corpus))
            if held is not None and held.snapshot.version == version:
                self._confirmed[corpus] = self._clock()
            elif version is not None:
                faults[corpus] = self._loader.fault(corpus, version)
        self._take_up_edits()
        self._state = StoreState(declared, runs, {**self._store.damage, **faults}, parts, operating)
        self._last_seen.update((heartbeat.part, self._clock()) for heartbeat in parts.heartbeats)
        self._behind = {name for name, view in self._bases.items() if current.get(name) != view.snapshot.version}
        if not self._freshness.connected:
            log.info("the store answers", serving=sorted(self._views))
            self._freshness = Freshness(connected=True, since=self._clock())
        if self._documents.look_after(self._bases, self._behind):
            for corpus, base in self._bases.items():
                self._serve(corpus, base, self._changes.last(base))
        self._observe()

    def refresh_pushed(self, corpora: Iterable[str]) -> None:
        """Take up the pushed documents of some corpora that changed; nothing else is read."""
        for corpus in corpora:
            if corpus in self._bases:
                began = self._clock()
                self._take_up_changes(corpus, _base_url(self.state.declared, corpus))
                self._pace.note(corpus, began, self._clock())

    def await_revision(self, corpus: str, revision: int) -> None:
        """Return when this process serves a revision of the edits, or after a second."""
        if self._follower is None:
            self.refresh()
        self._edits.wait_for(lambda: corpus not in self._views or self._views[corpus].revision >= revision)

    def _take_up_edits(self) -> None:
        """Replace the views whose edits have changed."""
        if edited := self._edits.apply(self._views):
            self._views = {**self._views, **edited}
            self.edition += 1
        self._edits.notify()

    def _drop_views(self, corpora: Iterable[str]) -> None:
        """Stop serving corpora."""
        if dropped := set(corpora):
            self._bases = {name: view for name, view in self._bases.items() if name not in dropped}
            self._views = {name: view for name, view in self._views.items() if name not in dropped}
            self.edition += 1
            log.info("no longer served", corpora=sorted(dropped))

    def _take_up(self, corpus: str, version: str, base_url: str | None) -> View | None:
        """Replace the version before in one step; return None if the new one is refused."""
        loaded = self._loader.load(corpus, version)
        if loaded is None:
            return None
        changes = self._changes.since(loaded.view, base_url)
        self._erasures[corpus] = self._changes.erasures(corpus)
        self._bases = {**self._bases, corpus: loaded.view}
        self._overlaid.pop(corpus, None)
        self._serve(corpus, loaded.view, changes)
        self._metrics.loads.labels(corpus).inc()
        log.info("serving", corpus=corpus, version=version)
        if self._disk_cache is not None:
            self._disk_cache.write(corpus, loaded.meta, loaded.arrays)
        return loaded.view

    def _is_erased(self, corpus: str) -> bool:
        """Whether the stored version was rewritten without some documents after it was loaded."""
        return corpus in self._erasures and self._changes.erasures(corpus) != self._erasures[corpus]

    def _take_up_changes(self, corpus: str, base_url: str | None) -> None:
        """Replace the view of a corpus if documents were pushed or deleted since."""
        base = self._bases[corpus]
        before = self._changes.last(base)
        changes = self._changes.since(base, base_url)
        if self._is_erased(corpus):
            self._changes.forget(corpus)  # the next refresh loads the version again
        elif changes is not before:
            self._serve(corpus, base, changes)

    def _serve(self, corpus: str, base: View, changes: Changes) -> None:
        """Serve a version with the changes since, in one step; without any document left, serve nothing."""
        overlaid = overlaid_view(base, changes, self._overlaid.get(corpus)) if changes.any else base
        if overlaid is None:
            self._views = {name: view for name, view in self._views.items() if name != corpus}
        else:
            self._views = {**self._views, corpus: self._edits.applied(overlaid)}
        if changes.any and overlaid is not None:
            self._overlaid[corpus] = overlaid
        else:
            self._overlaid.pop(corpus, None)
        self.edition += 1
        self._metrics.fresh.labels(corpus).set(0 if overlaid is None else overlaid.fresh)
        if changes.waiting and self._requested.get(corpus) != base.snapshot.version:
            self._requested[corpus] = base.snapshot.version
            log.warning("too many pushed documents for memory; requesting a run", corpus=corpus, left=changes.waiting)
            try:
                self._board.request(corpus, self._clock())
            except StoreUnavailable as error:  # a service that may only read the store
                log.warning("cannot request a run", corpus=corpus, reason=str(error))

    def _load_disk_cache(self) -> None:
        """Load from disk what the store did not provide."""
        if self._disk_cache is None:
            return
        hidden = self._state is not None and not self._undeclared
        for copy in self._disk_cache.read():
            name = copy.snapshot.corpus
            if name not in self._views and not (hidden and name not in self.state.declared):
                self._serve_copy(copy)
        self._damaged_copies |= self._disk_cache.damaged
        self._observe()

    def _serve_copy(self, copy: Copy) -> None:
        snapshot = copy.snapshot
        self._edits.load_copy(snapshot.corpus)
        try:
            base = self._loader.from_disk(snapshot, copy.meta)
        except SnapshotError as error:
            self._damaged_copies[snapshot.corpus] = str(error)
            log.error("copy refused", corpus=snapshot.corpus, reason=str(error))  # noqa: TRY400 - the message is enough
            return
        self._bases = {**self._bases, snapshot.corpus: base}
        self._serve(snapshot.corpus, base, self._changes.load_copy(base))
        self._confirmed[snapshot.corpus] = copy.written
        log.warning("serving a copy from disk", corpus=snapshot.corpus, version=snapshot.version)

    def _follow(self) -> None:
        while not self._stopped.is_set():
            try:
                for announcement in self._store.announcements(wait=lambda: self._pace.wait(self._clock())):
                    if self._stopped.is_set():
                        return
                    self._follow_one(announcement)
            except StoreUnavailable as error:
                self._note_outage(error)
                self._stopped.wait(POLL_SECONDS / 2)
            except Exception:
                # A bug must not end the only thread that follows the store; until it works again, answers are stale.
                log.exception("cannot follow the store")
                self._stopped.wait(POLL_SECONDS)

    def _follow_one(self, announcement: Announcement | None) -> None:
        """Refresh what an announcement is about; everything, if it is about a version or a while has passed."""
        if announcement is not None and announcement.pushed:
            self._pace.add(announcement.corpus)
        if (announcement is not None and not announcement.pushed) or self._pace.is_time(self._clock()):
            self.refresh()
            self._pace.refreshed(self._clock())
        else:
            self.refresh_pushed(self._pace.due(self._clock()))

    def _try_refresh(self) -> None:
        try:
            self.refresh()
        except StoreUnavailable as error:
            self._note_outage(error)

    def _note_outage(self, error: StoreUnavailable) -> None:
        if self._freshness.connected or not self._views:
            log.warning("the store is away", reason=str(error), serving=sorted(self._views))
        if self._freshness.connected:
            self._freshness = Freshness(connected=False, since=self._clock())
        self._observe()

    def _observe(self) -> None:
        self._metrics.day.note(self._clock())
        for corpus, view in self._views.items():
            observed = view.snapshot.version, self.stale_seconds(corpus) is not None
            if self._observed.get(corpus) != observed:
                self._observed[corpus] = observed
                self._metrics.created.labels(corpus).set(view.snapshot.created.timestamp())
                self._metrics.stale.labels(corpus).set(observed[1])

    def _absence(self, corpus: str) -> Absence | None:
        """Why a corpus has no view; None if there is no such corpus. Reads memory only."""
        state = self._state
        if state is None:
            return store_away(corpus)
        why = absence(state, corpus, self._clock())
        if corpus in self._bases:
            why = no_documents_left(corpus)
        if why is None and corpus in self._damaged_copies and (self._undeclared or not state.declared):
            why = damaged_copy(corpus, self._damaged_copies[corpus])
        return why if why is None or self._freshness.connected else store_away(corpus)


def _base_url(declared: Mapping[str, RegisteredCorpus], corpus: str) -> str | None:
    """What relative URLs of pushed documents are joined to."""
    return declared[corpus].base_url if corpus in declared else None
