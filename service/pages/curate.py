"""The editors' page: proposals to decide about, and the concepts to rename and to move tags between."""

from dataclasses import dataclass
from typing import ClassVar, Final

from service.answers import Member, ProposalAnswer, ProposalsAnswer, SampleDocument
from service.pages.frame.params import State, index, integer, text
from service.questions.clusters.clusters import about_cluster
from service.questions.edits.proposals import proposals
from service.view.view import View
from snapshot import PROPOSAL_KINDS, RELATION_KINDS, ProposalKind
from tagmodel import Cluster

PROPOSALS: Final = 20
"""Proposals on a page."""

MOST_TAGS: Final = 300
"""Tags of a concept that the page shows, the commonest."""


@dataclass(frozen=True)
class CurateParams(State):
    """Which proposals are shown, and which concept."""

    PATH: ClassVar[str] = "/curate"

    kind: str = text("kind", 20)
    offset: int = integer("offset", 0, 0, 1000)
    id: int | None = index("id")

    @property
    def known_kind(self) -> ProposalKind | None:
        """The kind, if it is one."""
        return next((kind for kind in PROPOSAL_KINDS if kind == self.kind), None)


@dataclass(frozen=True)
class CuratedConcept:
    """A concept, and the tag by which decisions name it, because tags outlast clusters."""

    cluster: Cluster
    anchor: str


@dataclass(frozen=True)
class CuratePage:
    """The content of the page."""

    TEMPLATE: ClassVar = "curate.html"
    RELATIONS: ClassVar = RELATION_KINDS
    """The kinds that propose a relation."""

    SAMPLED: ClassVar = 12
    """Tags of a sample document that the page shows."""

    status: ClassVar = 200

    view: View
    state: CurateParams
    proposed: ProposalsAnswer
    concepts: list[CuratedConcept]
    """The largest first."""

    chosen: CuratedConcept | None
    tags: list[Member]
    """Those of the chosen concept, the commonest first."""

    @property
    def more(self) -> int:
        """How many tags of the chosen concept are not shown."""
        return len(self.view.members.get(self.chosen.cluster.id, [])) - len(self.tags) if self.chosen else 0

    def sampled(self, proposal: ProposalAnswer, document: SampleDocument) -> list[str]:
        """Some tags of a document, those that the proposal is about first."""
        own = (proposal["tag"], proposal["other"])
        return sorted(document["tags"], key=lambda tag: tag not in own)[: self.SAMPLED]

    @property
    def next_offset(self) -> int | None:
        """Where the next page of proposals begins."""
        following = self.state.offset + PROPOSALS
        return following if following < self.proposed.total else None


def curate(view: View, state: CurateParams) -> CuratePage:
    """The proposals of a kind, or of all kinds that are shown, and one concept: the largest unless one is chosen."""
    concepts = [
        CuratedConcept(each, anchor(view, each.id))
        for each in sorted(view.clusters.values(), key=lambda each: (-each.size, each.id))
        if view.members.get(each.id)
    ]
    chosen = next((each for each in concepts if each.cluster.id == state.id), concepts[0] if concepts else None)
    return CuratePage(
        view=view,
        state=state,
        proposed=proposals(view, state.known_kind, limit=PROPOSALS, offset=state.offset),
        concepts=concepts,
        chosen=chosen,
        tags=about_cluster(view, chosen.cluster.id).tags[:MOST_TAGS] if chosen else [],
    )


def anchor(view: View, cluster: int) -> str:
    """The commonest tag of a concept that is neither broad nor moved there: those are in a concept by chance."""
    moved = {edit.forms[0] for edit in view.edits.holding if edit.kind == "move"}
    tags = view.members[cluster]
    steady = (tag for tag in tags if not view.broad[tag] and view.snapshot.keys[tag] not in moved)
    return view.snapshot.names[next(steady, tags[0])]
