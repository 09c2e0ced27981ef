"""The endpoints about corpora, versions, jobs, health and metrics."""

import time
from dataclasses import asdict
from typing import Final

from service.answers import (
    CorporaAnswer,
    CorpusAnswer,
    Liveness,
    Readiness,
    RunAnswer,
    SnapshotAnswer,
    SnapshotsAnswer,
)
from service.api.operation_metrics import operating_metrics
from service.api.parameters.operation import ReadyQuery
from service.api.parameters.parameters import CorpusPath, JobPath, Nothing, PageQuery
from service.api.routing import Operation, always
from service.api.visibility import Unready
from service.errors import UnknownCorpus, UnknownJob
from service.live.snapshots import LiveSnapshots
from service.view.view import View
from service.web.http import HttpResponse
from service.web.metrics import MEDIA_TYPE, Metrics
from service.web.negotiation import NEVER
from snapshot import (
    RunStatus,
    SnapshotError,
    SnapshotMeta,
    SnapshotStore,
    StatusBoard,
    StoreUnavailable,
    lineage_json,
)
from snapshot.version.gain import warning

JSON: Final = "application/json"


def operations(
    live: LiveSnapshots, store: SnapshotStore, board: StatusBoard, metrics: Metrics
) -> tuple[Operation, ...]:
    """All of them, as openapi.json lists them."""
    handlers = AdminHandlers(live, store, board, metrics)
    return (
        Operation(
            path="/v1/corpora",
            summary="What is served",
            group="corpora",
            handler=handlers.get_corpora,
            media={JSON: CorporaAnswer},
        ),
        Operation(
            path="/v1/corpora/{corpus}",
            summary="One corpus",
            group="corpora",
            handler=handlers.get_corpus,
            media={JSON: CorpusAnswer},
            path_model=CorpusPath,
            errors=(404, 503),
            example="/v1/corpora/demo",
        ),
        Operation(
            path="/v1/corpora/{corpus}/snapshots",
            summary="The stored versions",
            group="corpora",
            handler=handlers.get_snapshots,
            media={JSON: SnapshotsAnswer},
            path_model=CorpusPath,
            query_model=PageQuery,
            errors=(404, 422, 503),
            example="/v1/corpora/demo/snapshots",
            asks_store=always,
        ),
        Operation(
            path="/v1/jobs/{job}",
            summary="How a job is getting on",
            group="jobs",
            handler=handlers.get_job,
            media={JSON: RunAnswer},
            path_model=JobPath,
            errors=(404, 422, 503),
            asks_store=always,
        ),
        Operation(
            path="/healthz",
            summary="The process is alive",
            group="health",
            handler=handlers.healthz,
            on_loop=True,
            media={JSON: Liveness},
        ),
        Operation(
            path="/readyz",
            summary="Questions can be answered",
            group="health",
            handler=handlers.readyz,
            on_loop=True,
            media={JSON: Readiness},
            query_model=ReadyQuery,
            errors=(404, 422, 503),
        ),
        Operation(
            path="/metrics",
            summary="For Prometheus",
            group="health",
            handler=handlers.metrics_page,
            media={"text/plain": None},
        ),
    )


