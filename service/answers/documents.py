"""Answers about documents: those behind a query, one of them, and those like it."""

from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict

from service.answers.questions import Because, QueryAnswer, RelatedTag


class DocumentEntry(TypedDict):
    """A document as people see it. What the source does not say is null, or empty.

    `rare` are those of its `tags` that too few documents have to be in the tree. `cluster` is the concept with the
    largest share of the document, null if its tags have none. `because` lists the tags of the document that
    brought it up, largest share first. `date` is in UTC, and a year begins on its first day.
    """

    id: str
    title: str | None
    url: str | None
    image: str | None
    date: str | None
    fields: dict[str, Any]
    tags: list[str]
    rare: list[str]
    cluster: int | None
    score: float
    because: list[Because]


@dataclass(frozen=True)
class DocumentsAnswer:
    """One page of the documents behind a query, best first; `total` counts those with all its tags.

    `more` says whether another page follows. `fresh` is how many documents of the corpus came or changed after the
    version was made; they count.
    """

    corpus: str
    version: str
    revision: int
    fresh: int
    query: QueryAnswer
    total: int
    offset: int
    more: bool
    documents: list[DocumentEntry]


@dataclass(frozen=True)
class DocumentAnswer:
    """One document, the tags that it may be missing, and the documents nearest to it."""

    corpus: str
    version: str
    revision: int
    fresh: int
    document: DocumentEntry
    missing: list[RelatedTag]
    similar: list[DocumentEntry]


@dataclass(frozen=True)
class SimilarAnswer:
    """One page of the documents like one document, or like one with the tags of the query; `document` is its id."""

    corpus: str
    version: str
    revision: int
    fresh: int
    document: str | None
    query: QueryAnswer
    offset: int
    more: bool
    documents: list[DocumentEntry]
