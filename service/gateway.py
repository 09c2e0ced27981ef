"""Answers requests on the event loop from memory, and passes on to Flask what may take longer."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from werkzeug.exceptions import HTTPException

from service.api.prepared import Preparation
from service.api.problems import problem, problem_response
from service.api.routing import Api
from service.pages.frame.cache import RememberedPages
from service.pages.frame.errors import ErrorPages
from service.settings import ServiceSettings
from service.web.flask_app import Application, Route, wsgi_environ
from service.web.http import READ_HEADERS, Headers, HttpResponse, Request, joined, request_id
from service.web.policy.policy import Policy
from service.web.threads import Pool

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

STORE_THREADS: Final = 2
"""At most this many threads of a process wait for the store."""

BODYLESS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods whose bodies are not read."""

NAMES: Final = {name.encode(): name for name in READ_HEADERS}

NO_ROUTE: Final = Route(None, {})
"""Of bytes that are no request."""


class Gateway:
    """The ASGI application of a web process.

    A request is matched once and gets the policy once, here: admission (keys, rates) before a body is read or a thread
    is taken, and what every response has when there is one. Flask runs the view in between, in a thread.
    """

    def __init__(
        self,
        flask: Application,
        api: Api,
        pages: RememberedPages,
        errors: ErrorPages,
        policy: Policy,
        *,
        preparation: Preparation,
        settings: ServiceSettings,
    ) -> None:
        self.flask = flask
        self.api = api
        self._pages = pages
        self._error_response = errors.error_response
        self._policy = policy
        self.preparation = preparation
        self.max_connections = settings.max_connections
        self._most_bytes = settings.max_body_bytes
        self._memory = Pool("memory", settings.web_threads)
        self._store = Pool("store", STORE_THREADS)
        self._under_way: dict[str, asyncio.Event] = {}
        self._routes = flask.url_map.bind("")
        self._operations = {f"api.{operation.name}": operation for operation in api.operations}
        self._questions = {
            operation.path.removeprefix("/v1/corpora/{corpus}/"): next(
                flask.url_map.iter_rules(f"api.{operation.name}")
            )
            for operation in api.operations
            if operation.name in api.questions and operation.path.count("/") == 4
        }
        """The paths that are asked for most: a look here takes a tenth of a match."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or follow the life of the process."""
        if scope["type"] == "lifespan":
            await self._live_and_end(receive, send)
            return
        answer = self.answer(scope)
        if isinstance(answer, LongRequest):
            await answer(scope, receive, send)
        else:
            await send_response(send, answer)

    def answer(self, scope: Scope) -> "HttpResponse | LongRequest":
        """The response, if memory alone gives it in a moment; otherwise the request, to be answered by a thread."""
        request = request_of(scope)
        route = self._route(request)
        response = self._at_once(request, route, admitted=False)
        return LongRequest(self, request, route) if response is None else response

    def _at_once(self, request: Request, route: Route, *, admitted: bool) -> HttpResponse | None:
        """The complete response, if memory gives it or policy refuses the request; None if a thread must make it."""
        try:
            response = None if admitted else self._policy.begin(request, route.endpoint)
            response = response or self._from_memory(request, route)
        except Exception as error:  # noqa: BLE001 - every error becomes a response
            response = self._error_response(error, request)
        return None if response is None else self._finish(request, route, response)

    def refuse(self, status: HTTPStatus, detail: str, peer: str) -> HttpResponse:
        """The response to bytes that are no request, or to one that breaks a limit of the connection."""
        request = Request("", "", "", {}, peer, time.perf_counter(), request_id(None))
        response = problem_response(problem(status, detail, request))
        response.headers["Connection"] = "close"
        return self._finish(request, NO_ROUTE, response, pattern="refused")

    def _finish(self, request: Request, route: Route, response: HttpResponse, pattern: str = "") -> HttpResponse:
        """The response with what every response has, measured and logged."""
        self._policy.finish(request, response)
        self._policy.record(request, route.endpoint, pattern or route.pattern, response)
        return response

    def _route(self, request: Request) -> Route:
        """What the path and the method lead to."""
        steps = request.path.split("/")
        if len(steps) == 5 and request.method in {"GET", "HEAD"} and steps[1] == "v1" and steps[2] == "corpora":
            rule = self._questions.get(steps[4])
            if rule is not None:
                return Route(rule, {"corpus": steps[3]})
        try:
            rule, path = self._routes.match(request.path, request.method, return_rule=True)
        except HTTPException as error:
            return Route(None, {}, error)
        return Route(rule, path)

    def _from_memory(self, request: Request, route: Route) -> HttpResponse | None:
        """The response, if it takes only a moment; None if Flask must make it."""
        if request.method not in {"GET", "HEAD"}:
            return None
        operation = self._operations.get(route.endpoint or "")
        if operation is not None:
            return self.api.quick_response(operation, request, route.path)
        return self._pages.quick_response(request, route.endpoint)

    async def through_flask(
        self, scope: Scope, receive: Receive, request: Request, route: Route
    ) -> HttpResponse | None:
        """The response of Flask, which a thread makes; None if the client is gone.

        If a thread makes the answer to the same question already, this waits for it instead of making it again.
        """
        question = f"{request.method} {request.path}?{request.query}" if request.method in BODYLESS else ""
        if question in self._under_way:
            await self._under_way[question].wait()
            response = self._at_once(request, route, admitted=True)
            if response is not None:
                return response
        if not question:
            return await self._run_flask(scope, receive, request, route)
        done = self._under_way[question] = asyncio.Event()
        try:
            return await self._run_flask(scope, receive, request, route)
        finally:
            done.set()
            self._under_way.pop(question, None)

    async def _run_flask(self, scope: Scope, receive: Receive, request: Request, route: Route) -> HttpResponse | None:
        body, length = b"", 0
        if request.method not in BODYLESS:
            whole = await self._body(scope, receive)
            if whole is None:
                return None
            body, length = whole
        pool = self._store if self._asks_store(request, route) else self._memory
        try:
            return await pool.run(self._respond, request, route, wsgi_environ(scope, request, body, length))
        except Exception as error:  # noqa: BLE001 - TooBusy, or a bug outside Flask's own handling
            return self._finish(request, route, self._error_response(error, request))

    def _respond(self, request: Request, route: Route, environ: dict[str, Any]) -> HttpResponse:
        """Called in a thread: run the view, and complete its response."""
        return self._finish(request, route, self.flask.respond(request, route, environ))

    def _asks_store(self, request: Request, route: Route) -> bool:
        operation = self._operations.get(route.endpoint or "")
        if operation is not None:
            return operation.asks_store(request)
        return getattr(self.flask.view_functions.get(route.endpoint or ""), "asks_store", False)

    async def _body(self, scope: Scope, receive: Receive) -> tuple[bytes, int] | None:
        """The body and its length; only the length if it is too large, which Flask refuses; None if it stays away."""
        announced = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if int(announced) > self._most_bytes:
            return b"", int(announced)
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            body += message["body"]
            if len(body) > self._most_bytes:
                return b"", len(body)
            if not message["more_body"]:
                return bytes(body), len(body)

    async def _live_and_end(self, receive: Receive, send: Send) -> None:
        """ASGI's lifespan: start with the process, end with it."""
        await receive()
        self.preparation.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self.preparation.stop()
        await send({"type": "lifespan.shutdown.complete"})


@dataclass(frozen=True)
class LongRequest:
    """A request that may take too long for the event loop. It is an ASGI application for this one request."""

    gateway: Gateway
    request: Request
    route: Route

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have a thread answer it."""
        response = await self.gateway.through_flask(scope, receive, self.request, self.route)
        if response is not None:
            await send_response(send, response)


async def send_response(send: Send, response: HttpResponse) -> None:
    """Send a response as ASGI."""
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in complete(response).items()]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": response.body})


def request_of(scope: Scope) -> Request:
    """The head of an ASGI request."""
    headers = joined([(NAMES[name], value.decode("latin-1")) for name, value in scope["headers"] if name in NAMES])
    client = scope["client"]
    return Request(
        scope["method"],
        scope["path"],
        scope["query_string"].decode("latin-1"),
        headers,
        client[0] if client else "",
        time.perf_counter(),
        request_id(headers.get("x-request-id")),
    )


def complete(response: HttpResponse) -> Headers:
    """The headers with the length of the body."""
    if "Content-Length" not in response.headers and response.status not in {204, 304}:
        response.headers["Content-Length"] = str(len(response.body))
    return response.headers
