"""The search page: the tags around a query in groups, and the best tags of the other groups beside them."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from service.answers import Because, CloudAnswer, CloudGroup, CloudTag
from service.cloud import cloud, query_answer
from service.errors import UnknownTags
from service.overview import overview
from service.pages.cards import as_html
from service.pages.colours import concept_hue
from service.pages.concept_params import ConceptParams
from service.pages.params import QUOTED
from service.pages.results import ShownDocuments, shown_documents
from service.pages.search_params import SearchParams
from service.query import NOTHING, ParsedQuery, parse_query
from service.related import related
from service.view import View
from snapshot import normalise
from snapshot.meaning import warning

TAGS: Final = 80
SIZES: Final = 8
"""The style sheet has classes w1…w8, light to heavy."""


@dataclass(frozen=True)
class Unknown:
    """Words of a query that are no tags, and tags of similar spelling."""

    text: str
    suggestions: list[str]


@dataclass(frozen=True)
class Suggestion:
    """The best tag of a group, with its reasons: the query tags that brought it."""

    tag: str
    count: int
    because: list[Because]
    group: CloudGroup


@dataclass(frozen=True)
class SearchPage:
    """The content of the page; its links start from `state`."""

    view: View
    state: SearchParams
    cloud: CloudAnswer
    counts: dict[str, int]
    suggestions: list[Suggestion]
    unknown: Unknown | None
    documents: ShownDocuments

    @property
    def status(self) -> int:
        """404 if words of the query are no tags, although the page is usable."""
        return 404 if self.unknown is not None else 200

    @property
    def shown(self) -> int:
        """The number of tags in the cloud."""
        return sum(len(group["tags"]) for group in self.cloud.groups)

    @property
    def warning(self) -> str | None:
        """Says that the concepts mean little."""
        return warning(self.view.snapshot.quality)

    @property
    def concepts(self) -> str:
        """What the addresses of all concepts begin with, as HTML writes it; the id is still to come."""
        return f"{ConceptParams.PATH}?corpus={quote(self.state.corpus, safe='')}&amp;id="

    def concept_of(self, tag: str) -> int:
        """The concept of a chosen tag."""
        return self.view.cluster_of[self.view.index[normalise(tag)]]

    def rows(self, tags: list[CloudTag]) -> list[tuple[str, str, CloudTag]]:
        """Of each tag of the cloud: its classes, the address that adds it, and the tag itself."""
        return [(f"w{size(tag)} {concept_hue(tag['cluster'])}", self.adding(tag["tag"]), tag) for tag in tags]

    def adding(self, tag: str) -> str:
        """The address that adds a tag, as HTML writes it."""
        return as_html(self.state.adding(tag))


def search(view: View, params: SearchParams) -> SearchPage:
    """The page of a query; if a tag is unknown, of its known tags, and without any of the corpus."""
    unknown = None
    try:
        query = parse_query(view, list(params.tags), params.q)
    except UnknownTags as error:
        unknown = Unknown(str(error), error.suggestions)
        known = [tag for tag in params.tags if view.names.find(tag)]
        query = parse_query(view, known, "") if known else NOTHING
    if query.tags:
        answer = cloud(view, query, limit=TAGS, groups=params.groups, specificity=params.specificity)
    else:
        answer = replace(overview(view, TAGS, params.groups), query=query_answer(view, query))
    state = params.chosen(answer.query.tags)
    return SearchPage(
        view=view,
        state=state,
        cloud=answer,
        counts={view.snapshot.names[tag]: view.counts[tag] for tag in query.tags},
        suggestions=_suggestions(view, query, params.specificity, answer),
        unknown=unknown,
        documents=shown_documents(view, query, answer, state, params.offset),
    )


def size(tag: CloudTag) -> int:
    """The size class of a tag; the square root keeps light tags readable beside heavy ones."""
    return 1 + min(int(tag["weight"] ** 0.5 * SIZES), SIZES - 1)


def hue(group: CloudGroup) -> str:
    """The colour of a group: that of the concept with the largest share of it."""
    return concept_hue(group["clusters"][0]["id"])


def anchor(group: CloudGroup) -> str:
    """Where a page shows a group: an id without spaces, which is also the fragment of its address."""
    return f"group-{fragment(group['key'])}"


@lru_cache(maxsize=QUOTED)
def fragment(text: str) -> str:
    """A text as fragments of addresses write it. Pages show the same tags over and over."""
    return quote(text, safe="")


def _suggestions(view: View, query: ParsedQuery, specificity: float, answer: CloudAnswer) -> list[Suggestion]:
    """The best tag of every group but the first, which the page shows at its top; a single query tag is no reason."""
    reasons: dict[str, list[Because]] = {}
    if len(query.tags) > 1:
        best = related(view, query, limit=TAGS, specificity=specificity).related
        reasons = {suggestion["tag"]: suggestion["because"] for suggestion in best}
    groups = [(group["tags"][0], group) for group in answer.groups[1:] if query.tags and not group["also"]]
    groups.sort(key=lambda pair: -pair[0]["score"])
    return [Suggestion(tag["tag"], tag["count"], reasons.get(tag["tag"], []), group) for tag, group in groups]
