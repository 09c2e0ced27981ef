"""The documents under a query, page by page."""

from collections.abc import Callable
from dataclasses import dataclass

from service.answers import DocumentsAnswer
from service.pages.cards import DocumentCard, cards
from service.pages.search_params import SearchParams


@dataclass(frozen=True)
class Results:
    """One page of documents, and the addresses of the pages before and after it; None where there is none."""

    answer: DocumentsAnswer
    cards: list[DocumentCard]
    before: str | None
    after: str | None


def results(answer: DocumentsAnswer, size: int, search: SearchParams, at: Callable[[int], str]) -> Results:
    """The cards of an answer of at most `size` documents, whose tags lead on from `search`.

    `at` gives the address of the page that begins at an offset.
    """
    asked = frozenset(answer.query.tags)
    return Results(
        answer=answer,
        cards=cards(answer.documents, search.corpus, asked, lambda tag: search.adding(tag).replace("&", "&amp;")),
        before=at(max(answer.offset - size, 0)) if answer.offset else None,
        after=at(answer.offset + size) if answer.more else None,
    )
