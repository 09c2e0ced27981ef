"""The explore page: the coordinates of the dendrogram and the chart, which templates/explore.html draws."""

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import orjson

from service.answers import ClusterAnswer
from service.pages.concept.params import ConceptParams
from service.pages.explore.branches import Branch, DrawnTree, drawn_tree, opened_down_to
from service.pages.explore.cuts import Cut, cuts, nearest
from service.pages.frame.params import State, indices, integer, text
from service.questions.clusters.clusters import clusters
from service.view.view import View
from snapshot import normalise
from snapshot.version.gain import warning
from tagmodel import Cluster, Dendrogram

MOST_LISTED: Final = 24
MOST_FOLDED: Final = 176
"""The number of further groups in a list that readers may unfold."""

LISTED_TAGS: Final = 12
LISTED_CONCEPTS: Final = 4

WIDTH: Final = 900
TREE: Final = (34, 560)
"""From x to x: the root at the left, single tags at the right."""

TOP: Final = 54
ROW: Final = 20
CHART: Final = (300, 170)
CHART_EDGE: Final = (8, 10, 10, 22)
"""Left, top, right, bottom."""


@dataclass(frozen=True)
class ExploreParams(State):
    """How much of the tree is drawn, where it is cut, and a tag to find in it; `cut` 0 is the snapshot's own."""

    PATH: ClassVar[str] = "/explore"

    leaves: int = integer("leaves", 40, 2, 60)
    cut: int = integer("cut", 0, 0, 10_000_000)
    opened: tuple[int, ...] = indices("open", 30)
    find: str = text("find", 200)

    def opening(self, node: int) -> str:
        """The address with one branch more opened."""
        return self.link(opened=(*self.opened, node))

    def closing(self, node: int) -> str:
        """The address with one branch closed again."""
        return self.link(opened=tuple(other for other in self.opened if other != node))


@dataclass(frozen=True)
class DrawnLeaf:
    """A leaf with its coordinates."""

    branch: Branch
    x: float
    y: float
    spread: float
    """Half the height of its wedge, which grows with the number of tags."""

    found: bool
    """Whether it holds the tag that was looked for."""


@dataclass(frozen=True)
class Line:
    """A merge as a path, with the point where its branches meet; `group` is −1 if the cut separates them."""

    node: int
    merge: int
    first: int
    group: int
    opened: bool
    x: float
    y: float
    path: str


@dataclass(frozen=True)
class Tick:
    """A mark on an axis."""

    at: float
    label: str


@dataclass(frozen=True)
class Chart:
    """The criterion against the number of groups, on a logarithmic scale."""

    criterion: str
    entropy: str
    information: str
    ticks: list[Tick]
    chosen: tuple[float, float]
    cut: tuple[float, float]


@dataclass(frozen=True)
class ListedGroup:
    """A group of the list, and the concepts of its tags, those with the most first."""

    label: str
    size: int
    tags: list[str]
    concepts: list[Cluster]

    @property
    def is_concept(self) -> bool:
        """Whether the group is one of the snapshot's own concepts."""
        return len(self.concepts) == 1 and self.concepts[0].size == self.size


@dataclass(frozen=True)
class ExplorePage:
    """The content of the page."""

    view: View
    state: ExploreParams
    height: int
    leaves: list[DrawnLeaf]
    lines: list[Line]
    ticks: list[Tick]
    cut: Cut
    cut_x: float
    chosen: Cut
    chart: Chart
    offered: str
    """For scripts, as JSON: [k, x of the line, share lost, x and y in the chart, criterion] of every cut on offer."""

    listed: list[ListedGroup]
    folded: list[ListedGroup]
    unlisted: int
    found: str | None
    """The tag that was looked for and found."""

    @property
    def bottom(self) -> int:
        """Where the drawing ends and its lower margin begins."""
        return self.height - 14

    @property
    def warning(self) -> str | None:
        """Says that the concepts mean little."""
        return warning(self.view.snapshot.quality)

    def concept(self, number: int) -> str:
        """The address of the page of a concept."""
        return ConceptParams(self.state.corpus, number).link()


