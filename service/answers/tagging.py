"""Answers at the moment of tagging: tags for documents that nobody has tagged yet, or only half."""

from dataclasses import dataclass
from typing import Literal

from typing_extensions import TypedDict

from service.view.names import How

GivenState = Literal["kept", "canonical", "near", "new", "refused"]
"""What becomes of a tag that was given."""

ReasonKind = Literal["words", "documents", "tags"]
"""What speaks for a suggested tag: words of the text, documents like it, or tags that were given."""


class SuggestReason(TypedDict):
    """One reason for a suggested tag: its words, the ids of its documents or its tags, and the same as a sentence."""

    kind: ReasonKind
    words: list[str]
    documents: list[str]
    tags: list[str]
    sentence: str


class SuggestedTag(TypedDict):
    """A tag worth adding; `score` is its probability."""

    tag: str
    score: float
    count: int
    cluster: int | None
    reasons: list[SuggestReason]


class NearTag(TypedDict):
    """A tag that a given one may be a double of, and why."""

    tag: str
    count: int
    evidence: str


class GivenTag(TypedDict):
    """A tag that was given.

    `kept`: it is one. `canonical`: `tag` is the one it stands for, `how` says why. `near`: it may be a double of the
    tags in `near`. `new`: nothing is like it. `refused`: it is banned, as far as known `by` whom and `at` what time.
    """

    input: str
    state: GivenState
    tag: str | None
    how: How | None
    count: int
    near: list[NearTag]
    by: str | None
    at: str | None


class SuggestedConcept(TypedDict):
    """The concept that most of a document's tags belong to, given and suggested ones, and their share in it."""

    id: int
    label: str
    share: float


class SuggestedDocument(TypedDict):
    """One document of the request: tags to add, what becomes of the tags it has, and its concept."""

    tags: list[SuggestedTag]
    given: list[GivenTag]
    concept: SuggestedConcept | None


@dataclass(frozen=True)
class SuggestAnswer:
    """Tags for each document, in the order of the request; `text_known`: whether the version learnt from texts."""

    corpus: str
    version: str
    revision: int
    text_known: bool
    documents: list[SuggestedDocument]
