"""Every error as RFC 9457 problem+json: one table from what went wrong to what the client sees."""

from dataclasses import replace
from http import HTTPStatus
from typing import Final

import orjson
import structlog
from flask import Flask, Response, request
from pydantic import ValidationError
from werkzeug.exceptions import HTTPException

from service.answers import Problem
from service.errors import NothingServed, ServiceError, UnknownCorpus, UnknownTags

STATUS: Final[dict[type[ServiceError], HTTPStatus]] = {
    UnknownCorpus: HTTPStatus.NOT_FOUND,
    UnknownTags: HTTPStatus.NOT_FOUND,
    NothingServed: HTTPStatus.SERVICE_UNAVAILABLE,
}
RETRY_SECONDS: Final = 5

log = structlog.get_logger()


def problem(status: HTTPStatus, detail: str) -> Problem:
    """A problem named after its status."""
    return Problem(type="about:blank", title=status.phrase, status=status.value, detail=detail)


def response(found: Problem) -> Response:
    """The problem as HTTP."""
    answer = Response(orjson.dumps(found), found.status, mimetype="application/problem+json")
    if found.status == HTTPStatus.SERVICE_UNAVAILABLE:
        answer.headers["Retry-After"] = str(RETRY_SECONDS)
    return answer


def of_service(error: ServiceError) -> Response:
    """A question that cannot be answered."""
    found = problem(STATUS[type(error)], str(error))
    if isinstance(error, UnknownTags):
        found = replace(found, suggestions=error.suggestions)
    return response(found)


def of_validation(error: ValidationError) -> Response:
    """Parameters that make no sense, each by name."""
    detail = "; ".join(
        f"{'.'.join(str(step) for step in fault['loc'])}: {fault['msg'].removeprefix('Value error, ')}"
        for fault in error.errors()
    )
    return response(problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail))


def of_http(error: HTTPException) -> Response:
    """What the framework refuses: no such path, method not allowed, and so on."""
    answer = response(problem(HTTPStatus(error.code or 500), error.description or ""))
    for name, value in error.get_headers():
        if name not in {"Content-Type", "Content-Length"}:
            answer.headers[name] = value
    return answer


def of_bug(error: Exception) -> Response:
    """Anything else is ours to fix: logged whole, told briefly."""
    log.error("unexpected error", path=request.path, exc_info=error)
    return response(problem(HTTPStatus.INTERNAL_SERVER_ERROR, "an unexpected error; it has been logged"))


def register(app: Flask) -> None:
    """Answer every error of this app as problem+json."""
    app.register_error_handler(ServiceError, of_service)
    app.register_error_handler(HTTPException, of_http)
    app.register_error_handler(Exception, of_bug)
