"""What a run leaves beside its version when it ends: counters, a line of history, and notices for webhooks."""

import uuid
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

import orjson
import structlog
from redis import Redis

from snapshot import RunStatus, Snapshot, StoreUnavailable, encode_record, is_trial
from snapshot.store.operation.counters import count_run
from snapshot.store.operation.outbox import Event, Notice, Outbox
from snapshot.store.operation.run_history import PastRun, RunHistory
from snapshot.store.publication import PublishedBeside
from snapshot.version.changes import concepts_of, encode_step, step_between
from snapshot.version.comparison import compare
from worker.corpora.declaration import Corpus
from worker.runs.rising import newly_rising

SUCCESSES: Final = frozenset({"done", "unchanged"})
PINNED: Final = "another version is pinned"
log = structlog.get_logger()


def published_beside(
    corpus: Corpus, snapshot: Snapshot, previous: Snapshot | None, job: str, reason: str | None
) -> PublishedBeside:
    """What is stored in the same step as a version: its difference from the one before, and notices.

    `reason` says why it is held; None if it is to be served.
    """
    now = snapshot.created
    after = concepts_of(snapshot)
    before = None if previous is None else concepts_of(previous)
    step = step_between(snapshot.version, after, previous.version, before) if previous and before else None
    data = {
        "corpus": corpus.name,
        "title": snapshot.title,
        "job": job,
        "version": snapshot.version,
        "previous": previous.version if previous else None,
        "documents": snapshot.document_count,
        "tags": snapshot.tag_count,
        "concepts": len(snapshot.clusters),
        "moved": snapshot.lineage.moved,
        "changes": None if before is None else compare(before, after).counts,
    }
    return PublishedBeside(
        step=b"" if step is None else encode_step(step),
        moment=now.timestamp(),
        if_served=notices(corpus, "published", data, now) | _trend_notices(corpus, snapshot, previous, now),
        if_held=notices(corpus, "held", {**data, "reason": reason or PINNED}, now),
    )


def record_outcome(
    redis: Redis, name: str, status: RunStatus, timings: Mapping[str, float], corpus: Corpus | None = None
) -> None:
    """Count a run that ended and add it to the history; if it failed, put notices into the outbox.

    A trial of edits publishes nothing, so it is only counted.

    Args:
        redis: the store.
        name: of the corpus.
        status: the last status of the run.
        timings: seconds by stage.
        corpus: the declaration; None if it cannot be read, and then nobody is told.
    """
    count_run(redis, name, status.state, timings, succeeded=status.state in SUCCESSES and not is_trial(status.job))
    if is_trial(status.job):
        return
    past = PastRun(
        job=status.job,
        state=status.state,
        ended=status.updated,
        seconds=round(max(status.updated - status.started, 0.0), 1),
        version=status.version,
        error=status.error,
    )
    try:
        RunHistory(redis).add(name, past)
        if corpus is not None and status.state == "failed":
            moment = datetime.fromtimestamp(status.updated, UTC)
            data = {
                "corpus": name,
                "title": corpus.title or name,
                "job": status.job,
                "error": status.error,
                "retried": status.transient,
            }
            Outbox(redis).add(notices(corpus, "failed", data, moment), status.updated)
    except StoreUnavailable as error:
        log.warning("the end of the run is in no history", corpus=name, job=status.job, reason=str(error))


def _trend_notices(corpus: Corpus, snapshot: Snapshot, previous: Snapshot | None, now: datetime) -> dict[str, str]:
    """One notice for each concept that began to rise with this version, for the webhooks that follow it."""
    if not any("trend" in hook.events for hook in corpus.webhooks):
        return {}
    labels = {cluster.id: cluster.name for cluster in snapshot.clusters}
    told = {"corpus": corpus.name, "title": snapshot.title, "version": snapshot.version}
    found: dict[str, str] = {}
    for rise in newly_rising(snapshot, previous):
        if rise.cluster in labels:
            data = {**told, "label": labels[rise.cluster], **asdict(rise)}
            found |= notices(corpus, "trend", data, now, concept=rise.cluster)
    return found


def notices(
    corpus: Corpus, event: Event, data: Mapping[str, Any], now: datetime, concept: int | None = None
) -> dict[str, str]:
    """The notices about an event for all webhooks of the corpus that want it, encoded, by id.

    An event about a concept is for those that follow the concept.
    """
    found: dict[str, str] = {}
    for hook in corpus.webhooks:
        if event in hook.events and (concept is None or not hook.concepts or concept in hook.concepts):
            number = f"msg_{uuid.uuid4().hex}"
            body = orjson.dumps({"type": event, "timestamp": now.isoformat(), "data": data}).decode()
            found[number] = encode_record(Notice(number, corpus.name, event, hook.digest, body)).decode()
    return found
