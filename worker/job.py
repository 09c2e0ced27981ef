"""The job: re-cluster one corpus and publish the result. Runs on RQ, in a process of its own."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

import structlog
from redis import Redis

from snapshot import RunStatus, SnapshotStore, StatusBoard, connect, encode
from snapshot.settings import read_settings
from worker.clustering import Stages, cluster, load
from worker.corpora import Corpus, read_corpora
from worker.errors import AlreadyRunning, CorpusError
from worker.exclusive import exclusive
from worker.settings import WorkerSettings

REPORT_SECONDS: Final = 0.25
"""Progress within a stage is written at most this often."""

log = structlog.get_logger()


def recluster(name: str, job: str) -> dict[str, Any]:
    """Entry point on the queue: everything it needs comes from the settings."""
    settings = read_settings(WorkerSettings)
    corpora = read_corpora(settings.corpora)
    if name not in corpora:
        raise CorpusError(f"{settings.corpora} declares no corpus {name}")
    return run(corpora[name], connect(settings.redis_url), job)


def run(corpus: Corpus, redis: Redis, job: str, *, clock: Callable[[], float] = time.time) -> dict[str, Any]:
    """Re-cluster a corpus unless it is unchanged, and say how it ended.

    What is wrong with the corpus itself is an outcome; everything else is raised, after the status says so.
    """
    board = StatusBoard(redis)
    logger = log.bind(corpus=corpus.name)
    try:
        with exclusive(redis, corpus.name):
            progress = Progress(board, corpus.name, RunStatus(job, "running", clock(), clock()), clock, logger)
            try:
                version, state = _publish(corpus, SnapshotStore(redis), progress, clock)
            except CorpusError as error:
                progress.end(state="failed", error=str(error))
                logger.error("failed", reason=str(error))  # noqa: TRY400 - the message says it all
                return {"state": "failed", "error": str(error)}
            except BaseException as error:
                progress.end(state="failed", error=f"{type(error).__name__}: {error}")
                raise
            progress.end(state=state, version=version)
            return {"state": state, "version": version}
    except AlreadyRunning as error:
        logger.info(str(error))
        return {"state": "skipped"}


def _publish(corpus: Corpus, store: SnapshotStore, progress: "Progress", clock: Callable[[], float]) -> tuple[str, str]:
    stages = Stages(progress.report)
    tagged, counts = load(corpus, stages)
    served = store.current(corpus.name)
    if served is not None and _unchanged(store.meta(corpus.name, served), corpus, tagged.fingerprint):
        progress.logger.info("unchanged since the last run, nothing to do", version=served)
        return served, "unchanged"
    now = datetime.fromtimestamp(clock(), tz=UTC)
    snapshot, documents = cluster(corpus, tagged, counts, now, stages)
    stages.enter("publish")
    store.publish(encode(snapshot, documents))
    store.retain(corpus.name, corpus.keep)
    progress.logger.info(
        "published",
        version=snapshot.version,
        documents=snapshot.document_count,
        tags=len(snapshot.names),
        clusters=len(snapshot.clusters),
        seconds=round(sum(stages.timings.values()), 1),
    )
    return snapshot.version, "done"


def _unchanged(meta: dict[str, Any], corpus: Corpus, fingerprint: str) -> bool:
    same = {name: meta["parameters"].get(name) for name in corpus.parameters()} == corpus.parameters()
    return bool(same and meta["fingerprint"] == fingerprint and meta["title"] == (corpus.title or corpus.name))


class Progress:
    """Tells the status board and the log how far a run is."""

    def __init__(
        self, board: StatusBoard, corpus: str, status: RunStatus, clock: Callable[[], float], logger: Any
    ) -> None:
        self._board = board
        self._corpus = corpus
        self._status = status
        self._clock = clock
        self._logged = -1
        self.logger = logger

    def report(self, stage: str, done: int, total: int) -> None:
        """Write a new stage at once, and progress within it from time to time."""
        now = self._clock()
        entered = stage != self._status.stage
        if entered or done == total or now - self._status.updated >= REPORT_SECONDS:
            self._status = self._status.at(now, stage=stage, done=done, total=total)
            self._board.write(self._corpus, self._status)
        tenths = 10 * done // max(total, 1)
        if entered:
            self._logged = tenths
            self.logger.info(stage)
        elif tenths > self._logged and total > 10:
            self._logged = tenths
            self.logger.info(stage, percent=10 * tenths)

    def end(self, **outcome: object) -> None:
        """Write how the run ended."""
        self._status = self._status.at(self._clock(), **outcome)
        self._board.write(self._corpus, self._status)
