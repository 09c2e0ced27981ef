"""Answers requests on the event loop from memory, and passes on to Flask what may take longer."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from flask import Flask
from werkzeug.exceptions import HTTPException

from service.bridge import Pool, call_wsgi, wsgi_environ
from service.http import READ_HEADERS, Headers, HttpResponse, Request, joined, request_id
from service.pages.remembered import RememberedPages
from service.policy import Policy
from service.prepared import Preparation
from service.problems import error_response, problem, problem_response
from service.routing import Api
from service.settings import ServiceSettings

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

STORE_THREADS: Final = 2
"""At most this many threads of a process wait for the store."""

BODYLESS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods whose bodies are not read."""

NAMES: Final = {name.encode(): name for name in READ_HEADERS}


class Gateway:
    """The ASGI application of a web process.

    Each request gets the policy once: here if the event loop answers it, in Flask's hooks otherwise. Admission (keys,
    rates) is always here, before a body is read or a thread is taken.
    """

    def __init__(
        self,
        flask: Flask,
        api: Api,
        pages: RememberedPages,
        policy: Policy,
        *,
        preparation: Preparation,
        settings: ServiceSettings,
    ) -> None:
        self.flask = flask
        self._api = api
        self._pages = pages
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
            operation.path.removeprefix("/v1/corpora/{corpus}/"): f"api.{operation.name}"
            for operation in api.operations
            if operation.name in api.questions and operation.path.count("/") == 4
        }

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
        endpoint, path = self._route(request)
        response = self._at_once(request, endpoint, path, admitted=False)
        return LongRequest(self, request, endpoint) if response is None else response

    def _at_once(
        self, request: Request, endpoint: str | None, path: Mapping[str, Any], *, admitted: bool
    ) -> HttpResponse | None:
        """The complete response, if memory gives it or policy refuses the request; None if a thread must make it."""
        try:
            response = None if admitted else self._policy.begin(request, endpoint)
            response = response or self._from_memory(request, endpoint, path)
        except Exception as error:  # noqa: BLE001 - every error becomes a response
            response = error_response(error, request)
        if response is not None:
            self._finish(request, endpoint, response)
        return response

    def refuse(self, status: HTTPStatus, detail: str, peer: str) -> HttpResponse:
        """The response to bytes that are no request, or to one that breaks a limit of the connection."""
        request = Request("", "", "", {}, peer, time.perf_counter(), request_id(None))
        response = problem_response(problem(status, detail, request))
        response.headers["Connection"] = "close"
        self._finish(request, None, response, route="refused")
        return response

    def _finish(self, request: Request, endpoint: str | None, response: HttpResponse, route: str = "") -> None:
        self._policy.finish(request, response)
        operation = self._operations.get(endpoint or "")
        rule = operation.rule if operation is not None else self._rule(endpoint)
        self._policy.record(request, endpoint, route or rule, response)

    def _rule(self, endpoint: str | None) -> str:
        return next(self.flask.url_map.iter_rules(endpoint)).rule if endpoint is not None else "unmatched"

    def _route(self, request: Request) -> tuple[str | None, Mapping[str, Any]]:
        """The endpoint that answers, by its name in Flask, and what its path says; None if there is no such path."""
        steps = request.path.split("/")
        if len(steps) == 5 and request.method in {"GET", "HEAD"} and steps[1] == "v1" and steps[2] == "corpora":
            endpoint = self._questions.get(steps[4])
            if endpoint is not None:
                return endpoint, {"corpus": steps[3]}
        try:
            return self._routes.match(request.path, request.method)
        except HTTPException:
            return None, {}

    def _from_memory(self, request: Request, endpoint: str | None, path: Mapping[str, Any]) -> HttpResponse | None:
        """The response, if it takes only a moment; None if Flask must make it."""
        if request.method not in {"GET", "HEAD"}:
            return None
        operation = self._operations.get(endpoint or "")
        if operation is not None:
            return self._api.quick_response(operation, request, path)
        return self._pages.quick_response(request, endpoint)

    async def through_flask(
        self, scope: Scope, receive: Receive, request: Request, endpoint: str | None
    ) -> HttpResponse | None:
        """The response of Flask, which a thread makes; None if the client is gone.

        If a thread makes the answer to the same question already, this waits for it instead of making it again.
        """
        question = f"{request.method} {request.path}?{request.query}" if request.method in BODYLESS else ""
        if question in self._under_way:
            await self._under_way[question].wait()
            response = self._at_once(request, *self._route(request), admitted=True)
            if response is not None:
                return response
        if not question:
            return await self._run_flask(scope, receive, request, endpoint)
        done = self._under_way[question] = asyncio.Event()
        try:
            return await self._run_flask(scope, receive, request, endpoint)
        finally:
            done.set()
            self._under_way.pop(question, None)

    async def _run_flask(
        self, scope: Scope, receive: Receive, request: Request, endpoint: str | None
    ) -> HttpResponse | None:
        body, length = b"", 0
        if request.method not in BODYLESS:
            whole = await self._body(scope, receive)
            if whole is None:
                return None
            body, length = whole
        operation = self._operations.get(endpoint or "")
        asks_store = operation.asks_store(request) if operation is not None else endpoint == "pages.show_ops"
        pool = self._store if asks_store else self._memory
        try:
            return await pool.run(call_wsgi, self.flask, wsgi_environ(scope, request, body, length))
        except Exception as error:  # noqa: BLE001 - TooBusy, or a bug outside Flask's own handling
            response = error_response(error, request)
            self._finish(request, endpoint, response)
            return response

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
    endpoint: str | None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have a thread answer it."""
        response = await self.gateway.through_flask(scope, receive, self.request, self.endpoint)
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
    """The headers with the length of the body. A response to HEAD that comes from Flask has it already."""
    if "Content-Length" not in response.headers and response.status not in {204, 304}:
        response.headers["Content-Length"] = str(len(response.body))
    return response.headers
