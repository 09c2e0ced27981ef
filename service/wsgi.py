"""Applies policy to Flask: hooks around every request, and every error as problem+json."""

import time
from http import HTTPStatus
from typing import Any, Final

from flask import Flask, Response, g
from flask import request as flask_request
from werkzeug.exceptions import HTTPException

from service.bridge import REQUEST_KEY
from service.http import READ_HEADERS, HttpResponse, Request, joined, request_id
from service.negotiation import negotiate
from service.policy import Policy
from service.problems import error_response, problem, problem_response
from service.response_cache import CachedResponse

KEYS: Final = {f"HTTP_{name.upper().replace('-', '_')}": name for name in READ_HEADERS}
"""Key of a header in a WSGI environment → its name."""


def request_of(environ: dict[str, Any]) -> Request:
    """The head of a WSGI request."""
    headers = {name: environ[key] for key, name in KEYS.items() if key in environ}
    return Request(
        environ["REQUEST_METHOD"],
        environ["PATH_INFO"].encode("latin-1").decode(errors="replace"),
        environ.get("QUERY_STRING", ""),
        headers,
        environ.get("REMOTE_ADDR", ""),
        time.perf_counter(),
        request_id(headers.get("x-request-id")),
    )


def current_request() -> Request:
    """The head of the request that Flask is answering."""
    if "head" not in g:
        environ = flask_request.environ
        g.head = environ[REQUEST_KEY] if REQUEST_KEY in environ else request_of(environ)
    head: Request = g.head
    return head


def flask_response(response: HttpResponse) -> Response:
    """A response as Flask takes it."""
    if response.expected:
        g.expected = True
    made = Response(response.body, response.status, response.headers)
    if "Content-Type" not in response.headers:
        del made.headers["Content-Type"]
    return made


def reply(answer: CachedResponse, caching: str) -> Response:
    """A cached answer as Flask takes it."""
    return flask_response(negotiate(answer, caching, current_request().headers))


def register(app: Flask, policy: Policy) -> None:
    """Put the hooks and the error handlers in place."""

    def begin() -> Response | None:
        if REQUEST_KEY in flask_request.environ:
            return None  # the gateway has let it pass
        response = policy.begin(current_request(), flask_request.endpoint)
        return None if response is None else flask_response(response)

    def end(response: Response) -> Response:
        request, rule = current_request(), flask_request.url_rule
        plain = HttpResponse(response.status_code, joined(response.headers), response.get_data())
        plain.expected = g.get("expected", False)
        policy.finish(request, plain)
        response.set_data(plain.body)
        response.headers.clear()
        response.headers.extend(plain.headers)
        if plain.body:
            response.headers["Content-Length"] = str(len(plain.body))
        policy.record(request, flask_request.endpoint, rule.rule if rule else "unmatched", plain)
        return response

    app.before_request(begin)
    app.after_request(end)
    app.register_error_handler(HTTPException, _of_http)
    app.register_error_handler(Exception, lambda error: flask_response(error_response(error, current_request())))


def _of_http(error: HTTPException) -> Response:
    """The response to errors of Flask: no such path, method not allowed, body too large, and so on."""
    status = HTTPStatus(error.code or 500)
    if status < HTTPStatus.BAD_REQUEST:
        redirect = error.get_response()
        return Response(redirect.get_data(), status, redirect.headers)
    answer = flask_response(problem_response(problem(status, error.description or "", current_request())))
    for name, value in error.get_headers():
        if name not in {"Content-Type", "Content-Length"}:
            answer.headers[name] = value
    return answer
