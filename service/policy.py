"""What holds for every request, whoever answers it: keys, rates, CORS, compression, headers, metrics, the log line.

Plain functions over requests and responses. `service.wsgi` calls them for Flask, `service.asgi` for the event loop.
"""

import time
from typing import Final

from service.access import ApiKeys, RateLimit, digest, request_key
from service.errors import TooManyRequests
from service.http import Headers, HttpResponse, Request, client_address
from service.metrics import WAITING, Metrics
from service.negotiation import preferred
from service.request_log import RequestLogger
from service.response_cache import SMALLEST, compress
from service.settings import ServiceSettings

OPEN: Final = frozenset({"api.healthz", "api.readyz", "assets.static", "assets.versioned", "demo.icon"})
"""Endpoints that need no key and have no limit: machines and browsers ask for them before anything else."""

KEYLESS: Final = frozenset({"docs.openapi", "docs.docs", None})
"""Endpoints that need no key; None are paths and methods that do not exist. They count against the rate limit."""

QUIET: Final = frozenset({"api.healthz", "api.readyz", "api.metrics_page"})
"""Machines ask for these every few seconds; they are not logged."""

READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})

DATA_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
PAGE_POLICY: Final = (
    "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Scripts draw pictures for download, which they hold as blobs."""

DATA_HEADERS: Final[Headers] = {"Content-Security-Policy": DATA_POLICY, "X-Content-Type-Options": "nosniff"}
PAGE_HEADERS: Final[Headers] = {
    "Content-Security-Policy": PAGE_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
COMPRESSIBLE: Final = frozenset({"text/html", "text/plain", "application/json", "image/svg+xml"})
EXPOSED: Final = "ETag, Cotag-Version, Cotag-Stale, X-Request-ID, Retry-After, Location"
PREFLIGHT: Final[Headers] = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, DELETE",
    "Access-Control-Allow-Headers": "Authorization, X-API-Key, Content-Type, If-None-Match, X-Request-ID",
    "Access-Control-Max-Age": "600",
}


class Policy:
    """The policy that the settings ask for."""

    def __init__(self, settings: ServiceSettings, metrics: Metrics, note: RequestLogger) -> None:
        self.keys = ApiKeys(settings.api_keys, settings.read_keys)
        self._limit = RateLimit(settings.rate_limit / settings.web_workers)
        self._origins = settings.cors_origins
        self._proxies = settings.trusted_proxies
        self._metrics = metrics
        self._note = note
        self._guarded = bool(self._limit.rate or self.keys.private)

    def begin(self, request: Request, endpoint: str | None) -> HttpResponse | None:
        """Let a request pass, answer a browser's preflight, or raise TooManyRequests, KeyRequired, WritingDisabled."""
        if endpoint in OPEN:
            return None
        keyless = endpoint in KEYLESS
        if request.method == "OPTIONS" and not keyless:
            return self._preflight(request)
        if not self._guarded and request.method in READING:
            return None
        headers = request.headers
        key = request_key(headers.get("authorization", ""), headers.get("x-api-key", ""))
        key_digest = digest(key) if key else ""
        self._take(request, key_digest)
        if not keyless:
            self.keys.check(key_digest, writes=request.method not in READING)
        return None

    def finish(self, request: Request, response: HttpResponse) -> None:
        """Add what every response has: security headers, the request's id, a content coding, CORS headers."""
        headers = response.headers
        media_type = response.media_type
        headers.update(PAGE_HEADERS if media_type in {"text/html", "text/css"} else DATA_HEADERS)
        headers["X-Request-ID"] = request.id
        if "Vary" not in headers and media_type in COMPRESSIBLE:
            _compress(request, response)
        if self._origins:
            headers["Vary"] = f"{headers['Vary']}, Origin" if "Vary" in headers else "Origin"
            if (origin := self._allowed_origin(request)) is not None:
                headers["Access-Control-Allow-Origin"] = origin
                headers["Access-Control-Expose-Headers"] = EXPOSED

    def record(self, request: Request, endpoint: str | None, route: str, response: HttpResponse) -> None:
        """Measure a request that has been answered, and log it unless machines send many of its kind."""
        spent = time.perf_counter() - request.began
        counted = WAITING if response.expected else response.status
        self._metrics.observed(route, request.method, counted).observe(spent)
        if endpoint not in QUIET:
            self._note(
                {
                    "method": request.method,
                    "path": request.path if endpoint is not None else route,
                    "status": response.status,
                    "ms": round(1000 * spent, 2),
                    "request_id": request.id,
                }
            )

    def _preflight(self, request: Request) -> HttpResponse | None:
        """Whether a page of another site may call; None if this is no such request, or its origin is not allowed."""
        if self._allowed_origin(request) is None or "access-control-request-method" not in request.headers:
            return None
        return HttpResponse(204, dict(PREFLIGHT), b"")

    def _take(self, request: Request, key_digest: str) -> None:
        """Count the request against the rate of its key or address."""
        if not self._limit.rate:
            return
        try:
            self._limit.take(self._client(request, key_digest))
        except TooManyRequests:
            self._metrics.limited.inc()
            raise

    def _client(self, request: Request, key_digest: str) -> str:
        """Whose allowance a request uses: that of a known key, or else that of an address."""
        if key_digest and self.keys.known(key_digest):
            return f"key {key_digest}"
        return client_address(request.peer, request.headers.get("x-forwarded-for"), self._proxies)

    def _allowed_origin(self, request: Request) -> str | None:
        """The value of Access-Control-Allow-Origin for a request, if its origin is allowed."""
        origin = request.headers.get("origin")
        if origin is None:
            return None
        return "*" if "*" in self._origins else origin if origin in self._origins else None


def _compress(request: Request, response: HttpResponse) -> None:
    """Compress a response without content negotiation: pages, and answers that change too often to cache."""
    response.headers["Vary"] = "Accept-Encoding"
    coding = preferred(request.headers.get("accept-encoding", ""))
    if coding != "identity" and len(response.body) >= SMALLEST:
        response.body = compress(response.body, coding)
        response.headers["Content-Encoding"] = coding
