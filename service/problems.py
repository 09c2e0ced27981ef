"""Every error as RFC 9457 problem+json; one table maps exceptions to statuses."""

import math
from dataclasses import replace
from http import HTTPStatus
from typing import Final

import orjson
import structlog
from flask import Flask, Response, g, request
from pydantic import ValidationError
from werkzeug.exceptions import HTTPException

from service import errors
from service.answers import LineFault, Problem
from service.parameters import faults
from snapshot import NoSuchVersion, SnapshotError, StoreUnavailable

MEDIA_TYPE: Final = "application/problem+json"

STATUS: Final[dict[type[Exception], HTTPStatus]] = {
    errors.UnknownCorpus: HTTPStatus.NOT_FOUND,
    errors.UnknownTags: HTTPStatus.NOT_FOUND,
    errors.UnknownCluster: HTTPStatus.NOT_FOUND,
    errors.UnknownVersion: HTTPStatus.NOT_FOUND,
    errors.UnknownJob: HTTPStatus.NOT_FOUND,
    errors.NothingServed: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.Busy: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.OutOfRange: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.WrongLines: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.NotPossible: HTTPStatus.CONFLICT,
    errors.KeyRequired: HTTPStatus.UNAUTHORIZED,
    errors.WritingDisabled: HTTPStatus.FORBIDDEN,
    errors.TooManyRequests: HTTPStatus.TOO_MANY_REQUESTS,
    errors.WrongMediaType: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    NoSuchVersion: HTTPStatus.NOT_FOUND,
    StoreUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}
RETRY_SECONDS: Final = 5

log = structlog.get_logger()


def problem(status: HTTPStatus, detail: str) -> Problem:
    """A problem named after its status."""
    return Problem("about:blank", status.phrase, status.value, detail, g.get("request_id", ""))


def response(details: Problem) -> Response:
    """The problem as HTTP."""
    answer = Response(orjson.dumps(details), details.status, {"Cache-Control": "no-store"}, mimetype=MEDIA_TYPE)
    if details.status == HTTPStatus.SERVICE_UNAVAILABLE:
        answer.headers["Retry-After"] = str(RETRY_SECONDS)
    if details.status == HTTPStatus.UNAUTHORIZED:
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def of_service(error: errors.ServiceError) -> Response:
    """The response to an error of the service."""
    details = problem(STATUS[type(error)], str(error))
    if isinstance(error, errors.UnknownTags):
        details = replace(details, suggestions=error.suggestions)
    if isinstance(error, errors.WrongLines):
        details = replace(details, lines=[LineFault(line, text) for line, text in error.lines])
    if isinstance(error, errors.NothingServed):
        details = replace(details, reason=error.absence.reason)
        g.expected = error.absence.expected
    answer = response(details)
    if isinstance(error, errors.TooManyRequests):
        answer.headers["Retry-After"] = str(math.ceil(error.seconds))
    return answer


def of_store(error: SnapshotError) -> Response:
    """The store is away or lacks the data; log its message, and do not show it."""
    log.warning("the store failed", path=request.path, reason=str(error))
    status = STATUS.get(type(error), HTTPStatus.SERVICE_UNAVAILABLE)
    detail = "no such version is kept" if status == HTTPStatus.NOT_FOUND else "this needs the store, which is away"
    return response(problem(status, detail))


def of_validation(error: ValidationError) -> Response:
    """The response to invalid parameters, each by name."""
    return response(problem(HTTPStatus.UNPROCESSABLE_ENTITY, faults(error)))


def of_http(error: HTTPException) -> Response:
    """The response to errors of Flask: no such path, method not allowed, body too large, and so on."""
    status = HTTPStatus(error.code or 500)
    if status < HTTPStatus.BAD_REQUEST:
        redirect = error.get_response()
        return Response(redirect.get_data(), status, redirect.headers)
    answer = response(problem(status, error.description or ""))
    for name, value in error.get_headers():
        if name not in {"Content-Type", "Content-Length"}:
            answer.headers[name] = value
    return answer


def of_bug(error: Exception) -> Response:
    """Any other error is a bug: log it in full, and answer briefly."""
    log.error("unexpected error", path=request.path, request_id=g.get("request_id", ""), exc_info=error)
    return response(problem(HTTPStatus.INTERNAL_SERVER_ERROR, "an unexpected error; it has been logged"))


def register(app: Flask) -> None:
    """Answer every error of this app as problem+json."""
    app.register_error_handler(errors.ServiceError, of_service)
    app.register_error_handler(SnapshotError, of_store)
    app.register_error_handler(ValidationError, of_validation)
    app.register_error_handler(HTTPException, of_http)
    app.register_error_handler(Exception, of_bug)
