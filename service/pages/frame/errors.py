"""Errors as pages: a browser that meets one gets a page that leads on; a program gets problem+json."""

from http import HTTPStatus
from typing import Final

import orjson
from werkzeug.http import parse_accept_header

from service.api.problems import MEDIA_TYPE, error_response
from service.pages.frame.renderer import Renderer
from service.web.http import HttpResponse, Request

API: Final = "/v1/"
SIGN_IN: Final = 'Basic realm="Cotag: the key is the password, the name is free", charset="UTF-8"'
"""Lets a browser ask for the key, which it then sends with requests that read."""

HEADINGS: Final = {
    HTTPStatus.NOT_FOUND: "Nothing is here",
    HTTPStatus.UNAUTHORIZED: "This page needs a key",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests",
}


class ErrorPages:
    """Answers every error, of any request."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer

    def error_response(self, error: Exception, request: Request) -> HttpResponse:
        """The response to an error: a page for those who ask for pages, problem+json for all others."""
        problem = error_response(error, request)
        if problem.media_type != MEDIA_TYPE or not asks_for_page(request):
            return problem
        status = HTTPStatus(problem.status)
        page = self._renderer.render(
            "error.html",
            problem.status,
            frame=self._renderer.frame("", self._renderer.default_corpus()),
            heading=HEADINGS.get(status, "That did not work"),
            detail="" if status == HTTPStatus.NOT_FOUND else orjson.loads(problem.body)["detail"],
        )
        page.headers = problem.headers | page.headers | {"Cache-Control": "no-store"}
        if status == HTTPStatus.UNAUTHORIZED:
            page.headers["WWW-Authenticate"] = SIGN_IN
        return page


def asks_for_page(request: Request) -> bool:
    """Whether a page answers better than JSON: the client reads HTML, prefers it, and does not ask the API."""
    if request.path.startswith(API):
        return False
    accept = parse_accept_header(request.headers.get("accept", ""))
    return "text/html" in accept.values() and accept.quality("text/html") >= accept.quality("application/json")
