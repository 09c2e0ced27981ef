"""Pages that were shown before, kept like answers."""

import hashlib
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus

from flask import Response

from service.http import HttpResponse, Request
from service.live_snapshots import LiveSnapshots
from service.negotiation import NEVER, is_coded, negotiate
from service.pages.rendering import HTML
from service.response_cache import CachedResponse, ResponseCache
from service.wsgi import current_request, flask_response

Show = Callable[[Request], HttpResponse]
"""Makes a page that depends on its address and on the snapshots alone."""


def never(_: Request) -> bool:
    """No page of this kind is quick."""
    return False


class RememberedPages:
    """The pages of this process. They hold for one edition of the live snapshots, while none is stale."""

    def __init__(self, live: LiveSnapshots, capacity: int) -> None:
        self._live = live
        self._capacity = capacity
        self._edition = live.edition
        self._pages = ResponseCache(capacity)
        self._shown: dict[str, tuple[Show, Callable[[Request], bool]]] = {}
        """Endpoint → what makes its pages, and what tells whether that is quick."""

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

    def remembering(self, is_quick: Callable[[Request], bool] = never) -> Callable[[Show], Callable[[], Response]]:
        """A decorator that makes an endpoint of Flask of a page: what it shows is kept, and not made twice.

        The event loop makes a new page by itself if `is_quick` tells that this takes only a moment.
        """

        def endpoint(show: Show) -> Callable[[], Response]:
            self._shown[f"pages.{show.__name__}"] = show, is_quick

            @wraps(show)
            def show_or_remember() -> Response:
                request = current_request()
                page = self._page(request, show)
                return flask_response(
                    page if isinstance(page, HttpResponse) else negotiate(page, NEVER, request.headers)
                )

            return show_or_remember

        return endpoint

    def quick_response(self, request: Request, endpoint: str | None) -> HttpResponse | None:
        """The response, if it takes the event loop only a moment; None if a thread must make it."""
        if endpoint not in self._shown:
            return None
        show, is_quick = self._shown[endpoint]
        page: CachedResponse | HttpResponse | None = self.get(request)
        if page is None and is_quick(request):
            page = self._page(request, show)
        if isinstance(page, CachedResponse):
            return negotiate(page, NEVER, request.headers) if is_coded(page, request.headers) else None
        return page

    def _page(self, request: Request, show: Show) -> CachedResponse | HttpResponse:
        """The page at an address, kept if there is one; otherwise the response that says what is wrong."""
        edition = self._live.edition
        page = self.get(request)
        if page is not None:
            return page
        response = show(request)
        return self.keep(request, response.body, edition) if response.status == HTTPStatus.OK else response


def _key(request: Request) -> str:
    return f"{request.path}?{request.query}"