def explore(view: View, state: ExploreParams) -> ExplorePage:
    """The tree, the cut line, the chart of the criterion, and the groups at the cut."""
    offered = cuts(view)
    chosen = nearest(offered, len(view.snapshot.clusters))
    cut = nearest(offered, state.cut) if state.cut else chosen
    sought = view.names.find(state.find) if state.find else None
    if sought is not None and view.is_tail(sought[0]):
        sought = None  # it is in no tree
    if sought is not None:
        state = replace(state, opened=opened_down_to(view, state.leaves, state.opened, sought[0]))
    tree = drawn_tree(view, min(state.leaves, view.tree.leaves), state.opened, cut.k)
    top = tree.top
    leaves, lines = _place_leaves(tree, view.tree, cut.k, None if sought is None else sought[0])
    groups = sorted(clusters(view, cut.k, limit=None, offset=0).clusters, key=lambda group: (-group.size, group.id))
    return ExplorePage(
        view=view,
        state=state,
        height=TOP + ROW * len(leaves) + 30,
        leaves=leaves,
        lines=lines,
        ticks=[Tick(_x(bits, top), f"{bits:g}") for bits in _steps(top)],
        cut=cut,
        cut_x=_x(cut.height, top),
        chosen=chosen,
        chart=_chart(offered, chosen, cut),
        offered=orjson.dumps(
            [
                [
                    option.k,
                    _x(option.height, top),
                    round(option.lost, 4),
                    *_chart_point(offered, option),
                    round(option.criterion, 4),
                ]
                for option in offered
            ]
        ).decode(),
        listed=[_listed(view, group) for group in groups[:MOST_LISTED]],
        folded=[_listed(view, group) for group in groups[MOST_LISTED : MOST_LISTED + MOST_FOLDED]],
        unlisted=len(groups[MOST_LISTED + MOST_FOLDED :]),
        found=None if sought is None else view.tag_names[sought[0]],
    )


def _listed(view: View, group: ClusterAnswer) -> ListedGroup:
    counts = Counter(view.cluster_of[view.index[normalise(tag)]] for tag in group.tags)
    concepts = [view.clusters[number] for number, _ in counts.most_common()]
    return ListedGroup(group.label, group.size, group.tags, concepts)


def _place_leaves(
    tree: DrawnTree, whole: Dendrogram, cut: int, sought: int | None
) -> tuple[list[DrawnLeaf], list[Line]]:
    """Leaves and lines of a part of the whole tree; lines above a cut into `cut` belong to no group."""
    top, n = tree.top, whole.leaves
    at_place = -1 if sought is None else int(whole.place[sought])
    largest = max(branch.size for branch in tree.leaves)
    leaves = [
        DrawnLeaf(
            branch,
            _x(branch.height, top),
            TOP + ROW * (row + 0.5),
            2 + 6 * math.log1p(branch.size) / math.log1p(largest) if branch.size > 1 else 0.0,
            found=at_place in range(*whole.span(branch.node)),
        )
        for row, branch in enumerate(tree.leaves)
    ]
    at = [(leaf.x, leaf.y) for leaf in leaves]
    lines: list[Line] = []
    first = list(range(len(leaves)))
    for node, merge in zip(tree.branches.merged, tree.branches.merges, strict=True):
        (ax, ay), (bx, by), x = at[merge.a], at[merge.b], _x(merge.height, top)
        at.append((x, (ay + by) / 2))
        first.append(min(first[merge.a], first[merge.b]))
        group = tree.leaves[first[-1]].group if node - n < n - cut else -1
        path = f"M{ax} {ay:g}H{x}V{by:g}H{bx}"
        lines.append(Line(node, node - n, first[-1], group, node in tree.opened, x, (ay + by) / 2, path))
    return leaves, lines


def _x(height: float, top: float) -> float:
    left, right = TREE
    return round(right - (right - left) * height / (top * 1.03), 1)


def _steps(top: float) -> list[float]:
    """Round numbers for the axis, five or so."""
    raw = top / 5
    unit = 10.0 ** math.floor(math.log10(raw))
    step = min((factor * unit for factor in (1, 2, 5, 10)), key=lambda size: abs(size - raw))
    return [round(step * number, 10) for number in range(int(top / step) + 1)]


def _chart(offered: list[Cut], chosen: Cut, cut: Cut) -> Chart:
    most = offered[-1].k
    marks = [k for k in (1, 10, 100, 1000, 10_000, 100_000) if k <= most]

    def path(values: list[float]) -> str:
        points = [(_chart_x(offered, option.k), _chart_y(value)) for option, value in zip(offered, values, strict=True)]
        return "M" + "L".join(f"{x} {y}" for x, y in points)

    return Chart(
        criterion=path([option.criterion for option in offered]),
        entropy=path([option.entropy for option in offered]),
        information=path([option.information for option in offered]),
        ticks=[Tick(_chart_x(offered, k), f"{k:,}") for k in marks],
        chosen=_chart_point(offered, chosen),
        cut=_chart_point(offered, cut),
    )


def _chart_point(offered: list[Cut], cut: Cut) -> tuple[float, float]:
    return _chart_x(offered, cut.k), _chart_y(cut.criterion)


def _chart_x(offered: list[Cut], k: int) -> float:
    left, _, right, _ = CHART_EDGE
    share = math.log(k) / (math.log(offered[-1].k) or 1.0)
    return round(left + (CHART[0] - left - right) * share, 1)


def _chart_y(share: float) -> float:
    _, top, _, bottom = CHART_EDGE
    return round(top + (CHART[1] - top - bottom) * (1.0 - share), 1)
