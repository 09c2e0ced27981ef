"""Answers for a person's history: documents by what somebody liked and saw."""

from dataclasses import dataclass
from typing import Literal

from typing_extensions import TypedDict

from service.answers.documents import DocumentEntry


class HistoryReason(TypedDict):
    """Something in a history that speaks for a document, and its share of all that does."""

    kind: Literal["document", "tag"]
    name: str
    title: str | None
    share: float


class RecommendedDocument(TypedDict):
    """A document, what of the history it is recommended `because` of, and the same as a sentence."""

    document: DocumentEntry
    because: list[HistoryReason]
    sentence: str


class HistoryConcept(TypedDict):
    """A concept of a history: its share of it, and its share of what is `recommended`."""

    id: int
    label: str
    share: float
    recommended: float


@dataclass(frozen=True)
class RecommendAnswer:
    """Documents for a history, spread over its concepts.

    `divergence` says how far the concepts of the documents are from those of the history; 0 is the same. `unknown`
    lists what the corpus does not know of the history.
    """

    corpus: str
    version: str
    revision: int
    fresh: int
    unknown: list[str]
    divergence: float | None
    concepts: list[HistoryConcept]
    documents: list[RecommendedDocument]
