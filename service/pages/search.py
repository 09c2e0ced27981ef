"""The search page: the tags around a query in groups, and suggestions beside them."""

from dataclasses import dataclass
from typing import Final

from service.answers import Because, CloudAnswer, CloudTag
from service.cloud import cloud
from service.errors import UnknownTags
from service.pages.search_params import SearchParams
from service.query import NOTHING, ParsedQuery, parse_query
from service.related import related
from service.view import View
from snapshot import normalise

TAGS: Final = 80
SUGGESTIONS: Final = 14
SIZES: Final = 8
"""The style sheet has classes w1…w8, light to heavy."""


@dataclass(frozen=True)
class Unknown:
    """Words of a query that are no tags, and tags of similar spelling."""

    text: str
    suggestions: list[str]


@dataclass(frozen=True)
class Suggestion:
    """A related tag with its reasons: the query tags that brought it, and the concept it belongs to."""

    tag: str
    count: int
    because: list[Because]
    concept: str
    same: bool
    """Whether a query tag belongs to the same concept."""

    hue: int | None
    """The number of its group in the cloud, if it is there."""


@dataclass(frozen=True)
class SearchPage:
    """The content of the page; its links start from `state`."""

    view: View
    state: SearchParams
    cloud: CloudAnswer
    counts: dict[str, int]
    suggestions: list[Suggestion]
    unknown: Unknown | None

    @property
    def status(self) -> int:
        """404 if words of the query are no tags, although the page is usable."""
        return 404 if self.unknown is not None else 200

    @property
    def shown(self) -> int:
        """The number of tags in the cloud."""
        return sum(len(group["tags"]) for group in self.cloud.groups) + len(self.cloud.broad)

    def rows(self, tags: list[CloudTag]) -> list[tuple[int, str, str, int]]:
        """Of each tag of the cloud: its size class, the address that adds it, its name, and its count."""
        return [(size(tag), self.adding(tag["tag"]), tag["tag"], tag["count"]) for tag in tags]

    def adding(self, tag: str) -> str:
        """The address that adds a tag, as HTML writes it: of the special characters, an address has only &."""
        return self.state.adding(tag).replace("&", "&amp;")


def search(view: View, params: SearchParams) -> SearchPage:
    """The page of a query; if a tag is unknown, of its known tags, and without any of the corpus."""
    unknown = None
    try:
        query = parse_query(view, list(params.tags), params.q)
    except UnknownTags as error:
        unknown = Unknown(str(error), error.suggestions)
        known = [tag for tag in params.tags if normalise(tag) in view.index]
        query = parse_query(view, known, "") if known else NOTHING
    answer = cloud(view, query, limit=TAGS, groups=params.groups, specificity=params.specificity)
    return SearchPage(
        view=view,
        state=params.chosen(answer.query.tags),
        cloud=answer,
        counts={view.snapshot.names[tag]: view.counts[tag] for tag in query.tags},
        suggestions=_suggestions(view, query, params.specificity, answer),
        unknown=unknown,
    )


def size(tag: CloudTag) -> int:
    """The size class of a tag; the square root keeps light tags readable beside heavy ones."""
    return 1 + min(int(tag["weight"] ** 0.5 * SIZES), SIZES - 1)


def _suggestions(view: View, query: ParsedQuery, specificity: float, answer: CloudAnswer) -> list[Suggestion]:
    group_of = {tag["tag"]: number for number, group in enumerate(answer.groups) for tag in group["tags"]}
    concepts = {view.cluster_of[tag] for tag in query.tags}
    return [
        Suggestion(
            tag=suggestion["tag"],
            count=suggestion["count"],
            because=suggestion["because"] if len(query.tags) > 1 else [],
            concept=view.labels[suggestion["cluster"]],
            same=suggestion["cluster"] in concepts,
            hue=group_of.get(suggestion["tag"]),
        )
        for suggestion in related(view, query, limit=SUGGESTIONS, specificity=specificity).related
    ]
