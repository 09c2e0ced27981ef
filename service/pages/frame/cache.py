"""Pages that were shown before, kept like answers."""

import hashlib
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus

from service.live.snapshots import LiveSnapshots
from service.pages.frame.renderer import HTML
from service.response_cache import CachedResponse, ResponseCache
from service.web.flask_app import current_request
from service.web.http import HttpResponse, Request
from service.web.negotiation import NEVER, is_coded, negotiate

Show = Callable[[Request], HttpResponse]
"""Makes a page that depends on its address and on the snapshots alone."""


class RememberedPages:
    """The pages of this process. They hold for one edition of the live snapshots, while none is stale."""

    def __init__(self, live: LiveSnapshots, capacity: int) -> None:
        self._live = live
        self._capacity = capacity
        self._edition = live.edition
        self._pages = ResponseCache(capacity)
        self._shown: set[str] = set()
        """Endpoints whose pages are kept."""

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

    def remembering(self, show: Show) -> Callable[[], HttpResponse]:
        """A decorator that makes an endpoint of Flask of a page: what it shows is kept, and not made twice."""
        self._shown.add(f"pages.{show.__name__}")

        @wraps(show)
        def show_or_remember() -> HttpResponse:
            request = current_request()
            page = self._page(request, show)
            return page if isinstance(page, HttpResponse) else negotiate(page, NEVER, request.headers)

        return show_or_remember

    def quick_response(self, request: Request, endpoint: str | None) -> HttpResponse | None:
        """The response, if the page was shown before; None if a thread must make it."""
        page = self.get(request) if endpoint in self._shown else None
        if page is None or not is_coded(page, request.headers):
            return None
        return negotiate(page, NEVER, request.headers)

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
