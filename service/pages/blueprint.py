"""The HTTP endpoints of the pages."""

from typing import Final

from flask import Blueprint, Response
from flask import request as flask_request

from service.errors import NothingServed, UnknownCorpus
from service.http import HttpResponse, Request
from service.live_snapshots import LiveSnapshots
from service.metrics import Metrics
from service.pages import explore as drawing
from service.pages.concept import concept
from service.pages.concept_params import ConceptParams
from service.pages.explore import ExploreParams, explore
from service.pages.frame import PAGES
from service.pages.ops import ops_page
from service.pages.params import arguments
from service.pages.remembered import RememberedPages
from service.pages.rendering import Renderer
from service.pages.search import anchor, hue, search
from service.pages.search_params import MOST_GROUPS, SearchParams
from service.quick import asks_for_few_tags, is_quick
from service.wsgi import flask_response
from snapshot import SnapshotStore
from snapshot.durations import duration

SEARCH: Final = "search.html"


def blueprint(
    live: LiveSnapshots, store: SnapshotStore, metrics: Metrics, remembered: RememberedPages, renderer: Renderer
) -> Blueprint:
    """The blueprint of all pages."""
    pages = Blueprint("pages", __name__)
    pages.add_app_template_filter(grouped)

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
        try:
            page = concept(live.view(params.corpus), params)
        except (NothingServed, UnknownCorpus) as error:
            return renderer.render_waiting("concept", params.corpus, error)
        return renderer.render(page.TEMPLATE, page.status, frame=renderer.frame("concept", params.corpus), page=page)

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
    """Whether a search page takes the event loop only a moment: about a few known tags, with a compiled template."""
    view = live.held(arguments(request).get("corpus", renderer.default_corpus()))
    pairs = request.parameters()
    return view is not None and SEARCH in renderer.compiled and asks_for_few_tags(pairs) and is_quick(view, pairs)


def grouped(number: int) -> str:
    """A number as people read it: 5,231."""
    return f"{number:,}"
