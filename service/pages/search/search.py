"""The search page: the tags around a query in groups, and the best tags of the other groups beside them."""

from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import quote

from service.answers import Because, CloudAnswer
from service.errors import UnknownTags
from service.pages.concept.params import ConceptParams
from service.pages.search.facts import TagFacts, tag_facts
from service.pages.search.params import SearchParams
from service.pages.search.results import ShownDocuments, shown_documents
from service.pages.search.rising import Rising, rising
from service.pages.search.sections import Direction, GroupSection, GroupSections, closing_title
from service.pages.search.spans import in_span
from service.pages.search.typing import finish_last_word
from service.questions.clouds.cloud import cloud
from service.questions.clouds.defaults import USUAL_TAGS
from service.questions.clouds.overview import overview
from service.questions.documents.documents import query_counts, without_excluded
from service.questions.related.related import related
from service.questions.text.close_spelling import suggest
from service.questions.text.narrower import narrower_tags, with_narrower
from service.questions.text.query import NOTHING, ParsedQuery, parse_query
from service.view.view import View
from tagmodel.language.group_names import LABEL_TAGS


@dataclass(frozen=True)
class Unknown:
    """A tag that does not exist, or a text of which nothing is known, and what may have been meant."""

    text: str
    suggestions: list[str]
    status: int = 404


@dataclass(frozen=True)
class SearchPage:
    """The content of the page; its links start from `state`."""

    view: View
    state: SearchParams
    cloud: CloudAnswer
    counts: dict[str, int]
    """How many documents have each tag of the query, and each word in their titles."""

    reasons: dict[str, list[Because]]
    """Of each tag of the cloud, the query tags that brought it; a single query tag is no reason."""

    unknown: Unknown | None
    chips: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
    """Tags that are chosen, those that are left out, words of titles; what is still being typed is none of them yet."""

    documents: ShownDocuments
    rising: Rising | None
    """What is rising, on the first page; None without dates."""
    facts: TagFacts | None
    """What is known of the tag, if the page is about one alone."""

    narrower: list[str]
    """The narrower tags of the query that count, or that could."""

    @property
    def status(self) -> int:
        """404 if a tag of the address does not exist, although the page is usable; nothing found is a result."""
        return 200 if self.unknown is None else self.unknown.status

    @property
    def summary(self) -> str:
        """What the page shows, for those who cannot see it change."""
        found = self.documents.results
        groups = f"{len(self.cloud.groups)} groups of tags"
        around = f" around {', '.join(self.asked)}" if self.asked else ""
        without = f" without {', '.join(self.state.excluded)}" if self.state.excluded else ""
        return f"{f'{found.answer.total:,} documents and ' if found else ''}{groups}{around}{without}"

    @property
    def group(self) -> str:
        """What the opened group is called: its first tags; empty if none is opened."""
        return ", ".join(self.state.group[:LABEL_TAGS])

    @property
    def asked(self) -> list[str]:
        """What the page is about: the chosen tags, then the words of titles."""
        return [*self.state.tags, *map(_in_titles, self.state.words)]

    @property
    def warning(self) -> str | None:
        """Says that the groups mean little."""
        return self.cloud.warning

    @property
    def concepts(self) -> str:
        """What the addresses of all concepts begin with, as HTML writes it; the id is still to come."""
        return f"{ConceptParams.PATH}?corpus={quote(self.state.corpus, safe='')}&amp;id="

    def concept_of(self, tag: str) -> int | None:
        """The concept of a chosen tag; None if it has none."""
        found = self.view.names.tag(tag)
        return None if found is None else self.view.concept_of(found)

    @cached_property
    def sections(self) -> list[GroupSection]:
        """The groups of the cloud."""
        strips = self.documents.strips
        return [self._sections.section(group, pictured=bool(strips.get(group["key"]))) for group in self.cloud.groups]

    @cached_property
    def directions(self) -> list[Direction]:
        """The best tag of every group but the first, which the page shows at its top; best first."""
        if not self.asked:
            return []
        groups = [group for group in self.cloud.groups[1:] if not closing_title(group)]
        groups.sort(key=lambda group: -group["tags"][0]["score"])
        return [self._sections.direction(group, self.reasons.get(group["tags"][0]["tag"], [])) for group in groups]

    @cached_property
    def _sections(self) -> GroupSections:
        opening = self.state.opening if self.view.has_documents else None
        return GroupSections(self.view, self.concepts, self.state.html_adding, self.state.html_excluding, opening)


