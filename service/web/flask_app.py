"""Flask behind the gateway: finds the view of a route that the gateway has matched, and answers errors."""

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final, TypeVar
from urllib.parse import unquote_to_bytes

from flask import Flask, g
from flask import request as flask_request
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import MapAdapter, Rule

from service.response_cache import CachedResponse
from service.web.addresses import Proxies
from service.web.http import READ_HEADERS, HttpResponse, Request, request_id
from service.web.negotiation import negotiate

ROUTE_KEY: Final = "cotag.route"
"""Key of the WSGI environment: the route that the gateway has matched."""

V = TypeVar("V", bound=Callable[..., Any])

KEYS: Final = {f"HTTP_{name.upper().replace('-', '_')}": name for name in READ_HEADERS}
"""Key of a header in a WSGI environment → its name."""


@dataclass(frozen=True)
class Route:
    """What a path and a method lead to: a rule of Flask and what the path says; or why there is none."""

    rule: Rule | None
    path: Mapping[str, Any]
    error: HTTPException | None = None

    @property
    def endpoint(self) -> str | None:
        """The name of the view in Flask."""
        return None if self.rule is None else self.rule.endpoint

    @property
    def pattern(self) -> str:
        """The path as its rule writes it, for metrics."""
        return "unmatched" if self.rule is None else self.rule.rule


class MatchedAdapter(MapAdapter):
    """Tells Flask the route that is known already, so that no path is matched twice."""

    route: Route

    def match(self, *_: Any, **__: Any) -> Any:
        """Called by Flask for the rule and what the path says."""
        if self.route.error is not None:
            raise self.route.error
        return self.route.rule, self.route.path


class Application(Flask):
    """Flask whose views and error handlers return `HttpResponse`: the one type of response there is."""

    def __init__(self, name: str, *, most_bytes: int, proxies: Proxies, **options: Any) -> None:
        super().__init__(name, static_folder=None, **options)
        self.config["MAX_CONTENT_LENGTH"] = most_bytes
        self.url_map.merge_slashes = False
        self._proxies = proxies
        self._forwarded: Callable[..., Any] = ProxyFix(
            lambda *_: (), x_for=0, x_proto=proxies.count, x_host=proxies.count
        )

    def answer_errors(self, error_response: Callable[[Exception, Request], HttpResponse]) -> None:
        """Answer every error of a view, and every path or method that does not exist, by one function."""
        self.register_error_handler(Exception, lambda error: error_response(error, current_request()))

    def respond(self, request: Request, route: Route, environ: dict[str, Any]) -> HttpResponse:
        """The response of the view that a route leads to."""
        environ[ROUTE_KEY] = route
        if self._proxies.trust(request.peer):
            self._forwarded(environ, None)
        with self.request_context(environ):
            g.head = request
            try:
                result: Any = self.dispatch_request()
            except Exception as error:  # noqa: BLE001 - the handlers answer every error
                result = self.handle_user_exception(error)
        assert isinstance(result, HttpResponse), result  # noqa: S101 - what every view of ours returns
        return result

    def create_url_adapter(self, request: Any) -> MapAdapter | None:
        """Called by Flask for what matches the path."""
        adapter = super().create_url_adapter(request)
        if adapter is not None and request is not None and ROUTE_KEY in request.environ:
            matched = MatchedAdapter.__new__(MatchedAdapter)
            matched.__dict__.update(vars(adapter))
            matched.route = request.environ[ROUTE_KEY]
            return matched
        return adapter

    def make_default_options_response(self) -> Any:
        """Called by Flask for OPTIONS: the methods of the path."""
        adapter = self.create_url_adapter(flask_request)
        allowed = sorted(adapter.allowed_methods()) if adapter is not None else []
        headers = {"Content-Type": "text/html; charset=utf-8", "Allow": ", ".join(allowed), "Content-Length": "0"}
        return HttpResponse(200, headers, b"")


def asks_store(view: V) -> V:
    """A decorator that declares of a view that it asks the store, which may be slow."""
    view.asks_store = True  # type: ignore[attr-defined]
    return view


def current_request() -> Request:
    """The head of the request that Flask is answering."""
    if "head" not in g:
        g.head = request_of_wsgi(flask_request.environ)
    head: Request = g.head
    return head


def request_of_wsgi(environ: dict[str, Any]) -> Request:
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


def reply(answer: CachedResponse, caching: str) -> HttpResponse:
    """A cached answer to the request that Flask is answering."""
    return negotiate(answer, caching, current_request().headers)


def whole_body() -> bytes:
    """The body of the request that Flask is answering, as the gateway gathered it; 413 if it was too large."""
    _ = flask_request.stream  # checks the size
    body: BytesIO = flask_request.environ["wsgi.input"]
    return body.getvalue()


def wsgi_environ(scope: dict[str, Any], request: Request, body: bytes, length: int) -> dict[str, Any]:
    """A request of the event loop as WSGI (PEP 3333); `length` is that of the whole body, which may be cut off."""
    host, port = scope["server"] or ("", None)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": request.query,
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": host,
        "SERVER_PORT": str(port or ""),
        "REMOTE_ADDR": request.peer,
        "CONTENT_LENGTH": str(length),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").upper(), raw_value.decode("latin-1")
        # A name with an underscore could pose as another header; the body is here, whatever its transfer coding was.
        if "_" in name or name in {"CONTENT-LENGTH", "TRANSFER-ENCODING"}:
            continue
        key = "CONTENT_TYPE" if name == "CONTENT-TYPE" else f"HTTP_{name.replace('-', '_')}"
        environ[key] = f"{environ[key]},{value}" if key in environ else value
    return environ