class AdminHandlers:
    """The handlers of these endpoints."""

    def __init__(self, live: LiveSnapshots, store: SnapshotStore, board: StatusBoard, metrics: Metrics) -> None:
        self._live = live
        self._store = store
        self._board = board
        self._metrics = metrics

    def get_corpora(self, _: None, __: Nothing) -> CorporaAnswer:
        """All corpora that have a snapshot, with their versions, sizes and quality."""
        corpora = [corpus_answer(view, self._live) for view in self._live.views().values()]
        stale = not self._live.freshness.connected or any(corpus.stale for corpus in corpora)
        return CorporaAnswer(corpora, stale=stale)

    def get_corpus(self, path: CorpusPath, _: Nothing) -> CorpusAnswer:
        """Version, age, staleness, size, parameters, quality, lineage, schedule, and the run under way.

        `warning` says if the concepts are hardly better than random groups of tags.
        """
        return corpus_answer(self._live.view(path.corpus), self._live)

    def get_snapshots(self, path: CorpusPath, query: PageQuery) -> SnapshotsAnswer:
        """Newest first. Read from the store, so it needs the store."""
        known = path.corpus in self._live.views() or path.corpus in self._live.declarations()
        if not known and path.corpus not in self._store.corpora():
            raise UnknownCorpus(f"there is no corpus {path.corpus!r}")
        current = self._store.current(path.corpus)
        versions = self._store.versions(path.corpus)
        held = self._live.views().get(path.corpus)
        return SnapshotsAnswer(
            corpus=path.corpus,
            current=current,
            served=held.snapshot.version if held is not None else None,
            total=len(versions),
            offset=query.offset,
            snapshots=[
                _snapshot(self._store, path.corpus, version, current == version)
                for version in versions[query.offset : query.offset + query.limit]
            ],
        )

    def get_job(self, path: JobPath, _: Nothing) -> RunAnswer:
        """State, stage and progress; how it ended, for a week."""
        return known_job(self._board, path.job)

    def healthz(self, _: None, __: Nothing) -> Liveness:
        """For restarts."""
        return Liveness(alive=True)

    def readyz(self, _: None, query: ReadyQuery) -> Readiness | Unready:
        """For load balancers: ready with anything to serve, also while the store is away.

        With `corpus` it is about this corpus alone, which is not ready while it has no snapshot. `stale` says what is
        old, `missing` what cannot be served, and why. Where reading needs a key, names need one, too, and
        so does the question about one corpus.
        """
        asked = query.corpus
        if asked is not None and asked not in self._live.views() and asked not in self._live.absences():
            raise UnknownCorpus(f"there is no corpus {asked!r}")
        views = {name: view for name, view in self._live.views().items() if asked in {None, name}}
        stale = {name: round(age, 1) for name in views if (age := self._live.stale_seconds(name)) is not None}
        served = {name: view.snapshot.version for name, view in views.items()}
        absences = {name: why for name, why in self._live.absences().items() if asked in {None, name}}
        missing = {name: absence.reason for name, absence in absences.items()}
        connected = self._live.freshness.connected
        readiness = Readiness(ready=bool(served), store=connected, corpora=served, stale=stale, missing=missing)
        if readiness.ready:
            return readiness
        expected = bool(absences) and all(absence.expected for absence in absences.values())
        return Unready(readiness, expected)

    def metrics_page(self, _: None, __: Nothing) -> HttpResponse:
        """Of all processes together; versions, runs and workers as the process that answers knows them."""
        headers = {"Content-Type": MEDIA_TYPE, "Cache-Control": NEVER}
        return HttpResponse(200, headers, self._metrics.exposition(operating_metrics(self._live, time.time())))


def known_job(board: StatusBoard, job: str) -> RunAnswer:
    """Return the status of a job, or raise UnknownJob."""
    status = board.job(job)
    if status is None:
        raise UnknownJob(f"there is no job {job!r}, or it ended long ago")
    return run_answer(status)


def run_answer(status: RunStatus) -> RunAnswer:
    """The status of a run as an answer."""
    fields = asdict(status)
    return RunAnswer(**{name: fields[name] for name in RunAnswer.__dataclass_fields__})


def corpus_answer(view: View, live: LiveSnapshots) -> CorpusAnswer:
    """One corpus as it is served now."""
    snapshot = view.snapshot
    stale = live.stale_seconds(snapshot.corpus)
    status = live.status(snapshot.corpus)
    declared = live.declared(snapshot.corpus)
    return CorpusAnswer(
        name=snapshot.corpus,
        title=snapshot.title,
        version=snapshot.version,
        revision=view.revision,
        created=snapshot.created.isoformat(),
        age_seconds=round(time.time() - snapshot.created.timestamp(), 1),
        stale=stale is not None,
        stale_seconds=round(stale or 0.0, 1),
        documents=snapshot.all_documents,
        tags=snapshot.all_tags,
        rare_tags=snapshot.tail_tag_count,
        clusters=len(view.clusters),
        parameters=dict(snapshot.parameters),
        quality=dict(snapshot.quality),
        warning=warning(snapshot.quality),
        suggestions=dict(snapshot.suggestions),
        lineage=view.lineage,
        schedule=declared.schedule if declared else None,
        next_run=live.state.next_run(snapshot.corpus),
        paused=snapshot.corpus in live.state.operating.paused,
        pinned=live.state.operating.pinned.get(snapshot.corpus),
        pushed=declared.pushed if declared else False,
        run=run_answer(status) if status is not None else None,
    )


def _snapshot(store: SnapshotStore, corpus: str, version: str, current: bool) -> SnapshotAnswer:
    meta: SnapshotMeta | None = None
    problem = None
    try:
        meta = store.meta(corpus, version)
    except StoreUnavailable:
        raise
    except SnapshotError as error:
        problem = str(error)
    return SnapshotAnswer(
        version=version,
        current=current,
        created=meta.created.isoformat() if meta else None,
        documents=meta.all_documents if meta else None,
        tags=meta.all_tags if meta else None,
        rare_tags=meta.tail_tag_count if meta else None,
        clusters=len(meta.clusters) if meta else None,
        quality=dict(meta.quality) if meta else {},
        warning=warning(meta.quality) if meta else None,
        suggestions=dict(meta.suggestions) if meta else {},
        lineage=lineage_json(meta.lineage) if meta else {},
        problem=problem,
    )
