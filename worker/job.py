"""The job: re-clusters one corpus and publishes the result. RQ runs it in a process of its own."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

import structlog
from redis import Redis

from snapshot import (
    RunStatus,
    SchemaMismatch,
    Snapshot,
    SnapshotError,
    SnapshotMeta,
    SnapshotStore,
    State,
    StatusBoard,
    StoreUnavailable,
    connect,
    encode,
    keys,
    read_settings,
    version_after,
)
from worker.cancelling import Cancelled, cancellable
from worker.clustering import METHOD, cluster, load
from worker.corpora import Corpus
from worker.corpus_lock import corpus_lock
from worker.dask import tasks_at
from worker.declared import declarations_in
from worker.errors import AlreadyRunning, ClusterUnavailable, CorpusError, SourceUnavailable, TookTooLong
from worker.inheritance import PreviousVersion
from worker.metrics import count_bad_record, count_run
from worker.progress import Progress
from worker.settings import WorkerSettings
from worker.stages import Stages
from worker.time_limit import time_limited

T = TypeVar("T")
log = structlog.get_logger()


def recluster(name: str, job: str, *, fresh: bool = False) -> dict[str, Any]:
    """Entry point on the queue: everything it needs comes from the settings."""
    settings = read_settings(WorkerSettings)
    redis, declarations = connect(settings.redis_url), declarations_in(settings.corpora)
    declarations.refresh()
    try:
        corpus = declarations.corpus(name)
    except CorpusError as error:
        return _fail(redis, name, job, str(error))
    return run(corpus, redis, job, fresh=fresh, dask=settings.dask)


def _fail(redis: Redis, name: str, job: str, reason: str) -> dict[str, Any]:
    """Record that a run failed before it began."""
    log.error("failed", corpus=name, job=job, reason=reason)
    now = time.time()
    StatusBoard(redis).write(name, RunStatus(job, "failed", now, now, error=reason))
    count_run(redis, name, "failed", {})
    return {"state": "failed", "error": reason}


def run(
    corpus: Corpus,
    redis: Redis,
    job: str,
    *,
    fresh: bool = False,
    dask: str | None = None,
    clock: Callable[[], float] = time.time,
) -> dict[str, Any]:
    """Re-cluster a corpus unless it is unchanged, and return the outcome.

    Faults of the corpus, cancellation and the time limit are outcomes. Everything else is written to the status and
    raised.
    """
    board = StatusBoard(redis)
    logger = log.bind(corpus=corpus.name, job=job)
    try:
        with corpus_lock(redis, corpus.name):
            progress = Progress(board, corpus.name, RunStatus(job, "running", clock(), clock()), clock, logger)
            stages = Stages(progress.report)
            try:
                on_kill = partial(_release, progress, redis, corpus.name)
                with cancellable(board, job, on_kill), time_limited(corpus.time_limit):
                    outcome = _recluster(corpus, redis, progress, stages, fresh=fresh, dask=dask)
            except Cancelled:
                outcome = {"state": "cancelled"}
                logger.warning("cancelled")
            except (CorpusError, TookTooLong) as error:
                outcome = {"state": "failed", "error": str(error)}
                logger.error("failed", reason=str(error))  # noqa: TRY400 - the message suffices
            except BaseException as error:
                transient = isinstance(error, TRANSIENT)
                progress.end(state="failed", error=f"{type(error).__name__}: {error}", transient=transient)
                count_run(redis, corpus.name, "failed", stages.timings)
                raise
            progress.end(**outcome)
            count_run(redis, corpus.name, outcome["state"], stages.timings)
            return outcome
    except AlreadyRunning as error:
        logger.info(str(error))
        board.write_job(RunStatus(job, "cancelled", clock(), clock(), corpus.name, error=str(error)))
        return {"state": "cancelled"}


TRANSIENT = (StoreUnavailable, SourceUnavailable, ClusterUnavailable)
"""Faults that may go away by themselves; the scheduler retries after a pause."""


def _recluster(
    corpus: Corpus, redis: Redis, progress: Progress, stages: Stages, *, fresh: bool, dask: str | None
) -> dict[str, Any]:
    """Load, cluster, publish; returns the outcome as fields of the status."""
    store = SnapshotStore(redis)
    tagged, notes = load(corpus, stages, redis)
    damaged: dict[str, str] = {}
    unchanged = _unchanged_version(store, corpus, tagged.fingerprint, damaged)
    if unchanged is not None and not fresh:
        progress.logger.info("unchanged since the last run, nothing to do", version=unchanged)
        return {"state": "unchanged", "version": unchanged}
    previous = _load_previous(store, corpus.name, progress, damaged)
    for version, damage in damaged.items():
        progress.logger.error("a version is damaged; this run replaces it", version=version, reason=damage)
        count_bad_record(redis, "Snapshot")
    now = datetime.fromtimestamp(progress.clock(), tz=UTC)
    with tasks_at(dask) as tasks:
        snapshot, documents = cluster(
            corpus, tagged, now, stages, previous=previous, fresh=fresh, notes=notes, tasks=tasks
        )
    if unchanged is not None and snapshot.lineage.runs_since_fresh:
        progress.logger.info("a fresh start keeps no more information, the old version stays", version=unchanged)
        return {"state": "unchanged", "version": unchanged}
    snapshot = replace(snapshot, version=version_after(now, store.versions(corpus.name)))
    reason = _reason_to_hold(corpus, snapshot, previous)
    stages.enter("publish")
    store.publish(encode(snapshot, documents), serve=reason is None)
    stages.close()
    store.retain(corpus.name, corpus.keep)
    state: State = "done" if reason is None else "held"
    progress.logger.info(
        "published" if reason is None else f"held for inspection: {reason}",
        version=snapshot.version,
        documents=snapshot.document_count,
        tags=snapshot.tag_count,
        clusters=len(snapshot.clusters),
        moved=snapshot.lineage.moved,
        recall=snapshot.suggestions.get("recall"),
        seconds=round(sum(stages.timings.values()), 1),
    )
    if reason is None:
        return {"state": state, "version": snapshot.version}
    accept = f"to serve it: cotag snapshots {corpus.name} activate {snapshot.version}"
    return {"state": state, "version": snapshot.version, "error": f"{reason}; {accept}"}


def _reason_to_hold(corpus: Corpus, snapshot: Snapshot, previous: PreviousVersion | None) -> str | None:
    """Why an operator should inspect a result before it is served, or None."""
    if snapshot.lineage.moved > corpus.max_drift:
        return "too many tags changed cluster"
    if previous is not None:
        before, now = _documents_read(previous.snapshot), _documents_read(snapshot)
        if now < (1.0 - corpus.max_loss) * before:
            return f"the source has only {now} documents, {before} before (max_loss = {corpus.max_loss})"
    old_recall = previous.snapshot.suggestions.get("recall") if previous else None
    recall = snapshot.suggestions.get("recall")
    if corpus.max_recall_drop is None or old_recall is None or recall is None:
        return None
    if recall < (1.0 - corpus.max_recall_drop) * old_recall:
        return f"the suggestions find fewer hidden tags, {recall:.1%} instead of {old_recall:.1%}"
    return None


def _documents_read(snapshot: Snapshot) -> int:
    """How many documents the source had, also those that the matrix leaves out."""
    return int(snapshot.parameters.get("documents_read", snapshot.document_count))


def _unchanged_version(store: SnapshotStore, corpus: Corpus, fingerprint: str, damaged: dict[str, str]) -> str | None:
    """The served or newest version, if it has the same documents and parameters, and both can be read completely."""
    served = store.current(corpus.name)
    for version in dict.fromkeys((served, *store.versions(corpus.name)[:1])):
        if version is not None and _is_unchanged(store, version, corpus, fingerprint, damaged):
            needed = [version] if served in {None, version} else [version, str(served)]
            if all(_read(partial(store.verify, corpus.name), each, damaged) for each in needed):
                return version
    return None


def _is_unchanged(
    store: SnapshotStore, version: str, corpus: Corpus, fingerprint: str, damaged: dict[str, str]
) -> bool:
    meta: SnapshotMeta | None = _read(partial(store.meta, corpus.name), version, damaged)
    if meta is None:
        return False
    same_method = meta.parameters.get("declaration") == corpus.digest() and meta.parameters.get("method") == METHOD
    return meta.fingerprint == fingerprint and same_method


def _load_previous(
    store: SnapshotStore, corpus: str, progress: Progress, damaged: dict[str, str]
) -> PreviousVersion | None:
    """The version that is served, or None if there is none that this Cotag can read."""
    version = store.current(corpus)
    if version is None:
        return None
    try:
        return PreviousVersion(store.load(corpus, version), store.documents(corpus, version))
    except StoreUnavailable:
        raise
    except SnapshotError as error:
        if not isinstance(error, SchemaMismatch):
            damaged[version] = str(error)
        reason = str(error)
    progress.logger.warning("cannot inherit from the served version, starting fresh", version=version, reason=reason)
    return None


def _read(read: Callable[[str], T], version: str, damaged: dict[str, str]) -> T | None:
    """What `read` returns about a version; None if it has another schema or is damaged, which is noted."""
    try:
        return read(version)
    except StoreUnavailable:
        raise
    except SchemaMismatch:
        return None
    except SnapshotError as error:
        damaged[version] = str(error)
        return None


def _release(progress: Progress, redis: Redis, corpus: str) -> None:
    """Record the cancellation and free the lock, just before the process is killed."""
    progress.end(state="cancelled")
    redis.delete(keys.lock(corpus))
