"""The endpoints of operators: what changed, past runs, pauses and pins."""

import time
from dataclasses import asdict
from typing import Final

from redis import Redis

from service.answers import ChangesAnswer, ControlAnswer, PastRunAnswer, RunsAnswer
from service.api.parameters.operation import SinceQuery
from service.api.parameters.parameters import CorpusPath, Nothing, PageQuery, VersionPath
from service.api.routing import Operation, always
from service.errors import NotPossible, UnknownCorpus, UnknownVersion
from service.live.snapshots import LiveSnapshots
from service.questions.clusters.changes import changes_since
from service.web.metrics import Metrics
from snapshot import CorpusRegister, PublishRefused, SnapshotStore
from snapshot.store.change_log import ChangeLog
from snapshot.store.operation.control import Control
from snapshot.store.operation.run_history import RunHistory

JSON: Final = "application/json"
WRITE_ERRORS: Final = (401, 403, 404, 422, 503)


def operations(redis: Redis, live: LiveSnapshots, metrics: Metrics) -> tuple[Operation, ...]:
    """All of them, as openapi.json lists them."""
    handlers = OperatingHandlers(redis, live, metrics)
    return (
        Operation(
            path="/v1/corpora/{corpus}/changes",
            summary="What changed since a version",
            group="corpora",
            handler=handlers.get_changes,
            media={JSON: ChangesAnswer},
            path_model=CorpusPath,
            query_model=SinceQuery,
            errors=(404, 410, 422, 503),
            asks_store=always,
        ),
        Operation(
            path="/v1/corpora/{corpus}/runs",
            summary="The runs of the last year",
            group="jobs",
            handler=handlers.get_runs,
            media={JSON: RunsAnswer},
            path_model=CorpusPath,
            query_model=PageQuery,
            errors=(404, 422, 503),
            example="/v1/corpora/demo/runs",
            asks_store=always,
        ),
        Operation(
            method="POST",
            path="/v1/corpora/{corpus}/pause",
            summary="Pause the schedule",
            group="jobs",
            scope="operate",
            handler=handlers.pause_corpus,
            asks_store=always,
            media={JSON: ControlAnswer},
            path_model=CorpusPath,
            errors=WRITE_ERRORS,
        ),
        Operation(
            method="DELETE",
            path="/v1/corpora/{corpus}/pause",
            summary="Resume the schedule",
            group="jobs",
            scope="operate",
            handler=handlers.resume_corpus,
            asks_store=always,
            media={JSON: ControlAnswer},
            path_model=CorpusPath,
            errors=WRITE_ERRORS,
        ),
        Operation(
            method="POST",
            path="/v1/corpora/{corpus}/snapshots/{version}/pin",
            summary="Pin a version",
            group="corpora",
            scope="operate",
            handler=handlers.pin_snapshot,
            asks_store=always,
            media={JSON: ControlAnswer},
            path_model=VersionPath,
            errors=WRITE_ERRORS,
        ),
        Operation(
            method="DELETE",
            path="/v1/corpora/{corpus}/pin",
            summary="Unpin",
            group="corpora",
            scope="operate",
            handler=handlers.unpin_corpus,
            asks_store=always,
            media={JSON: ControlAnswer},
            path_model=CorpusPath,
            errors=(*WRITE_ERRORS, 409),
        ),
    )


class OperatingHandlers:
    """The handlers of these endpoints."""

    def __init__(self, redis: Redis, live: LiveSnapshots, metrics: Metrics) -> None:
        self._live = live
        self._store = SnapshotStore(redis)
        self._log = ChangeLog(redis)
        self._history = RunHistory(redis, metrics.count_bad_record)
        self._control = Control(redis)
        self._register = CorpusRegister(redis, metrics.count_bad_record)

    def get_changes(self, path: CorpusPath, query: SinceQuery) -> ChangesAnswer:
        """Concepts that are new, split, merged, gone or renamed, and tags that came, went or moved.

        From a version of the last year, whether it is still stored or not, to the one that is served. If nothing is
        known of it any more, the answer is a 410 that names the oldest known version (`oldest`).
        """
        return changes_since(self._live.view(path.corpus), self._log, query.since)

    def get_runs(self, path: CorpusPath, query: PageQuery) -> RunsAnswer:
        """How each run of the last year ended, newest first.

        Runs that found nothing to do, in a row on one day, share an entry with their number (`times`).
        """
        if path.corpus not in self._live.state.runs and path.corpus not in self._store.corpora():
            raise UnknownCorpus(f"there is no corpus {path.corpus!r}")
        past = self._history.read(path.corpus, query.limit, query.offset)
        total = self._history.count(path.corpus)
        return RunsAnswer(path.corpus, total, query.offset, [PastRunAnswer(**asdict(run)) for run in past])

    def pause_corpus(self, path: CorpusPath, _: Nothing) -> ControlAnswer:
        """No run is queued by the schedule until it is resumed. What is served stays, and requested runs go on."""
        self._check_declared(path.corpus)
        self._control.pause(path.corpus, time.time())
        return self._answer(path.corpus)

    def resume_corpus(self, path: CorpusPath, _: Nothing) -> ControlAnswer:
        """Run by the schedule again. If a turn was missed, a run is due at once."""
        self._check_declared(path.corpus)
        self._control.resume(path.corpus)
        return self._answer(path.corpus)

    def pin_snapshot(self, path: VersionPath, _: Nothing) -> ControlAnswer:
        """Serve a stored version until it is unpinned. Runs are held meanwhile, and nothing else can be activated."""
        try:
            self._store.activate(path.corpus, path.version, pin=True)
        except PublishRefused as error:
            raise UnknownVersion(f"{path.corpus} has no version {path.version}") from error
        return self._answer(path.corpus)

    def unpin_corpus(self, path: CorpusPath, _: Nothing) -> ControlAnswer:
        """Let runs publish again. The version stays current until then; one that is held can be activated."""
        if self._control.pinned(path.corpus) is None:
            raise NotPossible(f"no version of {path.corpus} is pinned")
        self._control.unpin(path.corpus)
        return self._answer(path.corpus)

    def _answer(self, corpus: str) -> ControlAnswer:
        return ControlAnswer(corpus, self._control.paused(corpus), self._control.pinned(corpus))

    def _check_declared(self, corpus: str) -> None:
        if corpus not in self._register.read(self._live.declarations()):
            raise UnknownCorpus(f"no corpus {corpus!r} is declared")
