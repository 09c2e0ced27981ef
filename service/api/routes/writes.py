"""The endpoints that change documents, jobs and the current version. Each needs an API key, and the store."""

import time
from dataclasses import replace
from typing import Final

import orjson
from flask import request
from redis import Redis

from service.answers import AcceptedAnswer, ActivatedAnswer, PushedAnswer, RunAnswer
from service.api.parameters.parameters import CorpusPath, DeleteQuery, JobPath, JobQuery, Nothing, VersionPath
from service.api.pushed_body import check_body, documents_in
from service.api.routes.admin import known_job, run_answer
from service.api.routing import Operation, always
from service.errors import NotPossible, OutOfRange, UnknownCorpus, UnknownVersion, WrongMediaType
from service.live.snapshots import LiveSnapshots
from service.questions.clusters.classification import MOST_PLACED, classify_pushed
from service.web.flask_app import whole_body
from service.web.http import HttpResponse
from service.web.metrics import Metrics
from snapshot import (
    ENDED,
    AnotherPinned,
    CorpusRegister,
    PublishRefused,
    PushedDocuments,
    RegisteredCorpus,
    SnapshotStore,
    StatusBoard,
)

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
ACCEPTED: Final = ("", NDJSON, "application/jsonl", "application/json", "application/x-jsonlines")
PUSH_EXAMPLE: Final = '{"id": "recipe-17", "tags": ["tomato", "basil"]}\n'
WRITE_ERRORS: Final = (401, 403, 404, 422, 503)


def operations(redis: Redis, live: LiveSnapshots, metrics: Metrics) -> tuple[Operation, ...]:
    """All of them, as openapi.json lists them."""
    handlers = WriteHandlers(redis, live, metrics)
    return (
        Operation(
            method="POST",
            path="/v1/corpora/{corpus}/documents",
            summary="Push documents",
            group="documents",
            scope="push",
            handler=handlers.post_documents,
            asks_store=always,
            media={JSON: AcceptedAnswer},
            path_model=CorpusPath,
            errors=(*WRITE_ERRORS, 409, 413, 415),
            body={NDJSON: PUSH_EXAMPLE},
        ),
        Operation(
            method="DELETE",
            path="/v1/corpora/{corpus}/documents",
            summary="Remove pushed documents",
            group="documents",
            scope="push",
            handler=handlers.delete_documents,
            asks_store=always,
            media={JSON: PushedAnswer},
            path_model=CorpusPath,
            query_model=DeleteQuery,
            errors=(*WRITE_ERRORS, 409),
        ),
        Operation(
            method="POST",
            path="/v1/corpora/{corpus}/jobs",
            summary="Re-cluster now",
            group="jobs",
            scope="operate",
            handler=handlers.post_job,
            asks_store=always,
            media={JSON: RunAnswer},
            path_model=CorpusPath,
            query_model=JobQuery,
            status=202,
            errors=WRITE_ERRORS,
        ),
        Operation(
            method="DELETE",
            path="/v1/jobs/{job}",
            summary="Cancel a job",
            group="jobs",
            scope="operate",
            handler=handlers.delete_job,
            asks_store=always,
            media={JSON: RunAnswer},
            path_model=JobPath,
            status=202,
            errors=(*WRITE_ERRORS, 409),
        ),
        Operation(
            method="POST",
            path="/v1/corpora/{corpus}/snapshots/{version}/activate",
            summary="Roll back or forward",
            group="corpora",
            scope="operate",
            handler=handlers.activate_snapshot,
            asks_store=always,
            media={JSON: ActivatedAnswer},
            path_model=VersionPath,
            errors=(*WRITE_ERRORS, 409),
        ),
    )


