"""A fast path that answers common questions before Flask sees them.

Flask's routing, contexts and hooks take longer than most answers. This module answers requests that need none of them
(GET of a question, no key, no error), with the same functions and headers. It passes all other requests on to Flask,
which gives the same answer or explains the error.
"""

import time
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl

from pydantic import ValidationError

from service.errors import ServiceError
from service.live_snapshots import LiveSnapshots
from service.manners import DATA_POLICY, Manners, request_id
from service.negotiation import negotiate
from service.routing import Api

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

QUICK: Final = ("cloud", "related", "tags", "tag", "clusters")
"""Questions that need only the memory."""

STATUS: Final = {status: f"{status} {HTTPStatus(status).phrase}" for status in (200, 304)}


class Lane:
    """A WSGI application in front of another."""

    def __init__(self, app: Wsgi, live: LiveSnapshots, api: Api, manners: Manners) -> None:
        self._app = app
        self._live = live
        self._api = api
        self._manners = manners
        self._questions = {name: api.questions[f"/v1/corpora/{{corpus}}/{name}"] for name in QUICK}

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer here, or let the other application do it."""
        if environ["REQUEST_METHOD"] == "GET":
            response = self._answered(environ, time.perf_counter())
            if response is not None:
                status, headers, body = response
                start_response(STATUS[status], headers)
                return (body,)
        return self._app(environ, start_response)

    def _answered(self, environ: dict[str, Any], began: float) -> tuple[int, list[tuple[str, str]], bytes] | None:
        path: str = environ["PATH_INFO"]
        steps = path.split("/")
        if len(steps) != 5 or steps[1] != "v1" or steps[2] != "corpora":
            return None
        question, view = self._questions.get(steps[4]), self._live.held(steps[3])
        query: str = environ.get("QUERY_STRING", "")
        if question is None or view is None or not query.isascii():
            return None
        try:
            pairs = parse_qsl(query, keep_blank_values=True, errors="werkzeug.url_quote") if query else ()
            answer = question.answer(view, environ, pairs, {})
        except (ServiceError, ValidationError, ValueError):
            return None
        status, headers, body = negotiate(answer, self._api.caching, environ)
        number = request_id(environ)
        headers += self._api.version_headers(view)
        headers += (
            ("Content-Security-Policy", DATA_POLICY),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Request-ID", number),
        )
        if status == 200:
            headers.append(("Content-Length", str(len(body))))
        self._manners.record(question.operation.rule, "GET", path, status, began=began, number=number)
        return status, headers, body
