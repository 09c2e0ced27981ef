"""The HTTP endpoints of the pages."""

from collections.abc import Callable
from typing import Any, TypeVar

from flask import Blueprint
from flask import request as flask_request
from redis import Redis

from runtime.durations import duration
from service.errors import NothingServed, UnknownCorpus
from service.live.snapshots import LiveSnapshots
from service.pages.concept.concept import concept
from service.pages.concept.params import ConceptParams
from service.pages.curate import CurateParams, curate
from service.pages.document.document import document_page
from service.pages.document.params import DocumentParams
from service.pages.document.tag_it import TagItParams, tag_it_page
from service.pages.embed import EmbedParams, embed_page
from service.pages.explore import explore as drawing
from service.pages.explore.explore import ExploreParams, explore
from service.pages.frame.cache import RememberedPages
from service.pages.frame.cards import day
from service.pages.frame.colours import concept_hue
from service.pages.frame.frame import PAGES
from service.pages.frame.params import State, arguments
from service.pages.frame.renderer import Renderer
from service.pages.map.map import MapParams, concept_map
from service.pages.ops.operation import DayOfRuns
from service.pages.ops.ops import ops_page
from service.pages.points import points
from service.pages.points.page import points_page
from service.pages.points.params import PointsParams
from service.pages.search.params import SearchParams
from service.pages.search.search import search_page
from service.questions.clouds.defaults import MOST_GROUPS
from service.view.view import View
from service.web.flask_app import asks_store, current_request
from service.web.http import HttpResponse, Request
from service.web.metrics import Metrics

P = TypeVar("P", bound=State)


def blueprint(
    live: LiveSnapshots, redis: Redis, metrics: Metrics, remembered: RememberedPages, renderer: Renderer
) -> Blueprint:
    """The blueprint of all pages."""
    pages = Blueprint("pages", __name__)
    pages.add_app_template_filter(grouped)
    pages.add_app_template_filter(concept_hue)
    pages.add_app_template_filter(day)

    def show_search(request: Request) -> HttpResponse:
        params = SearchParams.read(arguments(request), renderer.default_corpus())
        try:
            page = search_page(live.view(params.corpus), params)
        except (NothingServed, UnknownCorpus) as error:
            return renderer.render_waiting("search", params.corpus, error)
        return renderer.render(
            "search.html",
            page.status,
            frame=renderer.frame("search", params.corpus),
            params=params,
            page=page,
            defaults=SearchParams(params.corpus),
            most_groups=MOST_GROUPS,
        )

    def show_explore(request: Request) -> HttpResponse:
        params = ExploreParams.read(arguments(request), renderer.default_corpus())
        try:
            page = explore(live.view(params.corpus), params)
        except (NothingServed, UnknownCorpus) as error:
            return renderer.render_waiting("explore", params.corpus, error)
        frame, defaults = renderer.frame("explore", params.corpus), ExploreParams(params.corpus)
        return renderer.render("explore.html", 200, frame=frame, page=page, drawing=drawing, defaults=defaults)

    day_of_runs = DayOfRuns(redis)

    @asks_store
    def show_ops() -> HttpResponse:
        wanted = flask_request.args.get("page", "1")
        page = ops_page(
            live,
            redis,
            metrics,
            operates=current_request().scope == "operate",
            number=int(wanted) if wanted.isdecimal() and len(wanted) < 6 else 1,
            day=day_of_runs,
        )
        return renderer.render("ops.html", 200, frame=renderer.frame("ops", ""), page=page, duration=duration)

    def show_embed() -> HttpResponse:
        params = EmbedParams.read(arguments(current_request()), renderer.default_corpus())
        try:
            page = embed_page(live.view(params.corpus), params)
        except (NothingServed, UnknownCorpus) as error:
            return renderer.render_waiting("embed", params.corpus, error)
        frame, origin = renderer.frame("embed", params.corpus), flask_request.url_root.rstrip("/")
        return renderer.render(page.TEMPLATE, page.status, frame=frame, page=page, origin=origin)

    made: tuple[tuple[str, type[Any], Callable[[View, Any], Any]], ...] = (
        ("concept", ConceptParams, concept),
        ("concepts", MapParams, concept_map),
        ("map", PointsParams, points_page),
        ("document", DocumentParams, document_page),
        ("curate", CurateParams, curate),
        ("tag-it", TagItParams, tag_it_page),
    )
    of_versions: dict[str, Callable[[Request], HttpResponse]] = {"search": show_search, "explore": show_explore}
    of_versions |= {name: _shower(live, renderer, name, kind, make) for name, kind, make in made}
    views = {name: remembered.remembering(show) for name, show in of_versions.items()}
    for name, show in (views | {"ops": show_ops, "embed": show_embed}).items():
        if renderer.serves(name):
            pages.add_url_rule(PAGES[name].path, view_func=show)
    points.add_rules(pages, live, renderer)
    return pages


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

    show.__name__ = f"show_{here.replace('-', '_')}"
    return show
