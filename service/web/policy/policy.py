"""What holds for every request: keys, rates, CORS, compression, headers, metrics, the log line.

Plain functions over requests and responses, called by `service.gateway`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from service.api_keys import Scope
from service.errors import TooManyRequests
from service.response_cache import SMALLEST, compress
from service.settings import ServiceSettings
from service.web.addresses import Proxies, client_network
from service.web.http import Headers, HttpResponse, Request
from service.web.metrics import WAITING, Metrics
from service.web.negotiation import preferred
from service.web.policy.access import Access, ApiKeys, RateLimit, is_basic
from service.web.policy.audit import log_write, open_audit_log
from service.web.policy.request_log import RequestLogger

OPEN: Final = frozenset({"api.healthz", "api.readyz", "assets.static", "assets.versioned", "demo.icon"})
"""Endpoints that need no key and have no limit: machines and browsers ask for them before anything else."""

KEYLESS: Final = frozenset({"docs.openapi", "docs.docs", None})
"""Endpoints that need no key; None are paths and methods that do not exist. They count against the rate limit."""

CLOSED: Final = frozenset({"pages.show_ops", "api.metrics_page"})
"""Endpoints that show how the service is run: where there are keys, reading these needs one."""

QUIET: Final = frozenset({"api.healthz", "api.readyz", "api.metrics_page"})
"""Machines ask for these every few seconds; they are not logged."""

READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})

DATA_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
PAGE_POLICY: Final = (
    "default-src 'self'; img-src 'self' data: blob: {images}; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
"""Scripts draw pictures for download, which they hold as blobs; pages hold small drawings of their own as data. Images
of documents come from known origins alone."""

DATA_HEADERS: Final[Headers] = {"Content-Security-Policy": DATA_POLICY, "X-Content-Type-Options": "nosniff"}
PAGE_HEADERS: Final[Headers] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
NOT_MODIFIED: Final = 304
"""Browsers give its headers to the page that they kept, which has had the right ones already."""

COMPRESSIBLE: Final = frozenset({"text/html", "text/plain", "application/json", "image/svg+xml"})
EXPOSED: Final = "ETag, Cotag-Version, Cotag-Revision, Cotag-Stale, X-Request-ID, Retry-After, Location"
PREFLIGHT: Final[Headers] = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, DELETE",
    "Access-Control-Allow-Headers": "Authorization, X-API-Key, Content-Type, If-Match, If-None-Match, X-Request-ID",
    "Access-Control-Max-Age": "600",
}


class Policy:
    """The policy that the settings ask for."""

    def __init__(
        self,
        settings: ServiceSettings,
        metrics: Metrics,
        note: RequestLogger,
        scopes: Mapping[str | None, Scope],
        image_origins: Callable[[], Sequence[str]],
    ) -> None:
        self._scopes = scopes
        self._image_origins = image_origins
        open_audit_log()
        self.keys = ApiKeys(settings.keys)
        self._limit = RateLimit(settings.rate_limit / settings.web_workers)
        self._cors = {origin: _cors_headers(origin) for origin in settings.cors_origins}
        self._proxies = Proxies(settings.trusted_proxies, settings.proxy_networks)
        self._metrics = metrics
        self._note = note
        self._closed = CLOSED if self.keys and not settings.open_operation else frozenset[str]()
        self._guarded = bool(self._limit.rate or self.keys.private)

    def begin(self, request: Request, endpoint: str | None) -> HttpResponse | None:
        """Let a request pass, answer a browser's preflight, or raise an error of access."""
        headers = request.headers
        access = Access()
        if "authorization" in headers or "x-api-key" in headers:
            authorization = headers.get("authorization", "")
            if request.method not in READING and is_basic(authorization):
                authorization = ""
            access = self.keys.access(authorization, headers.get("x-api-key", ""))
            request.scope = self.keys.scope(access)
        if endpoint in OPEN:
            if endpoint == "api.readyz" and request.query and self.keys.private:
                self.keys.check(access, "read")  # it names a corpus: whether there is one is for those who may read
            return None
        keyless = endpoint in KEYLESS
        if request.method == "OPTIONS" and not keyless:
            return self._preflight(request)
        reads = request.method in READING
        scope = "read" if request.method == "OPTIONS" else self._scopes.get(endpoint, "read" if reads else "operate")
        closed = endpoint in self._closed
        if not (self._guarded or closed) and scope == "read":
            return None
        if self._limit.rate:
            self._take(request, access)
        if scope != "read" and not reads and access.key is not None:
            request.key = access.key.name
        if not keyless:
            self.keys.check(access, scope, closed=closed)
        return None

    def finish(self, request: Request, response: HttpResponse) -> None:
        """Add what every response has: security headers, the request's id, a content coding, CORS headers."""
        headers = response.headers
        media_type = response.media_type
        if response.status != NOT_MODIFIED:
            if media_type in {"text/html", "text/css"}:
                headers.update(PAGE_HEADERS)
                headers["Content-Security-Policy"] = PAGE_POLICY.format(images=" ".join(self._image_origins()))
            else:
                headers.update(DATA_HEADERS)
        headers["X-Request-ID"] = request.id
        if "Vary" not in headers and media_type in COMPRESSIBLE:
            _compress(request, response)
        if self._cors:
            headers["Vary"] = f"{headers['Vary']}, Origin" if "Vary" in headers else "Origin"
            if (allowed := self._cors_headers(request)) is not None:
                headers.update(allowed)

    def record(self, request: Request, endpoint: str | None, route: str, response: HttpResponse) -> None:
        """Measure a request that has been answered, and log it unless machines send many of its kind."""
        spent = time.perf_counter() - request.began
        counted = WAITING if response.expected else response.status
        self._metrics.observed(route, request.method, counted).observe(spent)
        if request.key:
            log_write(request, response)
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
        if self._cors_headers(request) is None or "access-control-request-method" not in request.headers:
            return None
        return HttpResponse(204, dict(PREFLIGHT), b"")

    def _take(self, request: Request, access: Access) -> None:
        """Count the request against the rate of its key, if that is one of ours, or else of its network."""
        forwarded = request.headers.get("x-forwarded-for")
        try:
            self._limit.take(access.client or client_network(self._proxies.client(request.peer, forwarded)))
        except TooManyRequests:
            self._metrics.limited.inc()
            raise

    def _cors_headers(self, request: Request) -> Headers | None:
        """What a response tells the browser of a page of another site; None if its origin is not allowed."""
        origin = request.headers.get("origin")
        return None if origin is None else self._cors.get("*") or self._cors.get(origin)


def _cors_headers(origin: str) -> Headers:
    return {"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": EXPOSED}


def _compress(request: Request, response: HttpResponse) -> None:
    """Compress a response without content negotiation: pages, and answers that change too often to cache."""
    response.headers["Vary"] = "Accept-Encoding"
    coding = preferred(request.headers.get("accept-encoding", ""))
    if coding != "identity" and len(response.body) >= SMALLEST:
        response.body = compress(response.body, coding)
        response.headers["Content-Encoding"] = coding
