"""The job: re-clusters one corpus and publishes the result. It runs in a process of its own, under a worker."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, TypeVar

import structlog
from redis import Redis

from snapshot import (
    Documents,
    PushedDocuments,
    RunRequest,
    SchemaMismatch,
    Snapshot,
    SnapshotError,
    SnapshotMeta,
    SnapshotStore,
    StoreUnavailable,
    connect,
    encode,
    version_after,
)
from snapshot.store.change_log import ChangeLog
from snapshot.store.health.reconnection import wait_for_answer
from snapshot.store.operation.counters import count_bad_record
from worker.clustering.cluster import METHOD, cluster, load_documents
from worker.clustering.continuity.inheritance import PreviousVersion
from worker.clustering.dask import tasks_at
from worker.clustering.stages import Stages
from worker.corpora.current import Declarations
from worker.corpora.declaration import Corpus
from worker.corpora.edits import edited_corpus, trial_report
from worker.errors import ClusterUnavailable, CorpusError, SourceUnavailable
from worker.runs.outcome import PINNED, published_beside
from worker.runs.process import Send
from worker.runs.progress import Progress

AWAY_SECONDS: Final = 1.0
"""Pause between two checks whether the store is back."""

T = TypeVar("T")
log = structlog.get_logger()


TRANSIENT = (StoreUnavailable, SourceUnavailable, ClusterUnavailable)
"""Faults that may go away by themselves; the scheduler retries after a pause."""


def recluster(request: RunRequest, declarations: Declarations, url: str, dask: str | None, send: Send) -> None:
    """Do a run, and report its progress and its outcome: what the process of a run does."""
    logger = log.bind(corpus=request.corpus, job=request.job)
    timings: dict[str, float] = {}
    stages = Stages(Progress(send, timings, logger).report, timings)
    try:
        corpus = declarations.corpus(request.corpus)
    except CorpusError as error:
        logger.error("failed", reason=str(error))  # noqa: TRY400 - the message suffices
        outcome: dict[str, Any] = {"state": "failed", "error": str(error)}
    else:
        outcome = run(corpus, connect(url), request.job, stages=stages, fresh=request.fresh, dask=dask)
    send({"outcome": outcome, "timings": timings})


def run(
    corpus: Corpus,
    redis: Redis,
    job: str,
    *,
    stages: Stages | None = None,
    fresh: bool = False,
    dask: str | None = None,
    clock: Callable[[], float] = time.time,
) -> dict[str, Any]:
    """Re-cluster a corpus unless it is unchanged; returns the outcome as fields of the status. So is every fault."""
    logger = log.bind(corpus=corpus.name, job=job)
    reporting = stages or Stages(lambda *_: None)
    try:
        return _recluster(corpus, redis, job, reporting, logger, fresh=fresh, dask=dask, clock=clock)
    except CorpusError as error:
        outcome: dict[str, Any] = {"state": "failed", "error": str(error)}
        logger.error("failed", reason=str(error))  # noqa: TRY400 - the message suffices
    except TRANSIENT as error:
        outcome = {"state": "failed", "error": f"{type(error).__name__}: {error}", "transient": True}
        logger.error("failed", reason=str(error))  # noqa: TRY400 - the message suffices
    except Exception as error:  # the process ends after this: whoever waits for the run must know why
        outcome = {"state": "failed", "error": f"{type(error).__name__}: {error}"}
        logger.exception("failed")
    return outcome


def _recluster(
    corpus: Corpus,
    redis: Redis,
    job: str,
    stages: Stages,
    logger: Any,
    *,
    fresh: bool,
    dask: str | None,
    clock: Callable[[], float],
) -> dict[str, Any]:
    """Load, cluster, publish; returns the outcome."""
    store = SnapshotStore(redis)
    edited = edited_corpus(corpus, redis, job)
    corpus = edited.corpus
    tagged, notes = load_documents(corpus, stages, redis)
    damaged: dict[str, str] = {}
    unchanged = _unchanged_version(store, corpus, tagged.fingerprint, damaged)
    if unchanged is not None and not fresh and edited.trial is None:
        logger.info("unchanged since the last run, nothing to do", version=unchanged)
        _note_contained(redis, corpus.name, unchanged, notes)
        return {"state": "unchanged", "version": unchanged}
    previous = _load_previous(store, corpus.name, logger, damaged)
    for version, damage in damaged.items():
        logger.error("a version is damaged; this run replaces it", version=version, reason=damage)
        count_bad_record(redis, "Snapshot")
    now = datetime.fromtimestamp(clock(), tz=UTC)
    with tasks_at(dask) as tasks:
        snapshot, documents = cluster(
            corpus, tagged, now, stages, previous=previous, fresh=fresh, notes=notes, tasks=tasks
        )
    if edited.trial is not None:
        logger.info("tried edits, nothing is published")
        return {"state": "done", "report": trial_report(edited, snapshot, previous.snapshot if previous else None)}
    if unchanged is not None and snapshot.lineage.runs_since_fresh:
        logger.info("a fresh start keeps no more information, the old version stays", version=unchanged)
        _note_contained(redis, corpus.name, unchanged, notes)
        return {"state": "unchanged", "version": unchanged}
    snapshot = replace(snapshot, version=_free_version(redis, corpus.name, now, stages))
    reason = _publish(redis, corpus, job, now, result=(snapshot, documents), previous=previous)
    stages.close()
    _tidy_up(redis, corpus, logger)
    _log_result(logger, snapshot, reason, stages)
    return _outcome(corpus.name, snapshot.version, reason)


def _free_version(redis: Redis, corpus: str, now: datetime, stages: Stages) -> str:
    """The version to publish as, once the store answers: a long run is not lost because of a short outage."""

    def ask_store(client: Redis) -> None:
        stages.enter("publish")  # at each attempt: it ends a process whose worker has died
        client.ping()

    wait_for_answer(redis, pause=AWAY_SECONDS, ask=ask_store)
    return version_after(now, SnapshotStore(redis).versions(corpus))


def _publish(
    redis: Redis,
    corpus: Corpus,
    job: str,
    now: datetime,
    *,
    result: tuple[Snapshot, Documents],
    previous: PreviousVersion | None,
) -> str | None:
    """Publish a result, or store it without serving it; returns why it is held."""
    snapshot, documents = result
    reason = _reason_to_hold(corpus, snapshot, previous)
    ChangeLog(redis).trim(corpus.name, now)
    before = None if previous is None else previous.snapshot
    beside = published_beside(corpus, snapshot, before, job, reason)
    served = SnapshotStore(redis).publish(encode(snapshot, documents), serve=reason is None, beside=beside)
    return reason if served else reason or PINNED


def _tidy_up(redis: Redis, corpus: Corpus, logger: Any) -> None:
    """Remove what is old; the version is published, so that the next run can do it as well."""
    store = SnapshotStore(redis)
    try:
        store.retain(corpus.name, corpus.keep)
        PushedDocuments(redis, corpus.name).trim(store)
    except StoreUnavailable as error:
        logger.warning("cannot remove older versions", reason=str(error))


def _log_result(logger: Any, snapshot: Snapshot, reason: str | None, stages: Stages) -> None:
    logger.info(
        "published" if reason is None else f"held for inspection: {reason}",
        version=snapshot.version,
        documents=snapshot.document_count,
        tags=snapshot.tag_count,
        clusters=len(snapshot.clusters),
        moved=snapshot.lineage.moved,
        recall=snapshot.suggestions.get("recall"),
        seconds=round(sum(stages.timings.values()), 1),
    )


def _outcome(corpus: str, version: str, reason: str | None) -> dict[str, Any]:
    """What the status says of a stored version: that it is served, or how an operator can serve it."""
    if reason is None:
        return {"state": "done", "version": version}
    unpin = f"cotag snapshots {corpus} unpin, then: " if reason == PINNED else ""
    accept = f"to serve it: {unpin}cotag snapshots {corpus} activate {version}"
    return {"state": "held", "version": version, "error": f"{reason}; {accept}"}


def _note_contained(redis: Redis, corpus: str, version: str, notes: dict[str, int]) -> None:
    """Let services forget the changes of pushed documents that left the same documents as before."""
    if "pushed_revision" in notes:
        PushedDocuments(redis, corpus).note_contained(version, notes["pushed_revision"])


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


def _load_previous(store: SnapshotStore, corpus: str, logger: Any, damaged: dict[str, str]) -> PreviousVersion | None:
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
    logger.warning("cannot inherit from the served version, starting fresh", version=version, reason=reason)
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
