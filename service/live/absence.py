"""Says why a corpus has no snapshot to answer from."""

from dataclasses import dataclass, field
from typing import Final

from runtime.durations import duration
from runtime.schedule_words import MANUAL
from service.errors import Absence
from service.live.parts import Parts
from snapshot import RegisteredCorpus, RunStatus
from snapshot.store.operation.control import Operating

NO_WORKER: Final = "no worker is running (start one: cotag worker)"
FAILURES: Final = {
    "SourceUnavailable": "its source cannot be reached",
    "StoreUnavailable": "the store was away",
    "ClusterUnavailable": "the Dask cluster was away",
    "MemoryError": "there was too little memory",
}
"""What strangers read of a failed run, by the name of its error."""

NO_SCHEDULER: Final = "no scheduler is running (start one: cotag scheduler)"


@dataclass(frozen=True)
class StoreState:
    """What the store says beside the snapshots, as the service last read it."""

    declared: dict[str, RegisteredCorpus] = field(default_factory=dict)
    runs: dict[str, RunStatus | None] = field(default_factory=dict)
    """The latest run of every corpus that is declared or was ever published."""

    faults: dict[str, str] = field(default_factory=dict)
    """Corpora whose current version cannot be read, and why."""

    parts: Parts = field(default_factory=Parts)
    operating: Operating = field(default_factory=Operating)

    def next_run(self, corpus: str) -> float | None:
        """When a run of the corpus is due; None if its schedule is manual or paused, or if it is not declared."""
        declared = self.declared.get(corpus)
        if declared is None or declared.schedule == MANUAL or corpus in self.operating.paused:
            return None
        return declared.next_run

    @property
    def waiting_since(self) -> list[float]:
        """When each run was queued or requested that no worker has begun, in seconds since the epoch."""
        queued = [run.started for run in self.runs.values() if run is not None and run.state == "queued"]
        return [*queued, *self.operating.requested]


@dataclass(frozen=True)
class Freshness:
    """Whether the store answers, and since when."""

    connected: bool
    since: float


def failure_kind(error: str) -> str:
    """Why a run failed, in words that name no file, no table and no data."""
    return FAILURES.get(error.partition(":")[0], "its source or a setting is at fault, or Cotag itself")


def store_away(corpus: str) -> Absence:
    """The store does not answer, and there is no copy of the corpus."""
    copy = f"snapshot of {corpus}" if corpus else "snapshot at all"
    return Absence("store-away", f"the store is away, and this service has no {copy}")


def no_documents_left(corpus: str) -> Absence:
    """Every document of the version was deleted, and none was pushed since."""
    return Absence("empty", f"all documents of {corpus} were deleted, and none was pushed since", passes=False)


def damaged_copy(corpus: str, reason: str) -> Absence:
    """The store knows nothing of the corpus, and its copy on disk is damaged."""
    detail = f"the store has no snapshot of {corpus}, and the copy on disk cannot be read"
    return Absence("unreadable", detail, passes=False, text=reason)


def absence(state: StoreState, corpus: str, now: float) -> Absence | None:
    """Why a corpus has no snapshot while the store answers; None if there is no such corpus.

    Without a name it is about all corpora: none is declared.
    """
    run = state.runs.get(corpus)
    if corpus in state.faults:
        return _unreadable(state, corpus, run, now)
    if run is not None:
        ended = state.parts.progress(run, now) is None
        return _after_run(state, corpus, run, now) if ended else _before_first_version(state, corpus, run, now)
    if corpus in state.runs:
        nothing = f"there is no snapshot of {corpus} yet"
    elif not corpus and not state.runs:
        nothing = "no corpus is declared"
    else:
        return None
    if corpus and corpus in state.declared and state.next_run(corpus) is None:
        return Absence("not-started", f"{nothing}; {_next_run(state, corpus, now)}", passes=False)
    if not state.parts.schedulers:
        return Absence("no-scheduler", f"{nothing}, and {NO_SCHEDULER}")
    return Absence("queued", f"{nothing}; its first run is queued soon" if corpus else f"{nothing} yet")


def _unreadable(state: StoreState, corpus: str, run: RunStatus | None, now: float) -> Absence:
    progress = state.parts.progress(run, now)
    what_next = {
        "clustering": "a new run is under way",
        "queued": "a new run is queued",
        "no-worker": f"a new run is queued, but {NO_WORKER}",
    }.get(progress or "") or _next_run(state, corpus, now)
    detail = f"the snapshot of {corpus} cannot be read ({state.faults[corpus]}); {what_next}"
    return Absence("unreadable", detail, passes=progress is not None)


def _before_first_version(state: StoreState, corpus: str, run: RunStatus, now: float) -> Absence:
    nothing = f"there is no snapshot of {corpus} yet; "
    progress = state.parts.progress(run, now)
    if progress == "clustering":
        return Absence("clustering", f"{nothing}its first clustering is under way")
    if progress == "queued":
        return Absence("queued", f"{nothing}a run waits for a worker")
    if progress == "no-worker":
        so_far = "was interrupted, and" if run.state == "running" else "is queued, but"
        return Absence("no-worker", f"{nothing}a run {so_far} {NO_WORKER}")
    if not state.parts.schedulers:
        return Absence("no-scheduler", f"{nothing}a run was interrupted, and {NO_SCHEDULER}")
    return Absence("interrupted", f"{nothing}a run was interrupted; {_next_try(state, corpus, now)}")


def _after_run(state: StoreState, corpus: str, run: RunStatus, now: float) -> Absence:
    """The last run has ended, and left no version that is served."""
    nothing = f"there is no snapshot of {corpus}; "
    why = f": {run.error}" if run.error else ""
    again = run.transient and bool(state.parts.schedulers)
    what_next = _next_try(state, corpus, now) if again else _next_run(state, corpus, now)
    if run.state == "failed":
        detail = f"{nothing}its last run failed ({failure_kind(run.error)}); {what_next}"
        return Absence("failed", detail, passes=again, text=run.error)
    if run.state == "cancelled":
        return Absence("cancelled", f"{nothing}its last run was cancelled{why}; {what_next}", passes=False)
    if run.state == "held":
        return Absence("held", f"{nothing}version {run.version} is held for inspection{why}", passes=False)
    detail = f"version {run.version} of {corpus} is no longer in the store; {what_next}"
    return Absence("unreadable", detail, passes=False)


def _next_try(state: StoreState, corpus: str, now: float) -> str:
    """The scheduler retries a few times, soon; then it waits for the next regular turn."""
    if corpus not in state.declared:
        return "it is no longer declared"
    if corpus in state.operating.paused:
        return _next_run(state, corpus, now)
    due = state.next_run(corpus)
    return "it is tried again soon" + (f", at the latest in {duration(due - now)}" if due and due > now else "")


def _next_run(state: StoreState, corpus: str, now: float) -> str:
    if corpus not in state.declared:
        return "it is no longer declared"
    if corpus in state.operating.paused:
        return f"its schedule is paused (resume it: cotag resume {corpus})"
    due = state.next_run(corpus)
    if due is None:
        return f"it runs only when asked (cotag recluster {corpus})"
    if not state.parts.schedulers:
        return NO_SCHEDULER
    return f"the next run is due in {duration(due - now)}" if due > now else "a run is due"
