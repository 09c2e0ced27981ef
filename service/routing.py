"""Turns declared endpoints into HTTP: routing, validation and openapi.json all follow one declaration.

To add one: a handler function (or method), a class of parameters in `parameters`, an answer dataclass in `answers`, and
an `Operation` or a `Question` in the list of `routes.queries`, `routes.admin` or `routes.writes`.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson
from flask import Blueprint, Response, request
from pydantic import BaseModel

from service.live_snapshots import LiveSnapshots
from service.metrics import Metrics
from service.negotiation import FRESH, NEVER, encode_answer, reply
from service.parameters import CorpusPath, Nothing, Parameters, read
from service.response_cache import CachedResponse
from service.view import View

Media = dict[str, Any]
"""Media type → the dataclass of a JSON answer, or None for text."""


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

    @property
    def name(self) -> str:
        """Its id."""
        return self.handler.__name__

    @property
    def description(self) -> str:
        """In a few sentences."""
        return (self.handler.__doc__ or "").strip()

    @property
    def writes(self) -> bool:
        """Whether it needs an API key."""
        return self.method not in {"GET", "HEAD"}

    @property
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


class Answerer:
    """Answers one question about any view, from the view's cache if it has the answer."""

    def __init__(self, operation: Question, metrics: Metrics) -> None:
        self.operation = operation
        self._hits, self._misses = metrics.cache_hits, metrics.cache_misses

    def answer(
        self, view: View, environ: dict[str, Any], query: Iterable[tuple[str, str]], path: dict[str, str]
    ) -> CachedResponse:
        """The cached answer, or a new one."""
        key = (environ["PATH_INFO"], environ["QUERY_STRING"])
        stored = view.answers.get(key)
        if stored is not None:
            self._hits.inc()
            return stored
        self._misses.inc()
        model = self.operation.path_model
        where = None if model is CorpusPath else model.model_validate(path)
        result = self.operation.handler(view, where, read(self.operation.query_model, query))
        answer = encode_answer(result, view.snapshot.version, "?".join(key).encode())
        view.answers.put(key, answer)
        return answer


class Api:
    """The blueprint of all declared operations."""

    def __init__(
        self, operations: Iterable[Operation], live: LiveSnapshots, metrics: Metrics, *, private: bool
    ) -> None:
        self.operations = tuple(operations)
        self.questions = {
            operation.path: Answerer(operation, metrics)
            for operation in self.operations
            if isinstance(operation, Question)
        }
        self.caching = ("private, " if private else "public, ") + FRESH
        self._live = live
        self.blueprint = Blueprint("api", __name__)
        for operation in self.operations:
            respond = self._respond_about_view(operation) if isinstance(operation, Question) else _respond(operation)
            self.blueprint.add_url_rule(
                operation.rule, endpoint=operation.name, view_func=respond, methods=[operation.method]
            )

    def _respond_about_view(self, question: Question) -> Callable[..., Response]:
        answerer = self.questions[question.path]

        def respond(**path: str) -> Response:
            view = self._live.view(path["corpus"])
            answer = answerer.answer(view, request.environ, request.args.items(multi=True), path)
            response = reply(answer, self.caching)
            response.headers.extend(self.version_headers(view))
            return response

        return respond

    def version_headers(self, view: View) -> list[tuple[str, str]]:
        """The headers that name the snapshot, and the seconds since the store last confirmed it, if it is stale."""
        stale = self._live.stale_seconds(view.snapshot.corpus)
        if stale is None:
            return [("Cotag-Version", view.snapshot.version)]
        return [("Cotag-Version", view.snapshot.version), ("Cotag-Stale", f"{stale:.0f}")]


def _respond(operation: Operation) -> Callable[..., Response]:
    def respond(**path: str) -> Response:
        where = operation.path_model.model_validate(path) if operation.path_model is not None else None
        answer = operation.handler(where, read(operation.query_model, request.args.items(multi=True)))
        if isinstance(answer, Response):
            return answer
        response = Response(orjson.dumps(answer), operation.status, mimetype="application/json")
        response.headers["Cache-Control"] = "no-store" if operation.writes else NEVER
        return response

    return respond
