"""The documents under a query, page by page, and a few pictures for each group of its cloud."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.answers import CloudAnswer, DocumentsAnswer
from service.pages.frame.cards import DocumentCard, PictureCard, cards, picture_cards
from service.pages.search.params import SearchParams
from service.pages.search.sections import closing_title
from service.pages.search.spans import DateFilter, date_filters, has_dates
from service.questions.clouds.group_documents import documents_by_group
from service.questions.documents.documents import Sort, documents, without_excluded
from service.questions.documents.sets import documents_with_all
from service.questions.text.narrower import documents_within
from service.questions.text.query import ParsedQuery
from service.view.view import View

SHOWN: Final = 12
"""Documents on a page."""

FILTERS: Final = 6
"""Concepts to filter by."""

STRIP: Final = 6
"""Pictures for a group."""


@dataclass(frozen=True)
class Results:
    """One page of documents, and the addresses of the pages before and after it; None where there is none."""

    answer: DocumentsAnswer
    cards: list[DocumentCard]
    before: str | None
    after: str | None

    @property
    def complete(self) -> list[DocumentCard]:
        """Those with all tags of the query, which come first."""
        return self.cards[: max(self.answer.total - self.answer.offset, 0)]

    @property
    def some(self) -> list[DocumentCard]:
        """Those with some of the tags, which come next."""
        return [card for card in self.cards[len(self.complete) :] if card.is_match]

    @property
    def near(self) -> list[DocumentCard]:
        """The others, which have none of the tags and are near all the same."""
        return [card for card in self.cards[len(self.complete) :] if not card.is_match]


class ConceptFilter(NamedTuple):
    """A concept of the documents found, how many of them belong to it, and the address that shows only these.

    If the page shows only these already, the address shows all again.
    """

    label: str
    documents: int
    address: str
    chosen: bool


@dataclass(frozen=True)
class ShownDocuments:
    """What the search page shows of documents.

    Attributes:
        results: the documents of the query; None without a query or without documents.
        strips: pictures of documents for each group of the cloud, by its key.
        filters: the concepts that most of the documents found belong to.
        dates: the spans of time to choose from; none where documents have no dates.
        orders: what the documents can be sorted by, and its address; empty for the order that is shown.
        problem: why the documents cannot be shown at the moment.
    """

    results: Results | None = None
    strips: dict[str, list[PictureCard]] = field(default_factory=dict)
    filters: list[ConceptFilter] = field(default_factory=list)
    dates: list[DateFilter] = field(default_factory=list)
    orders: list[tuple[str, str]] = field(default_factory=list)
    problem: str = ""


def results(answer: DocumentsAnswer, size: int, search: SearchParams, at: Callable[[int], str]) -> Results:
    """The cards of an answer of at most `size` documents, whose tags lead on from `search`.

    `at` gives the address of the page that begins at an offset.
    """
    asked = frozenset(answer.query.tags)
    return Results(
        answer=answer,
        cards=cards(
            answer.documents,
            search.corpus,
            asked,
            lambda tag: "" if tag in asked else search.html_adding(tag),
        ),
        before=at(max(answer.offset - size, 0)) if answer.offset else None,
        after=at(answer.offset + size) if answer.more else None,
    )


def shown_documents(
    view: View, query: ParsedQuery, cloud: CloudAnswer, state: SearchParams, offset: int
) -> ShownDocuments:
    """The documents of a query and of the groups of its cloud; nothing if the corpus leaves its documents out."""
    if not view.has_documents:
        return ShownDocuments(problem=view.document_problem)
    strips = _strips(view, query, cloud, state)
    if not query.asked and not query.group:
        return ShownDocuments(strips=strips)
    sort: Sort = "date" if state.sort else "best"
    answer = documents(
        view, query, cluster=state.concept, match=None, limit=SHOWN, offset=offset, narrower=state.narrower, sort=sort
    )
    shown = results(answer, SHOWN, state, lambda at: f"{state.link(offset=at)}#documents")
    found = _found(view, query, state)
    return ShownDocuments(
        shown, strips, _filters(view, found, state), date_filters(view, found, state), _orders(view, found, state)
    )


def _orders(view: View, found: NDArray[np.intp], state: SearchParams) -> list[tuple[str, str]]:
    """Best and newest first, where several documents were found and some have dates."""
    if len(found) < 2 or not has_dates(view):
        return []
    best = state.link(sort="") if state.sort else ""
    return [("Best first", best), ("Newest first", "" if state.sort else state.link(sort="date"))]


def _filters(view: View, found: NDArray[np.intp], state: SearchParams) -> list[ConceptFilter]:
    """The commonest concepts of the documents with all tags; none if all of them belong to one."""
    counts = Counter[int]()
    for concept, count in view.documents.concept_counts(found).items():
        counts[view.concept_id(concept)] += count
    if len(counts) < 2 and state.concept is None:
        return []
    shown = [concept for concept, _ in counts.most_common(FILTERS)]
    if state.concept is not None and state.concept not in shown:
        shown.append(state.concept)
    return [
        ConceptFilter(
            label=view.labels[concept],
            documents=counts[concept],
            address=state.link(concept=None if concept == state.concept else concept),
            chosen=concept == state.concept,
        )
        for concept in shown
    ]


def _found(view: View, query: ParsedQuery, state: SearchParams) -> NDArray[np.intp]:
    """The documents with all tags of the query, or with narrower ones if these count."""
    within = documents_within(view, query) if state.narrower and query.tags else None
    among = without_excluded(view, query, within)
    return documents_with_all(view.documents.index, () if within is not None else query.asked, among)


def _strips(view: View, query: ParsedQuery, cloud: CloudAnswer, state: SearchParams) -> dict[str, list[PictureCard]]:
    """Pictures for each group. If the best documents of a group have none, the group gets none."""
    store = view.documents
    if not store.has_cards:
        return {}
    groups = [group for group in cloud.groups if not closing_title(group)]
    among = without_excluded(view, query)
    of_query = _found(view, query, state) if query.asked or query.group else np.empty(0, dtype=np.intp)
    chosen = documents_by_group(view, store.index, of_query, groups, STRIP, among=among)
    return {
        group["key"]: picture_cards(store, documents, state.corpus)
        for group, documents in zip(groups, chosen, strict=True)
    }
