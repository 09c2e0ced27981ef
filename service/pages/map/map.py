"""The page of all concepts as areas, side by side as the tree joins them, large by their documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final
from unicodedata import east_asian_width

from service.pages.concept.params import ConceptParams
from service.pages.frame.params import State, index
from service.pages.map.layout import Branch, Rectangle, branches, placed
from service.pages.search.params import SearchParams
from service.questions.clusters.clusters import cluster_documents
from service.view.view import View
from snapshot.version.gain import warning
from tagmodel import Cluster

WIDTH: Final = 1000
HEIGHT: Final = 640
REGIONS: Final = 9
HEADING: Final = 22.0
GAP: Final = 3.0

SMALLEST_TEXT: Final = 10.0
LARGEST_TEXT: Final = 20.0
LETTER: Final = 0.62
LETTERS: Final = dict.fromkeys("mwMW@%—", 0.98) | dict.fromkeys("iljtfrI.,'!|()[]", 0.42) | {"…": 1.0}
"""The width of letters, as a share of their size: those that differ from most."""

LINE: Final = 1.2
LEAST_SHARE: Final = 0.003
"""So that a concept without documents still has a place wide enough to be pointed at."""

MOST_TAGS: Final = 6
MORE: Final = "…"
"""Stands where no word fits; the name shows when the area is pointed at or has the focus, and in the list."""


@dataclass(frozen=True)
class MapParams(State):
    """Which branch of the tree the map shows, by the number of its last merge; the whole tree without one."""

    PATH: ClassVar[str] = "/concepts"

    branch: int | None = index("branch")


@dataclass(frozen=True)
class Area:
    """A concept on the map, and the lines of its name that fit."""

    concept: Cluster
    share: float | None
    at: Rectangle
    lines: list[str]
    letters: float
    tags: list[str]

    @property
    def name_at(self) -> float:
        """Where its whole name is written while it is pointed at: from its left edge, or to its right one."""
        return self.at.x + 2 if self.at.x < WIDTH / 2 else self.at.x + self.at.width - 2

    def line_at(self, number: int) -> float:
        """The baseline of a line of its name."""
        return self.at.y + self.letters * (0.35 + LINE * (number + 0.75))


@dataclass(frozen=True)
class Region:
    """A branch of the tree on the map, with its concepts, and its last merge, unless it is one concept."""

    label: str
    at: Rectangle
    heading: str
    areas: list[Area]
    merge: int | None


@dataclass(frozen=True)
class MapPage:
    """The content of the page."""

    TEMPLATE: ClassVar = "map.html"
    WIDTH: ClassVar = WIDTH
    HEIGHT: ClassVar = HEIGHT

    view: View
    state: MapParams
    label: str | None
    """The name of the branch shown; None for the whole tree."""

    regions: list[Region]
    unknown: bool
    """Whether a branch was asked for that is not there."""

    outward: str | None
    """The address of the next larger branch."""

    @property
    def status(self) -> int:
        """404 if a branch was asked for that is not there."""
        return 404 if self.unknown else 200

    @property
    def concepts(self) -> int:
        """How many are shown."""
        return sum(len(region.areas) for region in self.regions)

    @property
    def warning(self) -> str | None:
        """Says that the concepts mean little."""
        return warning(self.view.snapshot.quality)

    def concept(self, number: int) -> str:
        """The address of a concept."""
        return ConceptParams(self.state.corpus, number).link()

    def zoom(self, region: Region) -> str | None:
        """The address of the map of a region, unless it is one concept."""
        return None if region.merge is None else self.state.link(branch=region.merge)

    def search(self, tag: str) -> str:
        """The address of the cloud around a tag."""
        return SearchParams(self.state.corpus).adding(tag)


def concept_map(view: View, state: MapParams) -> MapPage:
    """The map of a branch, or of the whole tree without one, or if there is none of this number."""
    whole = (0, len(view.cluster_place))
    found = whole if state.branch is None else _branch_of(view.cluster_gaps, state.branch)
    shown = found or whole
    unknown = found is None
    label = None if shown == whole else view.label(_tags(view, _concepts(view), shown))
    return MapPage(view, state, label, _regions(view, shown), unknown, _outward(view, state, shown))


def _branch_of(gaps: Sequence[int], merge: int) -> Branch | None:
    """The branch whose last merge this is."""
    if merge not in gaps:
        return None
    place = gaps.index(merge)
    first, end = place, place + 2
    while first > 0 and gaps[first - 1] < merge:
        first -= 1
    while end <= len(gaps) and gaps[end - 1] < merge:
        end += 1
    return first, end


def _outward(view: View, state: MapParams, shown: Branch) -> str | None:
    """The merge that joins the branch with its neighbour; the whole tree has no number in its address."""
    gaps = view.cluster_gaps
    beside = [gaps[place] for place in (shown[0] - 1, shown[1] - 1) if 0 <= place < len(gaps)]
    if not beside:
        return None
    merge = min(beside)
    return state.link(branch=None if merge == max(gaps) else merge)


def _concepts(view: View) -> list[Cluster]:
    """In the order of the tree."""
    return [view.clusters[number] for number in sorted(view.clusters, key=view.cluster_place.__getitem__)]


def _tags(view: View, concepts: list[Cluster], branch: Branch) -> list[int]:
    tags = (tag for each in concepts[slice(*branch)] for tag in view.members.get(each.id, []))
    return sorted(tags, key=view.count_rank.__getitem__)


def _regions(view: View, shown: Branch) -> list[Region]:
    gaps, concepts = view.cluster_gaps, _concepts(view)
    documents, total = cluster_documents(view), view.document_count
    shares = [documents[each.id] / total if each.id in documents else None for each in concepts]
    weights = [
        max(each.size / len(view.snapshot.names) if share is None else share, LEAST_SHARE)
        for each, share in zip(concepts, shares, strict=True)
    ]
    parts = branches(gaps, shown, REGIONS)
    regions = []
    for part, at in zip(parts, placed(gaps, weights, parts, Rectangle(0, 0, WIDTH, HEIGHT)), strict=True):
        inside = at.inset(GAP, GAP + HEADING, GAP, GAP)
        single = [(place, place + 1) for place in range(*part)]
        areas = [
            _area(view, concepts[place], shares[place], area.inset(1, 1, 1, 1))
            for (place, _), area in zip(single, placed(gaps, weights, single, inside), strict=True)
        ]
        label = view.label(_tags(view, concepts, part))
        merge = max(gaps[part[0] : part[1] - 1], default=None)
        regions.append(Region(label, at, _cut(label, at.width - 4 * GAP, 13.0), areas, merge))
    return regions


def _area(view: View, concept: Cluster, share: float | None, at: Rectangle) -> Area:
    tags = [view.snapshot.names[tag] for tag in view.members.get(concept.id, [])[:MOST_TAGS]]
    words = concept.name.split(", ")
    widest = max(map(_width, words))
    letters = min(at.width / (widest + 1), at.height / (LINE * len(words) + 0.7), LARGEST_TEXT)
    letters = max(letters, SMALLEST_TEXT)
    fitting = int((at.height / letters - 0.7) / LINE)
    lines = [word for word in words[: max(fitting, 0)] if _width(word) <= at.width / letters - 1]
    return Area(concept, share, at, lines or [MORE], letters if lines else _fitting_mark(at), tags)


def _fitting_mark(at: Rectangle) -> float:
    """The size of the mark of a concept that is too small for a word."""
    return max(min(at.width / 2, at.height / 2, SMALLEST_TEXT), 1.0)


def _width(text: str) -> float:
    """The width of a text, in the size of its letters. Letters of East Asia are as wide as they are high."""
    return sum(LETTERS.get(each, 1.0 if east_asian_width(each) in "WF" else LETTER) for each in text)


def _cut(text: str, width: float, letters: float) -> str:
    """As many of the words of a name as fit; a mark if none does, and nothing if not even the mark fits."""
    words = text.split(", ")
    while words and _width(", ".join(words)) > width / letters:
        words.pop()
    return ", ".join(words) or (MORE if _width(MORE) <= width / letters else "")
