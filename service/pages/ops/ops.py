"""The operators' page: corpora, runs, versions and their quality."""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Final

from redis import Redis

from runtime.schedule_words import MANUAL
from service.errors import Absence
from service.live.absence import failure_kind
from service.live.parts import Parts, Progress
from service.live.snapshots import LiveSnapshots
from service.pages.ops.metrics_summary import MetricsSummary, metrics_summary
from service.pages.ops.operation import (
    NOTHING,
    DayOfRuns,
    OperatingPart,
    next_run_of,
    operating_part,
    schedule_of,
    worker_wanted,
)
from service.questions.edits.proposals import open_proposals, shown
from service.view.view import View
from service.web.metrics import Metrics
from snapshot import (
    OPTIONAL_STAGES,
    STAGES,
    RegisteredCorpus,
    RunStatus,
    SnapshotError,
    SnapshotMeta,
    SnapshotStore,
    StoreUnavailable,
)
from snapshot.edits import Edit
from snapshot.version.gain import gain, warning

CORPORA: Final = 25
"""Corpora of a page."""

VERSIONS: Final = 12
CHANGES: Final = 12
MOST_INACTIVE: Final = 20
BUSY_SECONDS: Final = 1
IDLE_SECONDS: Final = 3
"""How often the page reloads, during a run and otherwise."""

KINDS: Final = ("kept", "split", "merged", "new")


@dataclass(frozen=True)
class Stage:
    """A stage of a run; `share` is its progress, None unless the run is in this stage."""

    name: str
    state: str
    share: float | None


@dataclass(frozen=True)
class Change:
    """The change of one cluster: its current label, the kind of change, and the clusters it descends from."""

    label: str
    kind: str
    parents: list[int]


@dataclass(frozen=True)
class Version:
    """A stored version and its difference from the one before; `problem` if it cannot be read."""

    version: str
    current: bool
    created: datetime | None = None
    documents: int = 0
    tags: int = 0
    clusters: int = 0
    moved: float | None = None
    """Share of the tags that changed cluster; None for the first version."""

    kinds: tuple[tuple[str, int], ...] = ()
    changes: tuple[Change, ...] = ()
    information: float | None = None
    """Share of the information that the clusters preserve."""

    bits: float | None = None
    """Bits that the clusters predict beyond random ones."""

    npmi: float | None = None
    warning: str | None = None
    """Says that the concepts mean little."""

    recall: float | None = None
    """Share of the tags hidden from the suggestions, to measure them, that were among the first ten."""

    seconds: float = 0.0
    problem: str = ""


@dataclass(frozen=True)
class CorpusState:
    """One corpus that is declared or has a snapshot."""

    name: str
    title: str
    view: View | None
    stale: float | None
    declared: RegisteredCorpus | None
    run: RunStatus | None
    progress: Progress | None
    """How far the run is; None if it has ended."""

    absence: Absence | None
    """Why there is no view."""

    warning: str | None
    """Says that the concepts of the view mean little."""

    proposals: list[tuple[str, int]]
    """The kinds of proposals that editors may decide about, and how many there are of each."""

    stages: list[Stage]
    history: list[Version]
    schedule: str
    """The schedule and the next run in words; empty if it is not declared."""

    next_run: str
    paused: bool
    by_itself: bool
    """Whether it runs without being asked, unless it is paused."""

    pinned: str | None
    operating: OperatingPart
    inactive_edits: list[tuple[Edit, str]]
    """Decisions of editors that have no effect in the view, and why; the first of them."""


@dataclass(frozen=True)
class OpsPage:
    """The content of the page."""

    corpora: list[CorpusState]
    metrics_summary: MetricsSummary
    store: bool
    parts: Parts | None
    """The living workers and schedulers; None while the store is away, because nobody knows."""

    last_seen: dict[str, float | None]
    """When a worker and a scheduler was last alive; None if none was since the service was started."""

    worker_wanted: str | None
    """Why another worker is needed."""

    now: float
    pace: int
    number: int = 1
    pages: int = 1
    total: int = 0
    """How many corpora all pages have."""

    troubled: tuple[tuple[str, int], ...] = ()
    """Corpora of other pages that need somebody, and on which page each is; the first of them."""

    @property
    def first(self) -> int:
        """The position of the first corpus of this page, from 1."""
        return (self.number - 1) * CORPORA + 1


