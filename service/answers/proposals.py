"""The answer about proposals: what editors may decide, with the evidence."""

from dataclasses import dataclass

from typing_extensions import TypedDict  # pydantic describes that of typing only from Python 3.12 on

from snapshot import ProposalKind


class SampleDocument(TypedDict):
    """A document that shows how a tag is used."""

    id: str
    title: str | None
    url: str | None
    tags: list[str]


class ProposalAnswer(TypedDict):
    """One proposal: that `other` is another name of `tag`, is a kind of it or implies it; or that `tag` says nothing.

    `similarity` is that of the company of the two, and `shared` the tags near to both; of a broad tag, its breadth and
    the tags near to it. `changes` is how many documents would change. `documents` has one document with each of the
    two, two with both if they co-occur, and three for a relation, first those that would change. `text_similarity` of a
    substitute is how alike the texts of both are, by `words`, null without texts; `sentence` says it. `choices` are
    tags that a staged one may be another name of.
    """

    kind: ProposalKind
    tag: str
    other: str | None
    count: int
    other_count: int | None
    together: int | None
    changes: int
    similarity: float
    shared: list[str]
    documents: list[SampleDocument]
    text_similarity: float | None
    words: list[str]
    sentence: str | None
    choices: list[str]


@dataclass(frozen=True)
class KindAnswer:
    """How many proposals of a kind there are; `hidden`: too few are right, so only a question for the kind has them."""

    kind: ProposalKind
    total: int
    hidden: bool


@dataclass(frozen=True)
class ProposalsAnswer:
    """One page of the proposals, kind by kind; `total` counts those on all pages."""

    corpus: str
    version: str
    revision: int
    kinds: list[KindAnswer]
    total: int
    offset: int
    proposals: list[ProposalAnswer]
