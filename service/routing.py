"""Paths declared once: what Flask routes, what is checked, and what openapi.json says come from one place."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import orjson
from flask import Blueprint, Response, request
from pydantic import BaseModel

from service.metrics import Metrics
from service.parameters import CorpusPath, Nothing, Parameters, read
from service.remembering import Encoded
from service.representing import FRESH, NEVER, encoded, reply
from service.shelf import Shelf
from service.view import View

Q = TypeVar("Q", bound=Parameters)
Media = dict[str, Any]
"""Media type → the dataclass of a JSON answer, or None for text."""


@dataclass(frozen=True)
class Operation:
    """One method of one path, as it is described."""

    method: str
    path: str
    name: str
    summary: str
    description: str
    group: str
    path_model: type[BaseModel] | None
    query_model: type[Parameters]
    status: int
    media: Media
    errors: tuple[int, ...]
    body: Media = field(default_factory=dict)
    example: str = ""

    @property
    def writes(self) -> bool:
        """Whether it needs an API key."""
        return self.method not in {"GET", "HEAD"}

    @property
    def rule(self) -> str:
        """The path as Flask writes it."""
        return re.sub(r"{(\w+)}", r"<string:\1>", self.path)


class Question:
    """A question about a snapshot: its answers are a matter of the view and of the request's path and query alone."""

    def __init__(self, operation: Operation, function: Callable[[View, Any, Any], Any], metrics: Metrics) -> None:
        self.operation = operation
        self._function = function
        self._hits, self._misses = metrics.cache_hits, metrics.cache_misses

    def answer(
        self, view: View, environ: dict[str, Any], query: Iterable[tuple[str, str]], path: dict[str, str]
    ) -> Encoded:
        """The answer given before, or a new one."""
        key = (environ["PATH_INFO"], environ["QUERY_STRING"])
        found = view.answers.get(key)
        if found is not None:
            self._hits.inc()
            return found
        self._misses.inc()
        model = self.operation.path_model
        where = None if model is None or model is CorpusPath else model.model_validate(path)
        result = self._function(view, read(self.operation.query_model, query), where)
        found = encoded(result, view.snapshot.version, "?".join(key).encode())
        view.answers.put(key, found)
        return found


class Api:
    """A blueprint that keeps the descriptions of its paths."""

    def __init__(self, shelf: Shelf, metrics: Metrics, *, private: bool) -> None:
        self.blueprint = Blueprint("api", __name__)
        self.operations: list[Operation] = []
        self.questions: dict[str, Question] = {}
        self.caching = ("private, " if private else "public, ") + FRESH
        self._shelf = shelf
        self._metrics = metrics

    def operation(
        self,
        method: str,
        path: str,
        summary: str,
        *,
        group: str,
        media: Media,
        path_model: type[BaseModel] | None = None,
        query_model: type[Parameters] = Nothing,
        status: int = 200,
        errors: Sequence[int] = (),
        body: Media | None = None,
        example: str = "",
    ) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
        """Declare an operation: its function gets the checked path and query, and gives an answer or a response."""

        def declare(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
            found = self._declare(
                function, method, path, summary, group, path_model, query_model, status, media, errors, body, example
            )

            def view(**given: str) -> Response:
                where = path_model.model_validate(given) if path_model is not None else None
                answer = function(where, read(query_model, request.args.items(multi=True)))
                if isinstance(answer, Response):
                    return answer
                response = Response(orjson.dumps(answer), status, mimetype="application/json")
                response.headers["Cache-Control"] = "no-store" if found.writes else NEVER
                return response

            self.blueprint.add_url_rule(found.rule, endpoint=found.name, view_func=view, methods=[method])
            return function

        return declare

    def question(
        self,
        path: str,
        summary: str,
        *,
        group: str,
        media: Media,
        query_model: type[Q],
        path_model: type[BaseModel] = CorpusPath,
        errors: Sequence[int] = (404, 422, 503),
        example: str = "",
    ) -> Callable[[Callable[[View, Q, Any], Any]], Callable[[View, Q, Any], Any]]:
        """Declare a question about a snapshot: answered from one view, remembered with it, cacheable by others."""

        def declare(function: Callable[[View, Q, Any], Any]) -> Callable[[View, Q, Any], Any]:
            found = self._declare(
                function, "GET", path, summary, group, path_model, query_model, 200, media, errors, None, example
            )
            question = Question(found, function, self._metrics)
            self.questions[found.path] = question

            def view(**given: str) -> Response:
                held = self._shelf.view(given["corpus"])
                answer = question.answer(held, request.environ, request.args.items(multi=True), given)
                response = reply(answer, self.caching)
                response.headers.extend(self.marks(held))
                return response

            self.blueprint.add_url_rule(found.rule, endpoint=found.name, view_func=view, methods=["GET"])
            return function

        return declare

    def _declare(self, function: Any, *declared: Any) -> Operation:
        method, path, summary, group, path_model, query_model, status, media, errors, body, example = declared
        found = Operation(
            method=method,
            path=path,
            name=function.__name__,
            summary=summary,
            description=(function.__doc__ or "").strip(),
            group=group,
            path_model=path_model,
            query_model=query_model,
            status=status,
            media=media,
            errors=tuple(errors),
            body=body or {},
            example=example,
        )
        self.operations.append(found)
        return found

    def marks(self, view: View) -> list[tuple[str, str]]:
        """Every response names its snapshot, and says for how long nobody has confirmed that it is the current one."""
        stale = self._shelf.stale_seconds(view.snapshot.corpus)
        if stale is None:
            return [("Cotag-Version", view.snapshot.version)]
        return [("Cotag-Version", view.snapshot.version), ("Cotag-Stale", f"{stale:.0f}")]
