"""What a run proposes to editors, as a snapshot stores it."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from tagmodel.language.spelling import normalise

ProposalKind = Literal["variant", "co-occurring", "substitute", "rare", "head-word", "broad"]

PROPOSAL_KINDS: Final[tuple[ProposalKind, ...]] = get_args(ProposalKind)

HIDDEN_KINDS: Final[frozenset[ProposalKind]] = frozenset({"co-occurring", "substitute", "broad"})
"""Kinds of which fewer than 60 of a hundred are right (docs/research/proposals.md): shown only to those who ask."""


@dataclass(frozen=True)
class Proposal:
    """Two tags that may be one, a tag that may be a kind of another, or a tag that says nothing, with the evidence.

    Nothing is applied by itself.

    Attributes:
        kind: why the run proposes it.
        tag: the commoner tag, as people see it.
        other: the tag that may be another name of it, or for a head word a kind of it; empty for a broad tag.
        count: documents that have the tag.
        other_count: documents that have the other.
        together: documents that have both.
        similarity: how alike the company of the two is, from 0 to 1; the breadth of a broad tag.
        shared: tags that are near to both; near to a broad tag.
        documents: the ids of up to two documents: one with the tag, one with the other.
    """

    kind: ProposalKind
    tag: str
    other: str
    count: int
    other_count: int
    together: int
    similarity: float
    shared: tuple[str, ...]
    documents: tuple[str, ...]

    @property
    def forms(self) -> frozenset[str]:
        """The tags that it is about, normalised."""
        return frozenset(normalise(tag) for tag in (self.tag, self.other) if tag)
