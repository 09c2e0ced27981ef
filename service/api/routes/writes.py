"""The endpoints that change documents, jobs and the current version. Each needs an API key, and the store."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import orjson
from flask import request
from redis import Redis

from service.answers import AcceptedAnswer, ActivatedAnswer, PushedAnswer, RunAnswer
from service.api.parameters.parameters import CorpusPath, DeleteQuery, JobPath, JobQuery, Nothing, VersionPath
from service.api.routes.admin import known_job, run_answer
from service.api.routing import Operation, always
from service.errors import NotPossible, OutOfRange, UnknownCorpus, UnknownVersion, WrongLines, WrongMediaType
from service.live.snapshots import LiveSnapshots
from service.questions.clusters.classification import classify_pushed
from service.web.http import HttpResponse
from service.web.metrics import Metrics
from snapshot import (
    ENDED,
    AnotherPinned,
    CorpusRegister,
    PublishRefused,
    PushedDocument,
    PushedDocuments,
    RegisteredCorpus,
    SnapshotStore,
    StatusBoard,
    parse_card,
)
from snapshot.version.cards import MOST_FIELDS
from snapshot.version.dates import parse_date
from snapshot.version.limits import LONGEST_ID, LONGEST_LABEL, LONGEST_TAG
from tagmodel.words import LONGEST_TEXT

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
ACCEPTED: Final = ("", NDJSON, "application/jsonl", "application/json", "application/x-jsonlines")
PUSH_EXAMPLE: Final = '{"id": "recipe-17", "tags": ["tomato", "basil"]}\n'
SHOWN_FAULTS: Final = 100
MOST_TAGS: Final = 1000
"""Tags of a document."""

CARD: Final = ("title", "url", "image", "fields", "text")

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
        documents = parse_documents(request.get_data(cache=False), declared.base_url)
        answer = AcceptedAnswer(path.corpus, store.put(documents), store.count())
        view = self._live.held(path.corpus)
        if view is None:
            return answer
        placed, new_tags = classify_pushed(view, documents)
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


def parse_documents(body: bytes, base_url: str | None = None) -> list[PushedDocument]:
    """Parse the documents of a body, or raise WrongLines with the invalid lines."""
    documents: list[PushedDocument] = []
    wrong: list[tuple[int, str]] = []
    is_array = body.lstrip()[:1] == b"["
    for number, record in _array_elements(body) if is_array else _lines(body):
        try:
            documents.append(parse_document(orjson.loads(record) if isinstance(record, bytes) else record, base_url))
        except ValueError as error:
            wrong.append((number, str(error)))
    if wrong:
        parts = "elements" if is_array else "lines"
        message = f"{len(wrong)} of {len(wrong) + len(documents)} {parts} are no documents; nothing was kept"
        raise WrongLines(message, wrong[:SHOWN_FAULTS])
    if not documents:
        raise WrongLines("there is no document in the body", [])
    return documents


def _lines(body: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines of a body that are not blank, with their numbers."""
    return ((number, line) for number, line in enumerate(body.split(b"\n"), start=1) if line.strip())


def _array_elements(body: bytes) -> Iterator[tuple[int, Any]]:
    """The elements of a body that is a JSON array, with their positions from 1; WrongLines if it is none."""
    try:
        return enumerate(orjson.loads(body), start=1)
    except orjson.JSONDecodeError as error:
        raise WrongLines("the body is no JSON array", [(error.lineno, error.msg)]) from error


def parse_document(record: Any, base_url: str | None = None) -> PushedDocument:
    """Return one document, or raise ValueError."""
    if not isinstance(record, dict):
        raise ValueError("not an object")  # noqa: TRY004 - a bad line is a value, whatever its type
    if unknown := record.keys() - {"id", "tags", "label", "date", *CARD}:
        raise ValueError(f"unknown field {min(unknown)!r}")
    name, tags, label = record.get("id"), record.get("tags"), record.get("label")
    if not isinstance(name, str) or not 1 <= len(name) <= LONGEST_ID:
        raise ValueError(f'"id" is not a text of 1 to {LONGEST_ID} characters')
    if not isinstance(tags, list) or len(tags) > MOST_TAGS:
        raise ValueError(f'"tags" is not a list of at most {MOST_TAGS}')
    if not all(isinstance(tag, str) and len(tag) <= LONGEST_TAG for tag in tags):
        raise ValueError(f'"tags" has one that is not a text of at most {LONGEST_TAG} characters')
    if label is not None and not (isinstance(label, str) and len(label) <= LONGEST_LABEL):
        raise ValueError(f'"label" is not a text of at most {LONGEST_LABEL} characters')
    return PushedDocument(name, tags, label, _parse_pushed_card(record, base_url))


def _parse_pushed_card(record: dict[str, Any], base_url: str | None) -> dict[str, Any]:
    """What people see of a document, and its text; ValueError with what is wrong."""
    card = {key: record[key] for key in CARD if record.get(key) is not None}
    fields = card.get("fields", {})
    if not isinstance(fields, dict) or len(fields) > MOST_FIELDS or not all(len(key) <= LONGEST_TAG for key in fields):
        raise ValueError(f'"fields" is not an object of at most {MOST_FIELDS} texts and numbers')
    if not isinstance(card.get("text", ""), str) or len(card.get("text", "")) > LONGEST_TEXT:
        raise ValueError(f'"text" is not a text of at most {LONGEST_TEXT} characters')
    if (date := record.get("date")) is not None:
        if parse_date(date) is None:
            raise ValueError('"date" is no date: an ISO date, seconds since the epoch, or a year')
        card["fields"] = fields = {"date": date, **fields}
    parse_card(card.get("title"), card.get("url"), card.get("image"), fields, base_url)
    return card


def accepted(status: RunAnswer) -> HttpResponse:
    """The answer to a request for a job: where to follow it."""
    headers = {"Content-Type": JSON, "Location": f"/v1/jobs/{status.job}", "Cache-Control": "no-store"}
    return HttpResponse(202, headers, orjson.dumps(status))
