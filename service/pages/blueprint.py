"""The HTTP endpoints of the pages."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from flask import Blueprint, Response
from flask import request as flask_request
from redis import Redis

from service.errors import NothingServed, UnknownCorpus
from service.http import HttpResponse, Request
from service.live_snapshots import LiveSnapshots
from service.metrics import Metrics
from service.pages import explore as drawing
from service.pages.colours import concept_hue
from service.pages.concept import concept
from service.pages.concept_params import ConceptParams
from service.pages.curate import CurateParams, curate
from service.pages.document import document_page
from service.pages.document_params import DocumentParams
from service.pages.embed import EmbedParams, embed_page
from service.pages.explore import ExploreParams, explore
from service.pages.frame import PAGES
from service.pages.map import MapParams, concept_map
from service.pages.ops import ops_page
from service.pages.params import State, arguments
from service.pages.remembered import RememberedPages
from service.pages.rendering import Renderer
from service.pages.search import search
from service.pages.search_params import MOST_GROUPS, SearchParams
from service.quick import asks_for_few_tags, is_quick
from service.view import View
from service.wsgi import current_request, flask_response
from snapshot.durations import duration

P = TypeVar("P", bound=State)

SEARCH: Final = "search.html"


def blueprint(
    live: LiveSnapshots, redis: Redis, metrics: Metrics, remembered: RememberedPages, renderer: Renderer
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

    shown: tuple[tuple[str, type[Any], Callable[[View, Any], Any]], ...] = (
        ("concept", ConceptParams, concept),
        ("map", MapParams, concept_map),
        ("document", DocumentParams, document_page),
        ("curate", CurateParams, curate),
    )
    for name, kind, make in shown:
        show = _shower(live, renderer, name, kind, make)
        pages.add_url_rule(PAGES[name].path, view_func=remembered.remembering()(show))

    @pages.get(PAGES["ops"].path)
    def show_ops() -> Response:
        page = ops_page(live, redis, metrics)
        return flask_response(
            renderer.render("ops.html", 200, frame=renderer.frame("ops", ""), page=page, duration=duration)
        )

    @pages.get(PAGES["embed"].path)
    def show_embed() -> Response:
        params = EmbedParams.read(arguments(current_request()), renderer.default_corpus())
        try:
            page = embed_page(live.view(params.corpus), params)
        except (NothingServed, UnknownCorpus) as error:
            return flask_response(renderer.render_waiting("embed", params.corpus, error))
        frame, origin = renderer.frame("embed", params.corpus), flask_request.url_root.rstrip("/")
        return flask_response(renderer.render(page.TEMPLATE, page.status, frame=frame, page=page, origin=origin))

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


def _shower(
    live: LiveSnapshots, renderer: Renderer, here: str, kind: type[P], make: Callable[[View, P], Any]
) -> Callable[[Request], HttpResponse]:
    """What shows a page that knows its template and its status."""

    def show(request: Request) -> HttpResponse:
        params = kind.read(arguments(request), renderer.default_corpus())
        try:
            page = make(live.view(params.corpus), params)
        except (NothingServed, UnknownCorpus) as error:
            return renderer.render_waiting(here, params.corpus, error)
        return renderer.render(page.TEMPLATE, page.status, frame=renderer.frame(here, params.corpus), page=page)

    show.__name__ = f"show_{here}"
    return show
