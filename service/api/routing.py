"""Turns declared endpoints into HTTP: routing, validation and openapi.json all follow one declaration.

To add one: a handler function (or method), a class of parameters in `parameters`, an answer dataclass in `answers`, and
an `Operation` or a `Question` in the list of `routes.queries`, `routes.checks`, `routes.admin` or `routes.writes`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import orjson
from flask import Blueprint
from pydantic import BaseModel

from service.answers import Readiness
from service.api.parameters.parameters import CorpusPath, Nothing, Parameters, read
from service.api.quick import is_quick
from service.api.visibility import Unready, for_strangers, without_names
from service.api_keys import Scope
from service.live.snapshots import LiveSnapshots
from service.response_cache import CachedResponse
from service.view.view import View
from service.web.flask_app import current_request
from service.web.http import HttpResponse, Request
from service.web.metrics import Metrics
from service.web.negotiation import FRESH, NEVER, encode_answer, is_coded, negotiate

Media = dict[str, Any]
"""Media type → the dataclass of a JSON answer, or None for text."""


def never(_: Request) -> bool:
    """No request for this needs the store."""
    return False


def always(_: Request) -> bool:
    """Every request for this needs the store."""
    return True


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One method of one path. Its handler gets the checked path and query, and returns an answer or a response.

    The handler's name is the operation's id in openapi.json, its docstring the description there.
    """

    method: str = "GET"
    path: str
    summary: str
    group: str
    handler: Callable[..., Any]
    media: Media
    path_model: type[BaseModel] | None = None
    query_model: type[Parameters] = Nothing
    status: int = 200
    errors: tuple[int, ...] = ()
    body: Media = field(default_factory=dict)
    example: str = ""
    on_loop: bool = False
    """Whether the event loop may run the handler: it needs only the memory, and takes only a moment."""

    asks_store: Callable[[Request], bool] = never
    """Whether a request needs the store, which may be slow. Most need only the memory."""

    @property
    def name(self) -> str:
        """Its id."""
        return self.handler.__name__

    @property
    def description(self) -> str:
        """In a few sentences."""
        return (self.handler.__doc__ or "").strip()

    headers: Mapping[str, str] = field(default_factory=dict)
    """The headers of a request that it reads, and what they say."""

    scope: Scope = "read"
    """What a key must allow. Reading may need none."""

    @property
    def writes(self) -> bool:
        """Whether it changes something, and so needs an API key."""
        return self.scope != "read"

    @cached_property
    def rule(self) -> str:
        """The path as Flask writes it."""
        return re.sub(r"{(\w+)}", r"<string:\1>", self.path)


@dataclass(frozen=True, kw_only=True)
class Question(Operation):
    """A question about a snapshot. Its handler gets the view of the snapshot, the checked path and the checked query.

    The answer depends on these alone, so the view and other caches may store it. If the path names only the corpus, the
    handler gets None for it, because the view has the corpus.
    """

    path_model: type[BaseModel] = CorpusPath
    errors: tuple[int, ...] = (404, 422, 503)
    quick: frozenset[str] = frozenset()
    """The parameters with which the event loop may answer. With any other, a thread does; so without any, always."""


class Answerer:
    """Answers one question about any view, from the view's cache if it has the answer."""

    def __init__(self, question: Question, metrics: Metrics) -> None:
        self.question = question
        self._hits, self._misses = metrics.cache_hits, metrics.cache_misses

    def cached(self, view: View, request: Request) -> CachedResponse | None:
        """The answer, if it was given before or made ready."""
        answer = view.answers.get(cache_key(request))
        if answer is not None:
            self._hits.inc()
        return answer

    def answer(self, view: View, request: Request, path: Mapping[str, Any]) -> CachedResponse:
        """A new answer, which the view keeps."""
        self._misses.inc()
        answer = self.make(view, request, path)
        view.answers.put(cache_key(request), answer)
        return answer

    def make(self, view: View, request: Request, path: Mapping[str, Any]) -> CachedResponse:
        """A new answer."""
        model = self.question.path_model
        where = None if model is CorpusPath else model.model_validate(path)
        query = read(self.question.query_model, request.parameters())
        result = self.question.handler(view, where, query)
        return encode_answer(result, view.edition, cache_key(request).encode())


def cache_key(request: Request) -> str:
    """What an answer is kept under: the address, with the two spellings of a space made one."""
    return f"{request.path}?{request.query.replace('%20', '+')}"


class Api:
    """All declared operations, and their answers as plain responses."""

    def __init__(
        self, operations: Iterable[Operation], live: LiveSnapshots, metrics: Metrics, *, private: bool
    ) -> None:
        self.operations = tuple(operations)
        self.questions = {
            operation.name: Answerer(operation, metrics)
            for operation in self.operations
            if isinstance(operation, Question)
        }
        self._private = private
        self._caching = ("private, " if private else "public, ") + FRESH
        self._live = live

    def respond(self, operation: Operation, request: Request, path: Mapping[str, Any]) -> HttpResponse:
        """The response to a request for an operation; errors are raised."""
        if isinstance(operation, Question):
            view = self._live.view(path["corpus"])
            answerer = self.questions[operation.name]
            answer = answerer.cached(view, request) or answerer.answer(view, request, path)
            return self.response(view, answer, request)
        where = operation.path_model.model_validate(path) if operation.path_model is not None else None
        result = operation.handler(where, read(operation.query_model, request.parameters()))
        if isinstance(result, HttpResponse):
            return result
        caching = "no-store" if operation.writes else NEVER
        headers = {"Content-Type": "application/json", "Cache-Control": caching}
        status, expected = operation.status, False
        if isinstance(result, Unready):
            status, expected, result = 503, result.expected, result.readiness
        if isinstance(result, Readiness) and self._private and request.scope is None:
            result = without_names(result)
        elif request.scope != "operate":
            result = for_strangers(result)
        return HttpResponse(status, headers, orjson.dumps(result), expected=expected)

    def quick_response(self, operation: Operation, request: Request, path: Mapping[str, Any]) -> HttpResponse | None:
        """The response, if it takes the event loop only a moment; None if a thread must make it."""
        if not isinstance(operation, Question):
            return self.respond(operation, request, path) if operation.on_loop else None
        view = self._live.view(path["corpus"])
        answerer = self.questions[operation.name]
        answer = answerer.cached(view, request)
        if answer is None and operation.quick and is_quick(view, request.parameters(), operation.quick):
            answer = answerer.answer(view, request, path)
        if answer is None or not is_coded(answer, request.headers):
            return None
        return self.response(view, answer, request)

    def response(self, view: View, answer: CachedResponse, request: Request) -> HttpResponse:
        """An answer about a view, with the headers that name the version and say how stale it is."""
        response = negotiate(answer, self._caching, request.headers)
        response.headers["Cotag-Version"] = view.snapshot.version
        response.headers["Cotag-Revision"] = str(view.revision)
        stale = self._live.stale_seconds(view.snapshot.corpus)
        if stale is not None:
            response.headers["Cotag-Stale"] = f"{stale:.0f}"
        return response

    def blueprint(self) -> Blueprint:
        """All operations as Flask routes."""
        blueprint = Blueprint("api", __name__)
        for operation in self.operations:
            blueprint.add_url_rule(
                operation.rule,
                endpoint=operation.name,
                view_func=partial(self._view, operation),
                methods=[operation.method],
            )
        return blueprint

    def _view(self, operation: Operation, **path: str) -> HttpResponse:
        return self.respond(operation, current_request(), path)