def search_page(view: View, params: SearchParams) -> SearchPage:
    """The page of a query; if a tag is unknown, of its known tags, and without any of the corpus."""
    unknown = None
    view, params = in_span(view, params)
    typed = finish_last_word(view, params.text) if params.typing else params.text
    try:
        query = parse_query(view, list(params.tags), typed, exclude=params.excluded, group=_openable(view, params))
    except UnknownTags as error:
        unknown = Unknown(str(error), error.suggestions)
        known, excluded = ([tag for tag in tags if view.names.find(tag)] for tags in (params.tags, params.excluded))
        group = _openable(view, params)
        query = parse_query(view, known, "", exclude=excluded, group=group) if known or excluded or group else NOTHING
    if query.nothing_known:
        message = f"nothing here is called {params.text!r}"
        unknown = Unknown(message, suggest(view, params.text), 200)
        query = replace(query, ignored=(), suggestions=())
    narrower = narrower_tags(view, query)
    wide = with_narrower(view, query) if params.narrower else query
    joint = query_counts(view, query, together=False, narrow=False, narrower=params.narrower)
    if query.asked or query.group:
        answer = cloud(
            view,
            wide,
            limit=USUAL_TAGS,
            groups=params.groups,
            specificity=params.specificity,
            joint=joint,
            opened=without_excluded(view, query) if query.group else None,
        )
    else:
        answer = overview(view, USUAL_TAGS, params.groups, query, joint)
    words = [part.text for part in query.parts if part.tag is None]
    state = replace(
        params.chosen(
            [view.tag_names[tag] for tag in query.tags], [view.tag_names[tag] for tag in query.excluded], words
        ),
        group=tuple(answer.query.group),
        concept=params.concept if params.concept in view.clusters else None,
        narrower=params.narrower and bool(narrower),
    )
    return SearchPage(
        view=view,
        state=state,
        cloud=answer,
        counts=_counts(view, query, words),
        reasons=_reasons(view, query, params.specificity),
        unknown=unknown,
        chips=(params if params.typing else state).chips,
        documents=shown_documents(view, query, answer, state, params.offset),
        rising=None if query.asked or query.group or query.excluded or params.last else rising(view, state),
        facts=tag_facts(view, query.tags[0], state) if len(query.asked) == 1 and query.tags else None,
        narrower=[view.tag_names[tag] for tag in narrower],
    )


def _openable(view: View, params: SearchParams) -> list[str]:
    """The tags of the group that is opened; those that a newer version has no more are passed over."""
    return [tag for tag in params.group if view.names.find(tag)] if view.has_documents else []


def _counts(view: View, query: ParsedQuery, words: list[str]) -> dict[str, int]:
    """How many documents have each tag, and each of the words in their titles."""
    of_tags = {view.tag_names[tag]: view.counts[tag] for tag in query.tags}
    numbers = zip(words, query.title_words, strict=True)
    return of_tags | {_in_titles(word): view.documents.index.count(number) for word, number in numbers}


def _in_titles(word: str) -> str:
    """A word of titles as headings name it."""
    return f"“{word}” in the title"


def _reasons(view: View, query: ParsedQuery, specificity: float) -> dict[str, list[Because]]:
    if len(query.asked) < 2:
        return {}
    best = related(view, query, limit=USUAL_TAGS, specificity=specificity).related
    return {suggestion["tag"]: suggestion["because"] for suggestion in best}
