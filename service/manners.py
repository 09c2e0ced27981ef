"""The hooks around every request: ids, keys, rate limits, headers, compression, metrics, one log line."""

import re
import secrets
import time
from typing import Any, Final

from flask import Flask, Response, g, request

from service.access import ApiKeys, RateLimit, digest, request_key
from service.errors import TooManyRequests
from service.metrics import Metrics
from service.negotiation import preferred
from service.request_log import RequestLogger
from service.response_cache import SMALLEST, compress
from service.settings import ServiceSettings

OPEN: Final = frozenset({"api.healthz", "api.readyz", "assets.static", "assets.versioned"})
"""Endpoints that need no key and have no limit: machines and browsers ask for them before anything else."""

KEYLESS: Final = frozenset({"docs.openapi", "docs.docs", None})
"""Endpoints that need no key; None are paths and methods that do not exist. They count against the rate limit."""

QUIET: Final = frozenset({"api.healthz", "api.readyz", "api.metrics_page"})
"""Machines ask for these every few seconds; they are not logged."""

READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
REQUEST_ID: Final = re.compile(r"[\w.:-]{1,64}", re.ASCII)

PAGE_POLICY: Final = (
    "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Scripts draw pictures for download, which they hold as blobs."""

DATA_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
COMPRESSIBLE: Final = frozenset({"text/html", "text/plain", "application/json", "image/svg+xml"})
EXPOSED: Final = "ETag, Cotag-Version, Cotag-Stale, X-Request-ID, Retry-After, Location"


def request_id(environ: dict[str, Any]) -> str:
    """The id that the client or a proxy gave, if it is a sensible one, or a new one."""
    header = environ.get("HTTP_X_REQUEST_ID")
    return header if header is not None and REQUEST_ID.fullmatch(header) else secrets.token_hex(8)


class Manners:
    """Hooks around every request of an app."""

    def __init__(self, settings: ServiceSettings, keys: ApiKeys, metrics: Metrics, note: RequestLogger) -> None:
        self._keys = keys
        self._limit = RateLimit(settings.rate_limit / settings.web_workers)
        self._origins = settings.cors_origins
        self._metrics = metrics
        self._note = note

    def register(self, app: Flask) -> None:
        """Put the hooks in place."""
        app.before_request(self.begin)
        app.after_request(self.end)

    def begin(self) -> Response | None:
        """Let a request pass, answer a browser's preflight, or refuse."""
        g.began = time.perf_counter()
        environ = request.environ
        g.request_id = request_id(environ)
        if request.endpoint in OPEN:
            return None
        if request.method == "OPTIONS" and request.endpoint not in KEYLESS:
            return self._preflight()
        key = request_key(environ.get("HTTP_AUTHORIZATION", ""), environ.get("HTTP_X_API_KEY", ""))
        try:
            self._limit.take(f"key {digest(key)}" if key and self._keys.known(key) else request.remote_addr or "")
        except TooManyRequests:
            self._metrics.limited.inc()
            raise
        if request.endpoint not in KEYLESS:
            self._keys.check(key, writes=request.method not in READING)
        return None

    def end(self, response: Response) -> Response:
        """Headers, compression, measurement, log."""
        headers = response.headers
        page = response.mimetype in {"text/html", "text/css"}
        headers["Content-Security-Policy"] = PAGE_POLICY if page else DATA_POLICY
        headers["X-Content-Type-Options"] = "nosniff"
        headers["X-Request-ID"] = g.request_id
        if page:
            headers["Referrer-Policy"] = "same-origin"
            headers["X-Frame-Options"] = "DENY"
        if "Vary" not in headers:
            _compress(response)
        if self._origins:
            self._share(response)
        self._record(response)
        return response

    def _record(self, response: Response) -> None:
        rule = request.url_rule
        self.record(
            rule.rule if rule is not None else "unmatched",
            request.method,
            request.path if rule is not None else "unmatched",
            response.status_code,
            began=g.began,
            number=g.request_id,
            quiet=request.endpoint in QUIET,
        )

    def record(
        self, route: str, method: str, path: str, status: int, *, began: float, number: str, quiet: bool = False
    ) -> None:
        """Measure one request, and log it unless it is of the quiet kind."""
        spent = time.perf_counter() - began
        self._metrics.observed(route, method, status).observe(spent)
        if not quiet:
            ms = round(1000 * spent, 2)
            self._note({"method": method, "path": path, "status": status, "ms": ms, "request_id": number})

    @property
    def open_to_all(self) -> bool:
        """Whether reading needs no key, no rate limit and no CORS headers, so that all requests are alike."""
        return not self._keys.private and not self._limit.rate and not self._origins

    def _allowed(self) -> str | None:
        """The value of Access-Control-Allow-Origin for a request, if its origin is allowed."""
        origin = request.headers.get("Origin")
        if origin is None:
            return None
        return "*" if "*" in self._origins else origin if origin in self._origins else None

    def _share(self, response: Response) -> None:
        response.headers.add("Vary", "Origin")
        if (origin := self._allowed()) is not None:
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Expose-Headers"] = EXPOSED

    def _preflight(self) -> Response | None:
        if self._allowed() is None or "Access-Control-Request-Method" not in request.headers:
            return None
        return Response(
            status=204,
            headers={
                "Access-Control-Allow-Methods": "GET, HEAD, POST, DELETE",
                "Access-Control-Allow-Headers": "Authorization, X-API-Key, Content-Type, If-None-Match, X-Request-ID",
                "Access-Control-Max-Age": "600",
            },
        )


def _compress(response: Response) -> None:
    """Compress responses without content negotiation: pages, and answers that change too often to cache."""
    if response.direct_passthrough or response.mimetype not in COMPRESSIBLE:
        return
    response.headers["Vary"] = "Accept-Encoding"
    coding = preferred(request.headers.get("Accept-Encoding", ""))
    body = response.get_data()
    if coding != "identity" and len(body) >= SMALLEST:
        response.set_data(compress(body, coding))
        response.headers["Content-Encoding"] = coding
