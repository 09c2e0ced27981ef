"""The page of one concept, and the list of all concepts of a corpus."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

from service.answers import ClusterDetail, Member
from service.pages.concept.chart import Chart, chart
from service.pages.concept.outline import OutlineTag, outline
from service.pages.concept.params import ConceptParams
from service.pages.concept.steps import ConceptStep, concept_steps
from service.pages.explore.explore import ExploreParams
from service.pages.frame.cards import DocumentCard, cards
from service.pages.frame.markup import as_html
from service.pages.points.params import around
from service.pages.search.params import SearchParams
from service.questions.clusters.clusters import about_cluster, cluster_documents
from service.view.view import View
from snapshot import ClusterLineage
from snapshot.version.gain import warning
from tagmodel import Cluster

SIZES: Final = 8
"""The style sheet has classes w1…w8, light to heavy."""

RARE_SHOWN: Final = 100
"""Rare tags on a page."""

MOST_LISTED: Final = 500
MOST_INSIDE: Final = 12
"""Concepts of the broader branch to name."""


@dataclass(frozen=True)
class BroaderBranch:
    """The branch of the tree that this concept and its nearest ones make up."""

    label: str
    size: int
    concepts: list[Cluster]
    """By falling size, this one among them."""

    cut: int
    """The number of groups at which the branch is one of them."""

    @property
    def named(self) -> list[Cluster]:
        """The largest concepts of the branch."""
        return self.concepts[:MOST_INSIDE]


@dataclass(frozen=True)
class ConceptOrigin:
    """How the concept came about; `parents` are ids of the version before, with the concepts that have them now.

    `edited`: editors have decided its name or some of its tags.
    """

    kind: str
    parents: list[tuple[int, Cluster | None]]
    previous: str | None
    edited: bool


@dataclass(frozen=True)
class ConceptPage:
    """The content of the page of one concept."""

    TEMPLATE: ClassVar = "concept.html"
    status: ClassVar = 200

    view: View
    state: ConceptParams
    detail: ClusterDetail
    broader: BroaderBranch | None
    """None if it is the only concept."""

    origin: ConceptOrigin
    history: list[ConceptStep]
    """What the last versions changed in it, newest first."""

    chart: Chart | None
    """Its documents over time; None without dates."""
    outline: list[OutlineTag]
    """Its tags below what they are a kind of; empty if nothing is said of them."""

    def size(self, member: Member) -> int:
        """The size class of a tag."""
        heaviest = self.detail.tags[0].count
        return 1 + min(int((member.count / heaviest) ** 0.5 * SIZES), SIZES - 1)

    def search(self, tag: str) -> str:
        """The address of the cloud around a tag."""
        return SearchParams(self.state.corpus).adding(tag)

    @property
    def moved_here(self) -> int:
        """How many of its tags the run moved here from another branch of the tree."""
        return sum(member.moved_by_refinement for member in self.detail.tags)

    @property
    def rare_count(self) -> int:
        """How many rare tags are placed in it."""
        return len(self.view.tail_members.get(self.detail.id, ()))

    @property
    def rare_tags(self) -> list[tuple[str, int]]:
        """One page of them, by falling count, with the number of documents of each."""
        start = self.state.rare or 0
        tags = self.view.tail_members.get(self.detail.id, [])[start : start + RARE_SHOWN]
        return [(self.view.tag_names[tag], self.view.counts[tag]) for tag in tags]

    def rare_page(self, step: int) -> str | None:
        """The address of the page of rare tags before (−1) or after (1) this one; None if there is none."""
        start = (self.state.rare or 0) + step * RARE_SHOWN
        return self.state.link(rare=start) if 0 <= start < self.rare_count else None

    @cached_property
    def cards(self) -> list[DocumentCard]:
        """The documents that stand for it; its own tags are marked."""
        own = frozenset(member.tag for member in self.detail.tags)
        return cards(self.detail.representatives, self.state.corpus, own, lambda tag: as_html(self.search(tag)))

    def concept(self, number: int) -> str:
        """The address of another concept."""
        return self.state.link(id=number)

    @property
    def place(self) -> str | None:
        """The address of the map around the concept; None in versions older than the map."""
        regions = dict(zip((each.id for each in self.view.snapshot.clusters), self.view.snapshot.regions, strict=False))
        return None if self.detail.id not in regions else around(self.state.corpus, regions[self.detail.id])

    def explore(self, cut: int) -> str:
        """The address of the tree, cut into so many groups."""
        return ExploreParams(self.state.corpus, cut=cut).link()

    @property
    def warning(self) -> str | None:
        """Says that the concepts mean little."""
        return warning(self.view.snapshot.quality)


@dataclass(frozen=True)
class ListedConcept:
    """A concept in the list; how many `documents` belong to it, None if the version did not count them."""

    cluster: Cluster
    documents: int | None


@dataclass(frozen=True)
class ConceptList:
    """All concepts, the largest first; `unknown` is the id that no concept has."""

    TEMPLATE: ClassVar = "concepts.html"

    view: View
    state: ConceptParams
    listed: list[ListedConcept]
    unlisted: int
    unknown: int | None

    @property
    def status(self) -> int:
        """404 if a concept was asked for that is not there."""
        return 404 if self.unknown is not None else 200

    @property
    def warning(self) -> str | None:
        """Says that the concepts mean little."""
        return warning(self.view.snapshot.quality)


def concept(view: View, state: ConceptParams) -> ConceptPage | ConceptList:
    """The page of one concept; the list of all without an id, or if no concept has it."""
    if state.id is None or state.id not in view.clusters:
        return _concept_list(view, state)
    return ConceptPage(
        view=view,
        state=state,
        detail=about_cluster(view, state.id),
        broader=broader_branch(view, state.id),
        origin=_origin(view, state.id),
        history=concept_steps(view, state.id),
        chart=chart(view, state.id),
        outline=outline(view, state.id),
    )


def broader_branch(view: View, number: int) -> BroaderBranch | None:
    """The smallest branch of the tree that holds a concept and at least one other."""
    gaps, place = view.cluster_gaps, view.cluster_place[number]
    beside = gaps[max(place - 1, 0) : place + 1]
    if not beside:
        return None
    merge = min(beside)
    first = last = place
    while first > 0 and gaps[first - 1] <= merge:
        first -= 1
    while last < len(gaps) and gaps[last] <= merge:
        last += 1
    inside = [each for each in view.clusters.values() if first <= view.cluster_place[each.id] <= last]
    tags = sorted((tag for each in inside for tag in view.members.get(each.id, [])), key=view.count_rank.__getitem__)
    return BroaderBranch(
        label=view.label(tags),
        size=len(tags),
        concepts=sorted(inside, key=lambda each: (-each.size, each.id)),
        cut=view.tree.leaves - 1 - merge,
    )


def _origin(view: View, number: int) -> ConceptOrigin:
    lineage = view.snapshot.lineage
    descent = lineage.clusters.get(number, ClusterLineage((), "new"))
    return ConceptOrigin(
        kind=descent.kind,
        parents=[(parent, view.clusters.get(parent)) for parent in descent.parents],
        previous=lineage.previous,
        edited=number in view.lineage["edited"],
    )


def _concept_list(view: View, state: ConceptParams) -> ConceptList:
    by_size = sorted(view.clusters.values(), key=lambda each: (-each.size, each.id))
    documents = cluster_documents(view)
    return ConceptList(
        view=view,
        state=state,
        listed=[ListedConcept(each, documents.get(each.id)) for each in by_size[:MOST_LISTED]],
        unlisted=len(by_size[MOST_LISTED:]),
        unknown=state.id,
    )
