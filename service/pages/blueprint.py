from typing import Any, Final

from flask import Blueprint, Response, make_response, render_template, request

from service.errors import NothingServed, UnknownCorpus
from service.live_snapshots import LiveSnapshots
from service.metrics import Metrics
from service.negotiation import NEVER
from service.pages import explore as drawing
from service.pages.explore import ExploreParams, explore
from service.pages.frame import PAGES, Frame
from service.pages.ops import ops_page_of
from service.pages.search import search, size
from service.pages.search_params import MOST_GROUPS, SearchParams
from snapshot import SnapshotStore
from snapshot.durations import duration

LOOK_AGAIN_SECONDS: Final = 2


def blueprint(live: LiveSnapshots, store: SnapshotStore, metrics: Metrics) -> Blueprint:
    """All pages."""
    pages = Blueprint("pages", __name__)
    pages.add_app_template_filter(grouped)

    @pages.get(PAGES["search"].path)
    def index() -> Response:
        state = SearchParams.read(request.args, _usual(live))
        try:
            found = search(live.view(state.corpus), state)
        except (NothingServed, UnknownCorpus) as error:
            return _waiting(live, "search", state.corpus, error)
        frame = _frame(live, "search", state.corpus)
        usual = SearchParams(state.corpus)
        return _page(
            "search.html",
            found.status,
            frame=frame,
            asked=state,
            found=found,
            size=size,
            usual=usual,
            most_groups=MOST_GROUPS,
        )

    @pages.get(PAGES["explore"].path)
    def explore_page() -> Response:
        state = ExploreParams.read(request.args, _usual(live))
        try:
            found = explore(live.view(state.corpus), state)
        except (NothingServed, UnknownCorpus) as error:
            return _waiting(live, "explore", state.corpus, error)
        frame = _frame(live, "explore", state.corpus)
        return _page("explore.html", 200, frame=frame, found=found, drawing=drawing, usual=ExploreParams(state.corpus))

    @pages.get(PAGES["ops"].path)
    def ops_page() -> Response:
        found = ops_page_of(live, store, metrics)
        return _page("ops.html", 200, frame=_frame(live, "ops", ""), found=found, duration=duration)

    @pages.get(PAGES["embed"].path)
    def embed_page() -> Response:
        corpus = request.args.get("corpus", _usual(live))
        try:
            view = live.view(corpus)
        except (NothingServed, UnknownCorpus) as error:
            return _waiting(live, "embed", corpus, error)
        names = view.snapshot.names
        example = next((names[tag] for tag in view.by_count if not view.broad[tag]), names[view.by_count[0]])
        return _page(
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


def _usual(live: LiveSnapshots) -> str:
    """The corpus of an address that names none: the first that is served, or else the first that is to be."""
    return next(iter([*live.views(), *sorted(live.declarations())]), "")


def _frame(live: LiveSnapshots, here: str, corpus: str) -> Frame:
    titles = {name: view.snapshot.title for name, view in live.views().items()}
    return Frame(PAGES[here], corpus, titles, live.stale_seconds(corpus) if corpus in titles else None)


def _page(template: str, status: int, **context: Any) -> Response:
    answer = make_response(render_template(template, **context), status)
    answer.headers["Cache-Control"] = NEVER
    return answer


def _waiting(live: LiveSnapshots, here: str, corpus: str, error: Exception) -> Response:
    """Nothing to show: the page looks again by itself while a first clustering is under way."""
    later = isinstance(error, NothingServed) or not live.views()
    answer = _page(
        "waiting.html",
        503 if later else 404,
        frame=_frame(live, here, corpus),
        later=later,
        reason=str(error),
        run=live.status(corpus),
    )
    if later:
        answer.headers["Refresh"] = str(LOOK_AGAIN_SECONDS)
    return answer
