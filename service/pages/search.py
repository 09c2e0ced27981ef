"""The search page: the tags around a query in groups, and suggestions beside them."""

from dataclasses import dataclass
from typing import Final

from service.answers import Because, CloudAnswer, CloudTag
from service.cloud import cloud
from service.errors import UnknownTags
from service.pages.search_params import SearchParams
from service.query import NOTHING, ParsedQuery, ask
from service.related import related
from service.view import View
from snapshot import normalise

TAGS: Final = 80
SUGGESTIONS: Final = 14
SIZES: Final = 8
"""The style sheet has classes w1…w8, light to heavy."""


@dataclass(frozen=True)
class Unknown:
    """What was asked for and is no tag, and what may have been meant."""

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
    """Whether a query tag is of the same concept."""

    hue: int | None
    """The number of its group in the cloud, if it is there."""


@dataclass(frozen=True)
class Found:
    """What the page shows; `state` is the one from which its links go on."""

    view: View
    state: SearchParams
    cloud: CloudAnswer
    counts: dict[str, int]
    suggestions: list[Suggestion]
    unknown: Unknown | None

    @property
    def status(self) -> int:
        """Words that are no tags leave the page usable, and are an error all the same."""
        return 404 if self.unknown is not None else 200

    @property
    def shown(self) -> int:
        """How many tags the cloud has."""
        return sum(len(group.tags) for group in self.cloud.groups) + len(self.cloud.broad)


def search(view: View, asked: SearchParams) -> Found:
    """The cloud of a query; of the tags that exist, if one does not; of the corpus, if none does."""
    unknown = None
    try:
        query = ask(view, list(asked.tags), asked.q)
    except UnknownTags as error:
        unknown = Unknown(str(error), error.suggestions)
        known = [tag for tag in asked.tags if normalise(tag) in view.index]
        query = ask(view, known, "") if known else NOTHING
    answer = cloud(view, query, limit=TAGS, groups=asked.groups, specificity=asked.specificity)
    return Found(
        view=view,
        state=asked.chosen(answer.query.tags),
        cloud=answer,
        counts={view.snapshot.names[tag]: view.counts[tag] for tag in query.tags},
        suggestions=_suggestions(view, query, asked.specificity, answer),
        unknown=unknown,
    )


def size(tag: CloudTag) -> int:
    """Class of a weight: the square root keeps light tags readable beside heavy ones."""
    return 1 + min(int(tag.weight**0.5 * SIZES), SIZES - 1)


def _suggestions(view: View, query: ParsedQuery, specificity: float, answer: CloudAnswer) -> list[Suggestion]:
    group_of = {tag.tag: number for number, group in enumerate(answer.groups) for tag in group.tags}
    concepts = {view.cluster_of[tag] for tag in query.tags}
    return [
        Suggestion(
            tag=found.tag,
            count=found.count,
            because=found.because if len(query.tags) > 1 else [],
            concept=view.labels[found.cluster],
            same=found.cluster in concepts,
            hue=group_of.get(found.tag),
        )
        for found in related(view, query, limit=SUGGESTIONS, specificity=specificity).related
    ]
