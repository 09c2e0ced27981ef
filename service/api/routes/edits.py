"""The endpoints of editors' decisions: list, change, try. Each needs a key with the scope edit, and the store."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import orjson
from flask import request
from redis import Redis

from service.answers import EditedAnswer, EditReport, EditsAnswer
from service.api.edit_answers import edit_answers, edited_answer, label_conflicts
from service.api.parameters.edits import DeleteEditsQuery, EditQuery, EditsQuery
from service.api.parameters.parameters import CorpusPath
from service.api.routes.admin import run_answer
from service.api.routes.writes import accepted
from service.api.routing import Operation, always
from service.errors import NotPossible, RevisionRequired, UnknownCorpus, WrongBody, WrongLines, WrongMediaType
from service.live.snapshots import LiveSnapshots
from service.questions.edits.report import edit_report
from service.view.view import View
from service.web.flask_app import current_request
from service.web.http import HttpResponse
from service.web.metrics import Metrics
from snapshot import StatusBoard, StoreUnavailable, new_job_id
from snapshot.edits import Edit, EditChange, EditState, check_change, parse_edit
from snapshot.edits.change import Contradiction
from snapshot.store.edits import EditStore, StaleRevision

JSON: Final = "application/json"
MOST_EDITS: Final = 10_000
SHOWN_FAULTS: Final = 100
ATTEMPTS: Final = 5
"""How often a removal without a revision tries again if others change the edits meanwhile."""

ERRORS: Final = (401, 403, 404, 422, 503)
EXAMPLE: Final = {"edits": [{"kind": "move", "tag": "apple", "to": "fruit"}], "remove": []}
REVISION: Final = re.compile(r'(?:W/)?"?(\d{1,18})"?', re.ASCII)


def operations(redis: Redis, live: LiveSnapshots, metrics: Metrics) -> tuple[Operation, ...]:
    """All of them, as openapi.json lists them."""
    handlers = EditHandlers(redis, live, metrics)
    return (
        Operation(
            path="/v1/corpora/{corpus}/edits",
            summary="The decisions of editors",
            group="edits",
            scope="edit",
            handler=handlers.get_edits,
            asks_store=always,
            media={JSON: EditsAnswer},
            path_model=CorpusPath,
            query_model=EditsQuery,
            errors=ERRORS,
        ),
        Operation(
            method="POST",
            path="/v1/corpora/{corpus}/edits",
            summary="Decide, or try what a decision would do",
            group="edits",
            scope="edit",
            handler=handlers.post_edits,
            asks_store=always,
            media={JSON: EditedAnswer | EditReport},
            path_model=CorpusPath,
            query_model=EditQuery,
            errors=(*ERRORS, 409, 412, 413, 415, 428),
            headers={"If-Match": "The revision that you have seen, in quotes; needed without dry_run"},
            body={JSON: EXAMPLE},
        ),
        Operation(
            method="DELETE",
            path="/v1/corpora/{corpus}/edits",
            summary="Take decisions back",
            group="edits",
            scope="edit",
            handler=handlers.delete_edits,
            asks_store=always,
            media={JSON: EditedAnswer},
            path_model=CorpusPath,
            query_model=DeleteEditsQuery,
            errors=(*ERRORS, 409, 412, 428),
            headers={"If-Match": "Take them back only if the edits have this revision"},
        ),
    )


class EditHandlers:
    """The handlers of these endpoints."""

    def __init__(self, redis: Redis, live: LiveSnapshots, metrics: Metrics) -> None:
        self._live = live
        self._store = EditStore(redis, metrics.count_bad_record)
        self._board = StatusBoard(redis, metrics.count_bad_record)

    def get_edits(self, path: CorpusPath, query: EditsQuery) -> HttpResponse:
        """Newest first, then those of the corpora file; the ETag is the revision, for If-Match.

        While the store is away, the last ones that the service has seen, marked as stale.
        """
        self._check_corpus(path.corpus)
        held = self._live.held(path.corpus)
        stale = False
        try:
            state = self._store.read(path.corpus)
        except StoreUnavailable:
            if held is None:
                raise
            state, stale = held.edits, True
        return _response(state.revision, edit_answers(path.corpus, self._view_of(held, state), state, query, stale))

    def post_edits(self, path: CorpusPath, query: EditQuery) -> HttpResponse:
        """Add `edits` and `remove` others by id: all or none, as one new revision. If-Match names the revision.

        With `dry_run` nothing is stored: the answer reports what would change. If that takes a run, it is 202 with a
        job, which publishes nothing and has the report at its end.
        """
        self._check_corpus(path.corpus)
        expected = _expected_revision()
        if expected is None and not query.dry_run:
            raise RevisionRequired(
                "send If-Match with the revision of the edits that you have seen: it is the ETag of GET …/edits"
            )
        add, remove = read_change(_read_body())
        state = self._store.read(path.corpus)
        if expected is not None and state.revision != expected:
            raise StaleRevision(path.corpus, state.revision, expected)
        change = self._check(path.corpus, state, add, remove)
        if query.dry_run:
            return self._try(path.corpus, change)
        return self._make(path.corpus, change)

    def delete_edits(self, path: CorpusPath, query: DeleteEditsQuery) -> HttpResponse:
        """By id. With If-Match, only if the edits have this revision."""
        self._check_corpus(path.corpus)
        expected = _expected_revision()
        for attempt in range(ATTEMPTS):
            state = self._store.read(path.corpus)
            if expected is not None and state.revision != expected:
                raise StaleRevision(path.corpus, state.revision, expected)
            try:
                return self._make(path.corpus, check_change(state, remove=query.id))
            except StaleRevision:
                if expected is not None or attempt == ATTEMPTS - 1:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _check(self, corpus: str, state: EditState, add: Sequence[Edit], remove: Sequence[str]) -> EditChange:
        """The change, if nothing contradicts it, also not in the version that is served."""
        change = check_change(state, add, remove)
        held = self._live.held(corpus)
        if held is not None and any(edit.kind == "label" for edit in change.added):
            found = label_conflicts(held, change)
            if found:
                raise Contradiction(found)
        return change

    def _try(self, corpus: str, change: EditChange) -> HttpResponse:
        """Report at once what a change would do, or, if that takes a run, accept a job that reports it."""
        if not change.needs_run:
            return _response(change.state.revision, edit_report(self._live.view(corpus), change))
        if corpus not in self._live.declarations():
            raise NotPossible(f"no corpus {corpus!r} is declared, so no run can try this")
        job = new_job_id(corpus, trial=True)
        self._store.store_trial(job, change)
        return accepted(run_answer(self._board.request_trial(corpus, job, time.time())))

    def _make(self, corpus: str, change: EditChange) -> HttpResponse:
        revision = change.state.revision
        if change.added or change.removed:
            remove = [edit.id for edit in change.removed]
            revision = self._store.change(corpus, revision, add=change.added, remove=remove)
            self._live.await_revision(corpus, revision)
        after = replace(change.state, revision=revision)
        view = self._view_of(self._live.held(corpus), after)
        return _response(revision, edited_answer(corpus, view, change, revision))

    @staticmethod
    def _view_of(held: View | None, state: EditState) -> View | None:
        """The view with these edits; None if the corpus has no version yet."""
        return held if held is None or held.revision == state.revision else held.with_edits(state)

    def _check_corpus(self, corpus: str) -> None:
        if self._live.held(corpus) is None and corpus not in self._live.declarations():
            raise UnknownCorpus(f"there is no corpus {corpus!r}")


def read_change(body: bytes) -> tuple[list[Edit], list[str]]:
    """The edits to add and the ids to remove; WrongBody or WrongLines with what is wrong."""
    try:
        record = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise WrongBody(f"not JSON: {error}") from error
    if not isinstance(record, dict) or not record or record.keys() - {"edits", "remove"}:
        raise WrongBody('the body is not an object with "edits", "remove" or both')
    records, remove = record.get("edits", []), record.get("remove", [])
    if not isinstance(records, list) or len(records) > MOST_EDITS:
        raise WrongBody(f'"edits" is not a list of at most {MOST_EDITS:,} objects')
    if not isinstance(remove, list) or len(remove) > MOST_EDITS or not all(isinstance(name, str) for name in remove):
        raise WrongBody(f'"remove" is not a list of at most {MOST_EDITS:,} ids')
    request_head = current_request()
    at = datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    edits, wrong = parse_edits(records)
    if wrong:
        raise WrongLines(f"{len(wrong)} of {len(records)} edits are wrong; nothing was changed", wrong[:SHOWN_FAULTS])
    return [replace(edit, by=request_head.key, at=at) for edit in edits], remove


def parse_edits(records: Sequence[Any]) -> tuple[list[Edit], list[tuple[int, str]]]:
    """The edits of JSON objects, and what is wrong with which of them, counted from 1."""
    edits: list[Edit] = []
    wrong: list[tuple[int, str]] = []
    for number, record in enumerate(records, start=1):
        try:
            edits.append(parse_edit(record))
        except ValueError as error:
            wrong.append((number, str(error)))
    return edits, wrong


def _read_body() -> bytes:
    if request.mimetype not in {"", JSON}:
        raise WrongMediaType(f"send {JSON}, not {request.mimetype}")
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise WrongMediaType("send the body without Content-Encoding")
    return request.get_data(cache=False)


def _expected_revision() -> int | None:
    """The revision of If-Match; None if the header is missing."""
    header = request.headers.get("If-Match")
    if header is None:
        return None
    match = REVISION.fullmatch(header.strip())
    if match is None:
        raise RevisionRequired(f'If-Match: {header[:50]!r} is not a revision such as "7"')
    return int(match[1])


def _response(revision: int, answer: Any) -> HttpResponse:
    headers = {"Content-Type": JSON, "Cache-Control": "no-store", "ETag": f'"{revision}"'}
    return HttpResponse(200, headers, orjson.dumps(answer))
