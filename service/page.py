"""The search page at /: rendered here whole, useful without JavaScript."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from flask import Blueprint, Response, make_response, render_template, request

from service.answers import CloudAnswer, CloudTag
from service.cloud import cloud
from service.errors import NothingServed, UnknownCorpus, UnknownTags
from service.shelf import Shelf
from service.understanding import LONGEST_QUERY, NOTHING, ask
from service.view import View

TAGS: Final = 80
GROUPS: Final = 8
MOST_GROUPS: Final = 30
SIZES: Final = 8
"""The style sheet has classes w1…w8, light to heavy."""


@dataclass(frozen=True)
class Asked:
    """The state of the page, all of it in the address."""

    corpus: str
    q: str
    tags: tuple[str, ...]
    groups: int

    def link(self, *, add: str = "", drop: str = "") -> str:
        """The address of the same page with one tag more or less."""
        tags = [tag for tag in self.tags if tag != drop] + ([add] if add else [])
        state = [("corpus", self.corpus), *(("tag", tag) for tag in tags), ("groups", str(self.groups))]
        return "/?" + urlencode(state)


def blueprint(shelf: Shelf) -> Blueprint:
    """The page and its style sheet."""
    page = Blueprint("page", __name__, template_folder="templates", static_folder="static")

    @page.get("/")
    def index() -> Response:
        views = shelf.views()
        asked = _asked(next(iter(views), ""))
        status, context = _context(shelf, asked)
        html = render_template(
            "index.html",
            asked=asked,
            views=views,
            stale=not shelf.freshness.connected,
            size=_size,
            most_groups=MOST_GROUPS,
            **context,
        )
        answer = make_response(html, status)
        if status == 503:
            answer.headers["Refresh"] = "2"
        return answer

    return page


def _context(shelf: Shelf, asked: Asked) -> tuple[int, dict[str, object]]:
    """Status and template values of the page."""
    try:
        view = shelf.view(asked.corpus)
    except NothingServed as error:
        return 503, {"waiting": str(error)}
    except UnknownCorpus as error:
        return (404 if shelf.views() else 503), {"waiting": str(error)}
    return _search(view, asked)


def _search(view: View, asked: Asked) -> tuple[int, dict[str, object]]:
    """Status and template values of a search; words that are no tags leave the page usable."""
    try:
        query = ask(view, list(asked.tags), asked.q)
    except UnknownTags as error:
        answer = cloud(view, NOTHING, limit=TAGS, groups=asked.groups, specificity=0.5)
        return 404, {"view": view, "cloud": answer, "unknown": str(error), "suggestions": error.suggestions}
    answer = cloud(view, query, limit=TAGS, groups=asked.groups, specificity=0.5)
    return 200, {"view": view, "cloud": answer, "refined": _refined(asked, answer)}


def _refined(asked: Asked, answer: CloudAnswer) -> Asked:
    """The state from which links go on: typed words have become tags."""
    return Asked(asked.corpus, "", tuple(answer.query.tags), asked.groups)


def _asked(corpus: str) -> Asked:
    arguments = request.args
    groups = arguments.get("groups", GROUPS, type=int)
    return Asked(
        corpus=arguments.get("corpus", corpus),
        q=arguments.get("q", "")[:LONGEST_QUERY].strip(),
        tags=tuple(dict.fromkeys(arguments.getlist("tag"))),
        groups=min(max(groups, 1), MOST_GROUPS),
    )


def _size(tag: CloudTag) -> int:
    """Class of a weight: the square root keeps light tags readable beside heavy ones."""
    return 1 + min(int(tag.weight**0.5 * SIZES), SIZES - 1)
