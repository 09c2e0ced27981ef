"""The HTTP endpoints of the pages."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from flask import Blueprint, Response
from flask import request as flask_request

from service.errors import NothingServed, UnknownCorpus
from service.http import HttpResponse, Request
from service.live_snapshots import LiveSnapshots
from service.metrics import Metrics
from service.pages import explore as drawing
from service.pages.colours import concept_hue
from service.pages.concept import concept
from service.pages.concept_params import ConceptParams
from service.pages.document import document_page
from service.pages.document_params import DocumentParams
from service.pages.explore import ExploreParams, explore
from service.pages.frame import PAGES
from service.pages.ops import ops_page
from service.pages.params import State, arguments
from service.pages.remembered import RememberedPages
from service.pages.rendering import Renderer
from service.pages.search import anchor, hue, search
from service.pages.search_params import MOST_GROUPS, SearchParams
from service.quick import asks_for_few_tags, is_quick
from service.view import View
from service.wsgi import flask_response
from snapshot import SnapshotStore
from snapshot.durations import duration

P = TypeVar("P", bound=State)

SEARCH: Final = "search.html"


def blueprint(
    live: LiveSnapshots, store: SnapshotStore, metrics: Metrics, remembered: RememberedPages, renderer: Renderer
) -> Blueprint:
    """The blueprint of all pages."""
    pages = Blueprint("pages", __name__)
    pages.add_app_template_filter(grouped)
    pages.add_app_template_filter(concept_hue)

    @pages.get(PAGES["search"].path)
    @remembered.remembering(lambda request: is_quick_search(request, live, renderer))
    def show_search(request: Request) -> HttpResponse:
        params = SearchParams.read(arguments(request), renderer.default_corpus())
        try:
            page = search(live.view(params.corpus), params)
        except (NothingServed, UnknownCorpus) as error:
            return renderer.render_waiting("search", params.corpus, error)
        return renderer.render(
            SEARCH,
            page.status,
            frame=renderer.frame("search", params.corpus),
            params=params,
            page=page,
            hue=hue,
            anchor=anchor,
            defaults=SearchParams(params.corpus),
            most_groups=MOST_GROUPS,
        )

    @pages.get(PAGES["explore"].path)
    @remembered.remembering()
    def show_explore(request: Request) -> HttpResponse:
        params = ExploreParams.read(arguments(request), renderer.default_corpus())
        try:
            page = explore(live.view(params.corpus), params)
        except (NothingServed, UnknownCorpus) as error:
            return renderer.render_waiting("explore", params.corpus, error)
        frame, defaults = renderer.frame("explore", params.corpus), ExploreParams(params.corpus)
        return renderer.render("explore.html", 200, frame=frame, page=page, drawing=drawing, defaults=defaults)

    @pages.get(PAGES["concept"].path)
    @remembered.remembering()
    def show_concept(request: Request) -> HttpResponse:
        params = ConceptParams.read(arguments(request), renderer.default_corpus())
        return _show(live, renderer, "concept", params, concept)

    @pages.get(PAGES["document"].path)
    @remembered.remembering()
    def show_document(request: Request) -> HttpResponse:
        params = DocumentParams.read(arguments(request), renderer.default_corpus())
        return _show(live, renderer, "document", params, document_page)

    @pages.get(PAGES["ops"].path)
    def show_ops() -> Response:
        page = ops_page(live, store, metrics)
        return flask_response(
            renderer.render("ops.html", 200, frame=renderer.frame("ops", ""), page=page, duration=duration)
        )

    @pages.get(PAGES["embed"].path)
    def show_embed() -> Response:
        corpus = flask_request.args.get("corpus", renderer.default_corpus())
        try:
            view = live.view(corpus)
        except (NothingServed, UnknownCorpus) as error:
            return flask_response(renderer.render_waiting("embed", corpus, error))
        names = view.snapshot.names
        example = next((names[tag] for tag in view.by_count if not view.broad[tag]), names[view.by_count[0]])
        origin = flask_request.url_root.rstrip("/")
        return flask_response(
            renderer.render("embed.html", 200, frame=renderer.frame("embed", corpus), example=example, origin=origin)
        )

    return pages


def is_quick_search(request: Request, live: LiveSnapshots, renderer: Renderer) -> bool:
    """Whether a search page takes the event loop only a moment: a few known tags, once the template is compiled.

    Documents are read from a file, which may take long.
    """
    view = live.held(arguments(request).get("corpus", renderer.default_corpus()))
    if view is None or view.has_documents or SEARCH not in renderer.compiled:
        return False
    pairs = request.parameters()
    return asks_for_few_tags(pairs) and is_quick(view, pairs)


def grouped(number: int) -> str:
    """A number as people read it: 5,231."""
    return f"{number:,}"


def _show(
    live: LiveSnapshots, renderer: Renderer, here: str, params: P, make: Callable[[View, P], Any]
) -> HttpResponse:
    """A page that knows its template and its status."""
    try:
        page = make(live.view(params.corpus), params)
    except (NothingServed, UnknownCorpus) as error:
        return renderer.render_waiting(here, params.corpus, error)
    return renderer.render(page.TEMPLATE, page.status, frame=renderer.frame(here, params.corpus), page=page)