class WriteHandlers:
    """The handlers of these endpoints."""

    def __init__(self, redis: Redis, live: LiveSnapshots, metrics: Metrics) -> None:
        self._redis = redis
        self._live = live
        self._store = SnapshotStore(redis)
        self._board = StatusBoard(redis, metrics.count_bad_record)
        self._register = CorpusRegister(redis, metrics.count_bad_record)

    def post_documents(self, path: CorpusPath, _: Nothing) -> AcceptedAnswer:
        """One JSON object a line, or an array of objects.

        An object is {"id": …, "tags": […]}, if you like with label, date, title, url, image, fields and text, from
        which runs learn tags. A URL is http or https, or relative if the corpus declares a base_url; `fields` is an
        object of texts and numbers. A document with the id of another replaces it. If any is wrong nothing is kept, and
        `lines` says what is wrong with which line, or with which element of the array. The answer places each document
        (the first thousand) at once in the version that is served; the next run clusters it with the others.
        """
        declared = self._declared_pushed(path.corpus)
        store = PushedDocuments(self._redis, path.corpus)
        if request.mimetype not in ACCEPTED:
            raise WrongMediaType(f"send {NDJSON}, not {request.mimetype}")
        if request.headers.get("Content-Encoding", "identity") != "identity":
            raise WrongMediaType("send the body without Content-Encoding")
        body = whole_body()
        checked = check_body(body, declared.base_url, first=MOST_PLACED)
        answer = AcceptedAnswer(path.corpus, store.put(documents_in(body)), store.count())
        view = self._live.held(path.corpus)
        if view is None:
            return answer
        placed, new_tags = classify_pushed(view, checked.first)
        return replace(answer, version=view.snapshot.version, revision=view.revision, placed=placed, new_tags=new_tags)

    def delete_documents(self, path: CorpusPath, query: DeleteQuery) -> PushedAnswer:
        """By id, or all of them; `changed` is how many there were."""
        self._declared_pushed(path.corpus)
        documents = PushedDocuments(self._redis, path.corpus)
        if bool(query.id) == query.all:
            raise OutOfRange("id: give the ids of documents to remove, or all=true")
        changed = documents.clear() if query.all else documents.delete(query.id)
        return PushedAnswer(path.corpus, changed, documents.count())

    def post_job(self, path: CorpusPath, query: JobQuery) -> HttpResponse:
        """Answered at once with the job to follow at `Location`; a job that is queued already is the answer."""
        if path.corpus not in self._register.read(self._live.declarations()):
            raise UnknownCorpus(f"no corpus {path.corpus!r} is declared")
        return accepted(run_answer(self._board.request(path.corpus, time.time(), fresh=query.fresh)))

    def delete_job(self, path: JobPath, _: Nothing) -> HttpResponse:
        """The job stops within a second or so; the version before stays."""
        job = known_job(self._board, path.job)
        if job.state in ENDED:
            raise NotPossible(f"the job has ended: {job.state}")
        self._board.cancel(path.job)
        return accepted(job)

    def activate_snapshot(self, path: VersionPath, _: Nothing) -> ActivatedAnswer:
        """Make a stored version current. All processes follow within two seconds; the next run moves on from it."""
        try:
            self._store.activate(path.corpus, path.version)
        except AnotherPinned as error:
            raise NotPossible(str(error)) from error
        except PublishRefused as error:
            raise UnknownVersion(f"{path.corpus} has no version {path.version}") from error
        return ActivatedAnswer(path.corpus, path.version)

    def _declared_pushed(self, corpus: str) -> RegisteredCorpus:
        declared = self._register.read(self._live.declarations()).get(corpus)
        if declared is None:
            raise UnknownCorpus(f"no corpus {corpus!r} is declared")
        if not declared.pushed:
            raise NotPossible(f"{corpus} is not declared as pushed; its documents come from its own source")
        return declared


def accepted(status: RunAnswer) -> HttpResponse:
    """The answer to a request for a job: where to follow it."""
    headers = {"Content-Type": JSON, "Location": f"/v1/jobs/{status.job}", "Cache-Control": "no-store"}
    return HttpResponse(202, headers, orjson.dumps(status))
