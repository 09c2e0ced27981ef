"""Draws pages with the templates, as plain responses: Flask and the event loop show the same."""

import re
from typing import Any, Final

from jinja2 import Environment

from service.errors import NothingServed, UnknownCorpus
from service.live.snapshots import LiveSnapshots
from service.pages.frame.frame import NOWHERE, PAGES, Frame
from service.web.http import HttpResponse
from service.web.negotiation import NEVER

HTML: Final = "text/html; charset=utf-8"

RELOAD_SECONDS: Final = 2
SLOW_RELOAD_SECONDS: Final = 10
"""How often the page of a corpus without a snapshot reloads: while its first run is under way, and otherwise."""

CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Characters that HTML does not allow; a query or a tag may hold them."""

CONTROL_BYTES: Final = bytes([*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F])
CONTROL_PAIRS: Final = re.compile(b"\xc2[\x80-\x9f]")
"""The same characters in UTF-8: those of one byte, and those of two."""


class Renderer:
    """The templates, and what is around every page."""

    def __init__(self, templates: Environment, live: LiveSnapshots, served: frozenset[str]) -> None:
        """`served` has the names of the pages that this service shows."""
        self._templates = templates
        self._live = live
        self._served = served

    def serves(self, name: str) -> bool:
        """Whether this service shows a page."""
        return name in self._served

    def render(self, template: str, status: int, **context: Any) -> HttpResponse:
        """A page."""
        body = without_controls(self._templates.get_template(template).render(context))
        return HttpResponse(status, {"Content-Type": HTML, "Cache-Control": NEVER}, body)

    def render_waiting(self, here: str, corpus: str, error: NothingServed | UnknownCorpus) -> HttpResponse:
        """The page without data, which says why; it reloads itself if waiting helps."""
        frame = self.frame(here, corpus)
        if isinstance(error, UnknownCorpus):
            return self.render("waiting.html", 404, frame=frame, reason=str(error), absence=None)
        absence = error.absence
        run = self._live.status(corpus) if absence.reason == "clustering" else None
        page = self.render("waiting.html", 503, frame=frame, reason=absence.detail, absence=absence, run=run)
        page.expected = absence.expected
        if absence.passes:
            page.headers["Refresh"] = str(RELOAD_SECONDS if absence.expected else SLOW_RELOAD_SECONDS)
        return page

    def frame(self, here: str, corpus: str) -> Frame:
        """What is around a page, or around an address that leads to none."""
        titles = {name: view.snapshot.title for name, view in self._live.views().items()}
        stale = self._live.stale_seconds(corpus) if corpus in titles else None
        return Frame(PAGES.get(here, NOWHERE), corpus, titles, stale, self._served)

    def default_corpus(self) -> str:
        """The corpus of an address that names none: the first with a snapshot, or else the first declared."""
        return next(iter([*self._live.views(), *sorted(self._live.declarations())]), "")


def without_controls(html: str) -> bytes:
    """A page in UTF-8, with a replacement character for each that HTML does not allow.

    Hardly any page has one. To see that in its bytes takes a third of the time of looking at every character.
    """
    body = html.encode()
    if len(body.translate(None, CONTROL_BYTES)) == len(body) and CONTROL_PAIRS.search(body) is None:
        return body
    return CONTROLS.sub("\ufffd", html).encode()