def ops_page(
    live: LiveSnapshots,
    redis: Redis,
    metrics: Metrics,
    *,
    operates: bool,
    number: int = 1,
    day: DayOfRuns | None = None,
) -> OpsPage:
    """The current state of 25 corpora, by name; without the histories while the store is away.

    The errors themselves are shown to those who operate; others read what kind they are of.
    """
    views, absences = live.views(), live.absences()
    away, now = False, time.time()
    store = SnapshotStore(redis)
    corpora: list[CorpusState] = []
    names = sorted(views.keys() | absences.keys())
    pages = max(1, -(-len(names) // CORPORA))
    number = min(max(number, 1), pages)
    here = names[(number - 1) * CORPORA : number * CORPORA]
    others = {name: live.status(name) for name in names if name not in here}
    for name in here:
        history: list[Version] = []
        operating = NOTHING
        if not away:
            try:
                history = _history(store, name)
                current = next((version.version for version in history if version.current), None)
                operating = operating_part(redis, name, current, now)
            except StoreUnavailable:
                away = True
        state = _corpus(live, name, views.get(name), absences.get(name), history=history, operating=operating, now=now)
        corpora.append(state if operates else _for_strangers(state))
    elsewhere = 0.0
    if not away:
        try:
            elsewhere = (day or DayOfRuns(redis)).seconds(others, now)
        except StoreUnavailable:
            away = True
    busy = any(corpus.progress in {"clustering", "queued"} for corpus in corpora)
    return OpsPage(
        corpora=corpora,
        metrics_summary=metrics_summary(*metrics.day.last_day(now)),
        store=live.freshness.connected and not away,
        parts=live.state.parts if live.freshness.connected else None,
        last_seen={part: live.last_seen(part) for part in ("worker", "scheduler")},
        worker_wanted=worker_wanted(live.state, elsewhere + sum(corpus.operating.seconds for corpus in corpora), now),
        now=now,
        pace=BUSY_SECONDS if busy else IDLE_SECONDS,
        number=number,
        pages=pages,
        total=len(names),
        troubled=_troubled(live, names, others),
    )


def _troubled(
    live: LiveSnapshots, names: list[str], others: Mapping[str, RunStatus | None]
) -> tuple[tuple[str, int], ...]:
    """Of the corpora that are not here, those whose last run failed or whose version is not confirmed."""
    found = (
        (name, position // CORPORA + 1)
        for position, name in enumerate(names)
        if name in others
        and (
            ((run := others[name]) is not None and run.state == "failed")
            or (live.held(name) is not None and live.stale_seconds(name) is not None)
        )
    )
    return tuple(islice(found, CORPORA))


def _corpus(
    live: LiveSnapshots,
    name: str,
    view: View | None,
    absence: Absence | None,
    *,
    history: list[Version],
    operating: OperatingPart,
    now: float,
) -> CorpusState:
    run, declared, state = live.status(name), live.declared(name), live.state
    return CorpusState(
        name=name,
        title=view.snapshot.title if view else declared.title if declared else name,
        view=view,
        stale=live.stale_seconds(name) if view else None,
        declared=declared,
        run=run,
        progress=(progress := live.state.parts.progress(run, now)),
        absence=absence,
        warning=warning(view.snapshot.quality) if view else None,
        proposals=_proposals(view) if view else [],
        stages=_stages(run) if run is not None and progress == "clustering" else [],
        history=history,
        schedule=schedule_of(state, name) if declared else "",
        next_run=next_run_of(state, name, now) if declared else "",
        paused=name in state.operating.paused,
        by_itself=declared is not None and declared.schedule != MANUAL,
        pinned=state.operating.pinned.get(name),
        operating=operating,
        inactive_edits=_inactive_edits(view) if view else [],
    )


def _for_strangers(corpus: CorpusState) -> CorpusState:
    """A corpus without the errors themselves."""
    run, absence = corpus.run, corpus.absence
    if run is not None and run.state == "failed":
        hint = f"Why: with a key of the scope operate, or cotag runs {corpus.name}."
        kind = failure_kind(run.error)
        run = replace(run, error=f"{kind[0].upper()}{kind[1:]}. {hint}")
    return replace(corpus, run=run, absence=None if absence is None else replace(absence, text=""))


def _proposals(view: View) -> list[tuple[str, int]]:
    return list(Counter(proposal.kind for proposal in shown(open_proposals(view))).items())


def _inactive_edits(view: View) -> list[tuple[Edit, str]]:
    forces = view.edit_forces
    inactive = ((edit, forces[edit.id][1]) for edit in view.edits.edits)
    return list(islice(((edit, why) for edit, why in inactive if why is not None), MOST_INACTIVE))


def _stages(run: RunStatus) -> list[Stage]:
    names = list(STAGES)
    if run.stage in OPTIONAL_STAGES:
        names.insert(names.index(OPTIONAL_STAGES[run.stage]) + 1, run.stage)
    here = names.index(run.stage) if run.stage in names else -1
    return [
        Stage(
            name,
            "done" if number < here else "now" if number == here else "later",
            run.done / run.total if number == here and run.total > 0 else None,
        )
        for number, name in enumerate(names)
    ]


def _history(store: SnapshotStore, corpus: str) -> list[Version]:
    current = store.current(corpus)
    return [_version(store, corpus, version, version == current) for version in store.versions(corpus)[:VERSIONS]]


def _version(store: SnapshotStore, corpus: str, version: str, current: bool) -> Version:
    try:
        meta = store.meta(corpus, version)
    except StoreUnavailable:
        raise
    except SnapshotError as error:
        return Version(version, current, problem=str(error))
    lineage = meta.lineage
    counts = Counter(cluster.kind for cluster in lineage.clusters.values())
    first = lineage.previous is None
    return Version(
        version=version,
        current=current,
        created=meta.created.astimezone(UTC),
        documents=meta.all_documents,
        tags=meta.all_tags,
        clusters=len(meta.clusters),
        moved=None if first else lineage.moved,
        kinds=() if first else tuple((kind, counts[kind]) for kind in KINDS if counts[kind]) + _gone(meta),
        changes=() if first else _changes(meta),
        information=meta.quality.get("information_kept"),
        bits=gain(meta.quality),
        npmi=meta.quality.get("npmi"),
        warning=warning(meta.quality),
        recall=meta.suggestions.get("recall"),
        seconds=sum(meta.timings.values()),
    )


def _gone(meta: SnapshotMeta) -> tuple[tuple[str, int], ...]:
    return (("gone", len(meta.lineage.gone)),) if meta.lineage.gone else ()


def _changes(meta: SnapshotMeta) -> tuple[Change, ...]:
    names = {cluster.id: cluster.name for cluster in meta.clusters}
    changed = [
        Change(names.get(cluster, str(cluster)), descent.kind, list(descent.parents))
        for cluster, descent in meta.lineage.clusters.items()
        if descent.kind != "kept"
    ]
    return tuple(changed[:CHANGES])
