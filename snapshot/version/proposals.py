"""What a run proposes to editors, as a snapshot stores it."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from tagmodel.language.spelling import normalise

ProposalKind = Literal[
    "variant", "nested", "co-occurring", "substitute", "rare", "head-word", "implied", "broad", "staged"
]

PROPOSAL_KINDS: Final[tuple[ProposalKind, ...]] = get_args(ProposalKind)

RELATION_KINDS: Final[dict[ProposalKind, Literal["broader", "implies"]]] = {
    "nested": "broader",
    "head-word": "broader",
    "implied": "implies",
}
"""The kinds that propose a relation of `other` to `tag`, and the edit that accepts it."""

HIDDEN_KINDS: Final[frozenset[ProposalKind]] = frozenset({"co-occurring", "substitute", "implied", "broad"})
"""Kinds of which fewer than 60 of a hundred are right (docs/research/proposals.md): shown only to those who ask."""


@dataclass(frozen=True)
class Proposal:
    """Two tags that may be one or related, or a tag that says nothing, with the evidence.

    Nothing is applied by itself.

    Attributes:
        kind: why the run proposes it.
        tag: the commoner tag, as people see it.
        other: the tag that may be another name of it, for a head word or a path a kind of it, for an implication a tag
            that implies it; empty for a broad tag, and for a staged one that is spelled like no other.
        count: documents that have the tag.
        other_count: documents that have the other.
        together: documents that have both.
        similarity: how alike the company of the two is, from 0 to 1; the breadth of a broad tag.
        shared: tags that are near to both; near to a broad tag.
        documents: the ids of up to two documents: one with the tag, one with the other; of up to three for a relation,
            first those that would change.
        text_similarity: of a substitute, how alike the texts of both are, from 0 to 1; None without texts.
        words: words that tell texts of both from others.
        choices: existing tags that a staged one may be another name of, the likeliest first.
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
    text_similarity: float | None = None
    words: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()

    @property
    def changes(self) -> int:
        """How many documents would change: lose or rename a tag, or count as having one more."""
        if not self.other:
            return self.count
        return self.other_count - (self.together if self.kind in RELATION_KINDS else 0)

    @property
    def forms(self) -> frozenset[str]:
        """The tags that it is about, normalised."""
        return frozenset(normalise(tag) for tag in (self.tag, self.other) if tag)
