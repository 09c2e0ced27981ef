"""Groups the tags of a cloud by the company they keep, and names the groups after their own tags."""

from dataclasses import dataclass
from typing import Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from service.questions.clouds.constraints import Constraints
from service.questions.clouds.ward import ward
from tagmodel.company import Cosines
from tagmodel.group_names import name, ranked

Grouped = Literal["query", "clusters"]
"""How the tags of a cloud are grouped: around the query, or by the concepts of the version."""

Labels = NDArray[np.intp]
Scores = NDArray[np.float64]


class AnyCompany(Protocol):
    """Tells how alike tags are."""

    def cosines(self, tags: NDArray[np.intp]) -> Cosines:
        """The cosine of each pair of tags."""
        ...


SMALLEST: Final = 2
"""A single tag is no group."""

LOOSE: Final = 0.05
"""The group with the lowest mean cosine of its pairs is loose if that is less than this above the mean of all pairs."""

LOOSE_ONE_IN: Final = 7
"""A loose group keeps at most one tag in so many, but two: the others join the groups that they fit best."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """Places of candidates by group, heaviest group first and a loose one last.

    Attributes:
        groups: the members of each group, best candidates first.
        ranked: the same, those first that represent the group best.
        names: the few of them that name it.
        loose: whether its tags have little in common.
    """

    groups: list[list[int]]
    ranked: list[list[int]]
    names: list[list[int]]
    loose: list[bool]


def group(
    whole: AnyCompany,
    tags: NDArray[np.intp],
    scores: Scores,
    keys: list[str],
    most: int,
    *,
    shrinks: bool = True,
    constraints: Constraints | None = None,
) -> Grouping:
    """At most so many groups of the candidates of a cloud, best candidates first, with their names.

    `shrinks`: a loose group keeps no more than its share. `constraints` are what editors decided.
    """
    parts = min(most, len(tags) // SMALLEST)
    if parts < 2:
        return arrange(whole, tags, scores, keys, np.zeros(len(tags), dtype=np.intp), constraints=constraints)
    cosines = whole.cosines(tags)
    labels = cut(ward(cosines), parts)
    if labels.max() < 1:
        return finish(cosines, np.zeros_like(labels), scores, keys, may_be_loose=False, constraints=constraints)
    labels = settle_tags(cosines, labels)
    return finish(cosines, labels, scores, keys, may_be_loose=True, shrinks=shrinks, constraints=constraints)


def arrange(
    whole: AnyCompany,
    tags: NDArray[np.intp],
    scores: Scores,
    keys: list[str],
    labels: Labels,
    *,
    constraints: Constraints | None = None,
) -> Grouping:
    """Groups that are given: labels[i], 0…k−1, is the group of candidate i. None of them is loose."""
    if not len(tags):
        return Grouping([], [], [], [])
    return finish(whole.cosines(tags), labels, scores, keys, may_be_loose=False, constraints=constraints)


def cut(merges: list[tuple[int, int]], parts: int) -> Labels:
    """The part of each tag after all but the last merges; a tag that is a part by itself has −1."""
    n = len(merges) + 1
    done = n - parts
    root = list(range(n + done))
    for number in range(done - 1, -1, -1):
        one, other = merges[number]
        root[one] = root[other] = root[n + number]
    number_of: dict[int, int] = {}
    return np.array([-1 if top < n else number_of.setdefault(top, len(number_of)) for top in root[:n]], dtype=np.intp)


def settle_tags(cosines: Cosines, labels: Labels) -> Labels:
    """Single tags join the nearest group, and tags that are nearer to another group than to their own move there.

    Nearer by what the move changes in the sum of squared distances to the centres. No group falls below two.
    """
    member = _membership(labels)
    sizes = member.sum(axis=0)
    towards = cosines @ member / sizes
    inner = (member * towards).sum(axis=0) / sizes
    costs = (1.0 - 2.0 * towards + inner) * (sizes / (sizes + 1.0))
    costs *= 1.0 + member * (2.0 / (sizes - 1.0))  # leaving: s/(s − 1) instead of s/(s + 1)
    nearest = costs.argmin(axis=1)
    staying = np.bincount(labels[nearest == labels], minlength=len(sizes))
    stuck = (labels >= 0) & (staying[labels] < SMALLEST)
    return np.where(stuck, labels, nearest)


def shrink(cosines: Cosines, labels: Labels, loose: int) -> Labels:
    """Leave a loose group no more than its share: the tags most like those of another group move there.

    By their mean cosine, since the sum of squared distances would gather them all in the second loosest group.
    """
    places = np.flatnonzero(labels == loose)
    surplus = len(places) - max(len(labels) // LOOSE_ONE_IN, SMALLEST)
    if surplus <= 0:
        return labels
    member = _membership(labels)
    towards = cosines[places] @ member / member.sum(axis=0)
    towards[:, loose] = -np.inf
    movers = np.argsort(-towards.max(axis=1), kind="stable")[:surplus]
    moved = labels.copy()
    moved[places[movers]] = towards[movers].argmax(axis=1)
    return moved


def finish(
    cosines: Cosines,
    labels: Labels,
    scores: Scores,
    keys: list[str],
    *,
    may_be_loose: bool,
    shrinks: bool = True,
    constraints: Constraints | None = None,
) -> Grouping:
    """Groups in the order in which they are shown, with their names."""
    fit = _fit(cosines, labels)
    loose = _loosest(cosines, np.bincount(labels, fit) / np.bincount(labels)) if may_be_loose else -1
    if loose >= 0 and shrinks:
        shrunk = shrink(cosines, labels, loose)
        if shrunk is not labels:
            labels, fit = shrunk, _fit(cosines, shrunk)
    constrained = labels if constraints is None else constraints.apply(cosines, labels)
    if constrained is not labels:
        number = {group: place for place, group in enumerate(sorted(set(constrained.tolist())))}
        labels = np.array([number[group] for group in constrained.tolist()], dtype=np.intp)
        fit, loose = _fit(cosines, labels), number.get(loose, -1)
    weights = np.bincount(labels, scores).tolist()
    shown = sorted(range(len(weights)), key=lambda each: (each == loose, -weights[each]))
    places: list[list[int]] = [[] for _ in shown]
    best: list[list[int]] = [[] for _ in shown]
    label_of = labels.tolist()
    for place, label in enumerate(label_of):
        places[label].append(place)
    for place in ranked(scores, fit):
        best[label_of[place]].append(place)
    return Grouping(
        [places[each] for each in shown],
        [best[each] for each in shown],
        [name(best[each], keys) for each in shown],
        [each == loose for each in shown],
    )


def _fit(cosines: Cosines, labels: Labels) -> NDArray[np.float64]:
    """The mean cosine of each tag with the others of its group; 0 if there is none."""
    member = _membership(labels)
    others = member.sum(axis=0)[labels] - 1.0
    fit: NDArray[np.float64] = ((cosines @ member)[np.arange(len(labels)), labels] - 1.0) / np.maximum(others, 1.0)
    return fit


def _loosest(cosines: Cosines, cohesion: NDArray[np.float64]) -> int:
    """The group with the lowest cohesion, if that is hardly above the mean of all pairs; or else −1."""
    n = len(cosines)
    weakest = int(cohesion.argmin())
    return weakest if cohesion[weakest] - (cosines.sum() - n) / (n * (n - 1)) < LOOSE else -1


def _membership(labels: Labels) -> NDArray[np.float64]:
    """1 where a tag belongs to a group."""
    return np.asarray(labels[:, None] == np.arange(int(labels.max()) + 1), dtype=np.float64)
