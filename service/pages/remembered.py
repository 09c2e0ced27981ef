"""Pages that were shown before, kept like answers."""

import hashlib
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Final

from flask import Response

from service.http import HttpResponse, Request
from service.live_snapshots import LiveSnapshots
from service.negotiation import NEVER, is_coded, negotiate
from service.response_cache import CachedResponse, ResponseCache
from service.wsgi import current_request, reply

REMEMBERED: Final = frozenset({"pages.show_search", "pages.show_explore", "pages.show_concept", "pages.show_document"})
"""Endpoints whose pages depend on their address and on the snapshots alone."""

HTML: Final = "text/html; charset=utf-8"


class RememberedPages:
    """The pages of this process. They hold for one edition of the live snapshots, while none is stale."""

    def __init__(self, live: LiveSnapshots, capacity: int) -> None:
        self._live = live
        self._capacity = capacity
        self._edition = live.edition
        self._pages = ResponseCache(capacity)

    def get(self, request: Request) -> CachedResponse | None:
        """The page at an address, if it was shown before."""
        if self._edition != self._live.edition:
            self._edition, self._pages = self._live.edition, ResponseCache(self._capacity)
        return self._pages.get(_key(request)) if self._live.fresh else None

    def keep(self, request: Request, html: bytes, edition: int) -> CachedResponse:
        """A page with an ETag; kept if it shows the edition that is current."""
        page = CachedResponse(html, hashlib.blake2b(html, digest_size=12).hexdigest(), HTML)
        if self._live.fresh and edition == self._edition == self._live.edition:
            self._pages.put(_key(request), page)
        return page

    def remembering(self, show: Callable[[], Response]) -> Callable[[], Response]:
        """A decorator for a page of Flask: keep what it shows, and do not make it twice."""

        @wraps(show)
        def show_or_remember() -> Response:
            request, edition = current_request(), self._live.edition
            page = self.get(request)
            if page is None:
                response = show()
                if response.status_code != HTTPStatus.OK:
                    return response
                page = self.keep(request, response.get_data(), edition)
            return reply(page, NEVER)

        return show_or_remember

    def quick_response(self, request: Request, endpoint: str | None) -> HttpResponse | None:
        """The response, if it takes the event loop only a moment; None if a thread must make it."""
        page = self.get(request) if endpoint in REMEMBERED else None
        return negotiate(page, NEVER, request.headers) if page is not None and is_coded(page, request.headers) else None


def _key(request: Request) -> str:
    return f"{request.path}?{request.query}"
