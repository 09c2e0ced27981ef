"""Every error as RFC 9457 problem+json; one table maps exceptions to statuses."""

import math
from dataclasses import replace
from http import HTTPStatus
from typing import Final

import orjson
import structlog
from pydantic import ValidationError
from werkzeug.exceptions import HTTPException

from service import errors
from service.answers import LineFault, Problem
from service.answers.edits import conflict_answer
from service.api.parameters.parameters import faults
from service.web.http import HttpResponse, Request
from snapshot import NoSuchVersion, SnapshotError, StoreUnavailable
from snapshot.edits import Contradiction, DeclaredEdit, EditRefused, UnknownEdit
from snapshot.store.edits import StaleRevision

MEDIA_TYPE: Final = "application/problem+json"

STATUS: Final[dict[type[Exception], HTTPStatus]] = {
    errors.UnknownCorpus: HTTPStatus.NOT_FOUND,
    errors.UnknownTags: HTTPStatus.NOT_FOUND,
    errors.UnknownCluster: HTTPStatus.NOT_FOUND,
    errors.UnknownDocument: HTTPStatus.NOT_FOUND,
    errors.UnknownVersion: HTTPStatus.NOT_FOUND,
    errors.UnknownJob: HTTPStatus.NOT_FOUND,
    errors.VersionGone: HTTPStatus.GONE,
    errors.NothingServed: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.DocumentsUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.Busy: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.WrongParameters: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.OutOfRange: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.WrongLines: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.WrongBody: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.BodyTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.NotPossible: HTTPStatus.CONFLICT,
    errors.RevisionRequired: HTTPStatus.PRECONDITION_REQUIRED,
    StaleRevision: HTTPStatus.PRECONDITION_FAILED,
    UnknownEdit: HTTPStatus.NOT_FOUND,
    DeclaredEdit: HTTPStatus.CONFLICT,
    Contradiction: HTTPStatus.CONFLICT,
    errors.KeyRequired: HTTPStatus.UNAUTHORIZED,
    errors.KeyTooNarrow: HTTPStatus.FORBIDDEN,
    errors.WritingDisabled: HTTPStatus.FORBIDDEN,
    errors.TooManyRequests: HTTPStatus.TOO_MANY_REQUESTS,
    errors.TooBusy: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.WrongMediaType: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    NoSuchVersion: HTTPStatus.NOT_FOUND,
    StoreUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}
RETRY_SECONDS: Final = 5
MOST_SHOWN: Final = 100
"""Contradictions in one problem."""

log = structlog.get_logger()


def problem(status: HTTPStatus, detail: str, request: Request) -> Problem:
    """A problem named after its status."""
    return Problem("about:blank", status.phrase, status.value, detail, request.id)


def problem_response(details: Problem) -> HttpResponse:
    """The problem as HTTP."""
    headers = {"Content-Type": MEDIA_TYPE, "Cache-Control": "no-store"}
    if details.status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["Retry-After"] = str(RETRY_SECONDS)
    if details.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    return HttpResponse(details.status, headers, orjson.dumps(details))


def error_response(error: Exception, request: Request) -> HttpResponse:
    """The response to any error of a handler."""
    if isinstance(error, errors.ServiceError):
        return _of_service(error, request)
    if isinstance(error, StaleRevision | EditRefused):
        return _of_edits(error, request)
    if isinstance(error, SnapshotError):
        return _of_store(error, request)
    if isinstance(error, ValidationError):
        return problem_response(problem(HTTPStatus.UNPROCESSABLE_ENTITY, faults(error), request))
    if isinstance(error, HTTPException):
        return _of_http(error, request)
    return _of_bug(error, request)


def _of_service(error: errors.ServiceError, request: Request) -> HttpResponse:
    details = problem(STATUS[type(error)], str(error), request)
    if isinstance(error, errors.UnknownTags | errors.UnknownDocument):
        details = replace(details, suggestions=error.suggestions)
    if isinstance(error, errors.WrongLines):
        details = replace(details, lines=[LineFault(line, text) for line, text in error.lines])
    if isinstance(error, errors.NothingServed):
        why = error.absence
        details = replace(details, reason=why.reason)
        if request.scope == "operate":
            details = replace(details, detail=why.for_operators)
    if isinstance(error, errors.VersionGone):
        details = replace(details, oldest=error.oldest)
    response = problem_response(details)
    response.expected = isinstance(error, errors.NothingServed) and error.absence.expected
    if isinstance(error, errors.TooManyRequests):
        response.headers["Retry-After"] = str(math.ceil(error.seconds))
    return response


def _of_edits(error: StaleRevision | EditRefused, request: Request) -> HttpResponse:
    details = problem(STATUS[type(error)], str(error), request)
    if isinstance(error, StaleRevision):
        details = replace(details, revision=error.revision)
    if isinstance(error, Contradiction):
        details = replace(details, conflicts=[conflict_answer(conflict) for conflict in error.conflicts[:MOST_SHOWN]])
    return problem_response(details)


def _of_store(error: SnapshotError, request: Request) -> HttpResponse:
    """The store is away or lacks the data; log its message, and do not show it."""
    log.warning("the store failed", path=request.path, reason=str(error))
    status = STATUS.get(type(error), HTTPStatus.SERVICE_UNAVAILABLE)
    detail = "no such version is stored" if status == HTTPStatus.NOT_FOUND else "this needs the store, which is away"
    return problem_response(problem(status, detail, request))


def _of_http(error: HTTPException, request: Request) -> HttpResponse:
    """Errors of Flask: no such path, method not allowed, body too large, and so on."""
    response = problem_response(problem(HTTPStatus(error.code or 500), error.description or "", request))
    for name, value in error.get_headers():
        if name not in {"Content-Type", "Content-Length"}:
            response.headers[name] = value
    return response


def _of_bug(error: Exception, request: Request) -> HttpResponse:
    """Any other error is a bug: log it in full, and answer briefly."""
    log.error("unexpected error", path=request.path, request_id=request.id, exc_info=error)
    detail = "an unexpected error; it has been logged"
    return problem_response(problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail, request))
