"""The HTTP endpoints of the pages."""

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

from flask import Blueprint, Response, g, make_response, render_template, request

from service.errors import NothingServed, UnknownCorpus
from service.live_snapshots import LiveSnapshots
from service.metrics import Metrics
from service.negotiation import NEVER
from service.pages import explore as drawing
from service.pages.colours import concept_hue
from service.pages.concept import concept
from service.pages.concept_params import ConceptParams
from service.pages.document import document_page
from service.pages.document_params import DocumentParams
from service.pages.explore import ExploreParams, explore
from service.pages.frame import PAGES, Frame
from service.pages.ops import ops_page
from service.pages.params import State
from service.pages.remembered import RememberedPages
from service.pages.search import anchor, hue, search
from service.pages.search_params import MOST_GROUPS, SearchParams
from service.view import View
from snapshot import SnapshotStore
from snapshot.durations import duration

P = TypeVar("P", bound=State)

RELOAD_SECONDS: Final = 2
SLOW_RELOAD_SECONDS: Final = 10
"""How often the page of a corpus without a snapshot reloads: while its first run is under way, and otherwise."""

CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Characters that HTML does not allow; a query or a tag may hold them."""


def blueprint(live: LiveSnapshots, store: SnapshotStore, metrics: Metrics, remembered: RememberedPages) -> Blueprint:
    """The blueprint of all pages."""
    pages = Blueprint("pages", __name__)
    pages.add_app_template_filter(grouped)
    pages.add_app_template_filter(concept_hue)

    @pages.get(PAGES["search"].path)
    @remembered.remembering
    def show_search() -> Response:
        params = SearchParams.read(request.args, _default_corpus(live))
        try:
            page = search(live.view(params.corpus), params)
        except (NothingServed, UnknownCorpus) as error:
            return _render_waiting(live, "search", params.corpus, error)
        return _render(
            "search.html",
            page.status,
            frame=_frame(live, "search", params.corpus),
            params=params,
            page=page,
            hue=hue,
            anchor=anchor,
            defaults=SearchParams(params.corpus),
            most_groups=MOST_GROUPS,
        )

    @pages.get(PAGES["explore"].path)
    @remembered.remembering
    def show_explore() -> Response:
        params = ExploreParams.read(request.args, _default_corpus(live))
        try:
            page = explore(live.view(params.corpus), params)
        except (NothingServed, UnknownCorpus) as error:
            return _render_waiting(live, "explore", params.corpus, error)
        frame, defaults = _frame(live, "explore", params.corpus), ExploreParams(params.corpus)
        return _render("explore.html", 200, frame=frame, page=page, drawing=drawing, defaults=defaults)

    @pages.get(PAGES["concept"].path)
    @remembered.remembering
    def show_concept() -> Response:
        return _show(live, "concept", ConceptParams.read(request.args, _default_corpus(live)), concept)

    @pages.get(PAGES["document"].path)
    @remembered.remembering
    def show_document() -> Response:
        return _show(live, "document", DocumentParams.read(request.args, _default_corpus(live)), document_page)

    @pages.get(PAGES["ops"].path)
    def show_ops() -> Response:
        page = ops_page(live, store, metrics)
        return _render("ops.html", 200, frame=_frame(live, "ops", ""), page=page, duration=duration)

    @pages.get(PAGES["embed"].path)
    def show_embed() -> Response:
        corpus = request.args.get("corpus", _default_corpus(live))
        try:
            view = live.view(corpus)
        except (NothingServed, UnknownCorpus) as error:
            return _render_waiting(live, "embed", corpus, error)
        names = view.snapshot.names
        example = next((names[tag] for tag in view.by_count if not view.broad[tag]), names[view.by_count[0]])
        return _render(
            "embed.html",
            200,
            frame=_frame(live, "embed", corpus),
            example=example,
            origin=request.url_root.rstrip("/"),
        )

    return pages


def grouped(number: int) -> str:
    """A number as people read it: 5,231."""
    return f"{number:,}"


def _default_corpus(live: LiveSnapshots) -> str:
    """The corpus of an address that names none: the first with a snapshot, or else the first declared."""
    return next(iter([*live.views(), *sorted(live.declarations())]), "")


def _frame(live: LiveSnapshots, here: str, corpus: str) -> Frame:
    titles = {name: view.snapshot.title for name, view in live.views().items()}
    return Frame(PAGES[here], corpus, titles, live.stale_seconds(corpus) if corpus in titles else None)


def _show(live: LiveSnapshots, here: str, params: P, make: Callable[[View, P], Any]) -> Response:
    """A page that knows its template and its status."""
    try:
        page = make(live.view(params.corpus), params)
    except (NothingServed, UnknownCorpus) as error:
        return _render_waiting(live, here, params.corpus, error)
    return _render(page.TEMPLATE, page.status, frame=_frame(live, here, params.corpus), page=page)


def _render(template: str, status: int, **context: Any) -> Response:
    answer = make_response(CONTROLS.sub("\ufffd", render_template(template, **context)), status)
    answer.headers["Cache-Control"] = NEVER
    return answer


def _render_waiting(live: LiveSnapshots, here: str, corpus: str, error: NothingServed | UnknownCorpus) -> Response:
    """The page without data, which says why; it reloads itself if waiting helps."""
    frame = _frame(live, here, corpus)
    if isinstance(error, UnknownCorpus):
        return _render("waiting.html", 404, frame=frame, reason=str(error), absence=None)
    absence = error.absence
    run = live.status(corpus) if absence.reason == "clustering" else None
    answer = _render("waiting.html", 503, frame=frame, reason=absence.detail, absence=absence, run=run)
    g.expected = absence.expected
    if absence.passes:
        answer.headers["Refresh"] = str(RELOAD_SECONDS if absence.expected else SLOW_RELOAD_SECONDS)
    return answer
