"""What the script of the map asks for: all points, the card of one, and those that a search finds."""

from typing import Final

import numpy as np
import orjson
from flask import Blueprint
from numpy.typing import NDArray

from service.live.snapshots import LiveSnapshots
from service.pages.document.params import DocumentParams
from service.pages.frame.params import arguments
from service.pages.frame.pictures import picture_source
from service.pages.frame.renderer import Renderer
from service.questions.documents.documents import all_documents, without_excluded
from service.questions.documents.sets import documents_with_all
from service.questions.text.close_spelling import LONGEST_QUERY
from service.questions.text.query import parse_query
from service.response_cache import CachedResponse
from service.view.view import View
from service.web.flask_app import current_request
from service.web.http import HttpResponse
from service.web.negotiation import NEVER, encode_answer, negotiate

BYTES: Final = "application/octet-stream"
POINTS: Final = "/map/points"
CARD_TAGS: Final = 8
NONE: Final = 65535
"""Stands for no concept."""

GONE: Final = 65534
"""Stands for a document that was deleted since the run."""


def add_rules(pages: Blueprint, live: LiveSnapshots, renderer: Renderer) -> None:
    """Add the addresses to the blueprint of the pages, if the map is served."""
    if not renderer.serves("map"):
        return

    def view_of() -> View:
        return live.view(arguments(current_request()).get("corpus", renderer.default_corpus()))

    @pages.get(POINTS)
    def map_points() -> HttpResponse:
        view = view_of()
        answer = view.answers.get(POINTS)
        if answer is None:
            answer = encode_answer(CachedResponse(point_bytes(view), "", BYTES), view.edition, POINTS.encode())
            view.answers.put(POINTS, answer)
        return negotiate(answer, NEVER, current_request().headers)

    @pages.get("/map/card")
    def map_card() -> HttpResponse:
        shown = card(view_of(), arguments(current_request()).get("point", -1, type=int))
        headers = {"Content-Type": "application/json", "Cache-Control": NEVER}
        return HttpResponse(404 if shown is None else 200, headers, orjson.dumps(shown))

    @pages.get("/map/found")
    def map_found() -> HttpResponse:
        found = found_points(view_of(), arguments(current_request()).get("q", "")[:LONGEST_QUERY])
        return HttpResponse(200, {"Content-Type": BYTES, "Cache-Control": NEVER}, found.astype("<u4").tobytes())


def point_bytes(view: View) -> bytes:
    """Of all documents x, then y, then the id of the concept, each in two bytes, the lower one first."""
    store = view.documents
    if not len(store.places):
        return b""
    ids = [view.concept_id(each.id) for each in view.snapshot.clusters]
    count = len(store.places)
    concepts = np.array([*ids, NONE])[store.concept_positions(np.arange(count))]
    concepts[~all_documents(view)[:count]] = GONE
    return bytes(np.vstack([store.places.T, concepts]).astype("<u2").tobytes())


def card(view: View, position: int) -> dict[str, object] | None:
    """What people see of a document; None if there is none at this position."""
    store = view.documents
    if not 0 <= position < len(store.places) or not all_documents(view)[position]:
        return None
    shown, name = store.card(position), store.id(position)
    return {
        "title": shown.title or name,
        "link": DocumentParams(view.snapshot.corpus, id=name).link(),
        "image": picture_source(shown.image) if shown.image else None,
        "tags": [view.tag_names[tag] for tag in store.tags(position)[:CARD_TAGS]],
    }


def found_points(view: View, words: str) -> NDArray[np.intp]:
    """The positions of the documents with all tags of a query; none without a query."""
    query = parse_query(view, [], words)
    if not query.asked:
        return np.empty(0, dtype=np.intp)
    found = documents_with_all(view.documents.index, query.asked, without_excluded(view, query))
    return found[found < len(view.documents.places)]  # fresh documents get their places in the next run
