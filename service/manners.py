"""What all requests have in common: ids, keys, rates, headers, compression, measurements, one line in the log."""

import os
import re
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

import orjson
import structlog
from flask import Flask, Response, g, request

from service.access import Keys, RateLimit, digest, given_key
from service.errors import TooManyRequests
from service.metrics import Metrics
from service.remembering import SMALLEST, compressed
from service.representing import preferred
from service.settings import ServiceSettings

OPEN: Final = frozenset({"api.healthz", "api.readyz", "docs.openapi", "docs.docs", "page.static"})
"""Endpoints that need no key and have no limit: machines and browsers ask for them before anything else."""

QUIET: Final = frozenset({"api.healthz", "api.readyz", "api.metrics_page"})
"""Asked every few seconds by machines; not worth a line each."""

READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
REQUEST_ID: Final = re.compile(r"[\w.:-]{1,64}", re.ASCII)

PAGE_POLICY: Final = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

DATA_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
COMPRESSIBLE: Final = frozenset({"text/html", "text/plain", "application/json", "image/svg+xml"})
EXPOSED: Final = "ETag, Cotag-Version, Cotag-Stale, X-Request-ID, Retry-After, Location"

log = structlog.get_logger()

Note = Callable[[dict[str, Any]], None]


def told(fields: dict[str, Any]) -> None:
    """One request, through the log that the command line has set up."""
    log.info("request", **fields)


def told_as_json(fields: dict[str, Any]) -> None:
    """The same as a JSON line straight to standard output, which costs a tenth."""
    fields |= {"event": "request", "level": "info", "timestamp": datetime.now(UTC).isoformat(), "part": "service"}
    os.write(1, orjson.dumps(fields) + b"\n")


def unsaid(fields: dict[str, Any]) -> None:
    """Requests are below the level that is logged."""


def note_for(settings: ServiceSettings) -> Note:
    """How requests are logged under these settings."""
    if settings.log_level in {"warning", "error"}:
        return unsaid
    return told_as_json if settings.log_format == "json" else told


class Manners:
    """Hooks around every request of an app."""

    def __init__(self, settings: ServiceSettings, keys: Keys, metrics: Metrics, note: Note) -> None:
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
        given = environ.get("HTTP_X_REQUEST_ID", "")
        g.request_id = given if REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        if request.endpoint is None or request.endpoint in OPEN:
            return None
        if request.method == "OPTIONS":
            return self._preflight()
        key = given_key(environ.get("HTTP_AUTHORIZATION", ""), environ.get("HTTP_X_API_KEY", ""))
        try:
            self._limit.take(f"key {digest(key)}" if key and self._keys.known(key) else request.remote_addr or "")
        except TooManyRequests:
            self._metrics.limited.inc()
            raise
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
        if self._origins:
            self._share(response)
        if "Vary" not in headers:
            _compress(response)
        self._record(response)
        return response

    def _record(self, response: Response) -> None:
        spent = time.perf_counter() - g.began
        rule = request.url_rule
        route = rule.rule if rule is not None else "unmatched"
        self._metrics.observed(route, request.method, response.status_code).observe(spent)
        if request.endpoint not in QUIET:
            self._note(
                {
                    "method": request.method,
                    "path": request.path if rule is not None else "unmatched",
                    "status": response.status_code,
                    "ms": round(1000 * spent, 2),
                    "request_id": g.request_id,
                }
            )

    def _allowed(self) -> str | None:
        """What to tell the browser about the origin of a request."""
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
    """What has not been represented yet: pages, and answers that change too often to be kept."""
    if response.direct_passthrough or response.mimetype not in COMPRESSIBLE:
        return
    response.headers["Vary"] = "Accept-Encoding"
    coding = preferred(request.headers.get("Accept-Encoding", ""))
    body = response.get_data()
    if coding != "identity" and len(body) >= SMALLEST:
        response.set_data(compressed(body, coding))
        response.headers["Content-Encoding"] = coding
