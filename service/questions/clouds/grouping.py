"""Groups the tags of a cloud by the company they keep, and names the groups after their own tags."""

from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from service.questions.clouds.closing import common_places, negligible
from service.questions.clouds.constraints import Constraints
from service.questions.clouds.relevance import alone_specific, broad_behind, group_relevance, tag_relevance
from service.questions.clouds.ward import ward
from tagmodel.company import Cosines
from tagmodel.language.group_names import alike, name, ranked

Grouped = Literal["query", "clusters"]
"""How the tags of a cloud are grouped: around the query, or by the concepts of the version."""

Labels = NDArray[np.intp]
Scores = NDArray[np.float64]


NOWHERE: Final = np.zeros(0, dtype=np.intp)


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
class Candidates:
    """The tags of a cloud, best first.

    Attributes:
        tags: their numbers.
        scores: how well each fits the query.
        keys: their spellings.
        counts: the number of documents of each.
        breadth: with how much of the corpus each is found.
        broad: whether that is almost everything.
        asked: the tags of the query.
    """

    tags: NDArray[np.intp]
    scores: Scores
    keys: list[str]
    counts: Scores
    breadth: Scores
    broad: NDArray[np.bool_]
    asked: NDArray[np.intp] = field(default_factory=lambda: NOWHERE)

    def cosines(self, whole: AnyCompany) -> Cosines:
        """How alike the tags of the query, which come first, and all candidates are."""
        return whole.cosines(np.concatenate([self.asked, self.tags]) if len(self.asked) else self.tags)

    def relevance(self, cosines: Cosines) -> Scores:
        """How much each candidate belongs to this query rather than to every query."""
        return tag_relevance(self.scores, self.counts, cosines[: len(self.asked), len(self.asked) :])


@dataclass(frozen=True, eq=False)
class Grouping:
    """Places of candidates by group, most relevant group first, then one of common tags, then a loose one.

    Attributes:
        groups: the members of each group, best candidates first.
        ranked: the same, those first that represent the group best.
        names: the few of them that name it.
        loose: whether its tags have little in common.
        common: whether its tags are common with everything.
        relevance: how much it belongs to the query, as a share of the most relevant.
    """

    groups: list[list[int]]
    ranked: list[list[int]]
    names: list[list[int]]
    loose: list[bool]
    common: list[bool]
    relevance: list[float]


NO_GROUPS: Final = Grouping([], [], [], [], [], [])


def group(whole: AnyCompany, candidates: Candidates, most: int, *, constraints: Constraints | None = None) -> Grouping:
    """At most so many groups of the candidates of a cloud, with their names. `constraints` are what editors decided.

    Common tags are set apart, groups that are one thing or matter little give their tags away: there may be fewer. The
    tags of the query take part, so that what is nearest to it stays together.
    """
    n, asked = len(candidates.tags), len(candidates.asked)
    parts = min(most, n // SMALLEST)
    if parts < 2:
        return arrange(whole, candidates, np.zeros(n, dtype=np.intp), constraints=constraints)
    cosines = candidates.cosines(whole)
    relevance = candidates.relevance(cosines)
    labels = np.full(n, -1, dtype=np.intp)
    apart = common_places(candidates.breadth, relevance) if parts > SMALLEST else NOWHERE
    rest = np.delete(np.arange(n), apart) if len(apart) else np.arange(n)
    places = np.concatenate([np.arange(asked), asked + rest]) if len(apart) else slice(None)
    parts = min(parts - bool(len(apart)), len(rest) // SMALLEST)
    found = _parts(cosines[places][:, places], asked, [candidates.keys[place] for place in rest.tolist()], parts)
    cosines = cosines[asked:, asked:]
    inner = cosines if len(rest) == n else cosines[np.ix_(rest, rest)]
    loose = -1
    if found.max() > 0:
        loose = loosest_group(inner, found)
        if loose >= 0:
            found = shrink(inner, found, loose)
        found, loose = fold(candidates.scores[rest], relevance[rest], found, loose)
    labels[rest] = found
    labels[apart] = common = int(found.max()) + 1
    return finish(
        cosines,
        candidates,
        labels,
        relevance,
        loose=loose,
        common=common if len(apart) else -1,
        constraints=constraints,
    )


def arrange(
    whole: AnyCompany, candidates: Candidates, labels: Labels, *, constraints: Constraints | None = None
) -> Grouping:
    """Groups that are given: labels[i], 0…k−1, is the group of candidate i. None of them is loose or common."""
    if not len(candidates.tags):
        return NO_GROUPS
    cosines, asked = candidates.cosines(whole), len(candidates.asked)
    return finish(cosines[asked:, asked:], candidates, labels, candidates.relevance(cosines), constraints=constraints)


def _parts(cosines: Cosines, asked: int, keys: list[str], parts: int) -> Labels:
    """The groups of the candidates, which come after the tags of the query; about as many as there shall be parts."""
    merges, inner = ward(cosines), cosines[asked:, asked:]
    found = without_asked(inner, settled_cut(cosines, merges, parts), asked)
    labels = join_one_thing(inner, found, keys)
    lost = int(found.max() - labels.max())
    if lost and parts + lost <= len(keys) // SMALLEST:
        finer = without_asked(inner, settled_cut(cosines, merges, parts + lost), asked)
        labels = join_one_thing(inner, finer, keys)
    return labels


def settled_cut(cosines: Cosines, merges: list[tuple[int, int]], parts: int) -> Labels:
    """So many parts, or fewer: none is a single tag."""
    labels = cut(merges, parts)
    return settle_tags(cosines, labels) if labels.max() > 0 else np.zeros_like(labels)


def without_asked(cosines: Cosines, labels: Labels, asked: int) -> Labels:
    """The groups without the tags of the query. Who would be alone then joins the nearest group."""
    if not asked:
        return labels
    found = labels[asked:]
    sizes = np.bincount(found, minlength=int(labels.max()) + 1)
    if (sizes >= SMALLEST).all():
        return found
    if not (sizes >= SMALLEST).any():
        return np.zeros_like(found)
    number = np.where(sizes >= SMALLEST, np.cumsum(sizes >= SMALLEST) - 1, -1)
    found = number[found]
    return settle_tags(cosines, found) if (found < 0).any() and found.max() > 0 else np.maximum(found, 0)


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


def join_one_thing(cosines: Cosines, labels: Labels, keys: list[str]) -> Labels:
    """Two spellings of one thing are no group: they join the group that they fit best."""
    pairs = np.flatnonzero(np.bincount(labels) == SMALLEST).tolist()
    joined = labels
    for one, other in (np.flatnonzero(labels == pair).tolist() for pair in pairs):
        if (
            alike(keys[one], keys[other])
            and (joined != joined[one]).any()
            and (joined == joined[one]).sum() == SMALLEST
        ):
            sizes = np.bincount(joined)
            towards = np.bincount(joined, cosines[one] + cosines[other]) / np.maximum(sizes, 1)
            towards[(sizes == 0) | (np.arange(len(sizes)) == joined[one])] = -np.inf
            joined = joined.copy()
            joined[[one, other]] = int(towards.argmax())
    return labels if joined is labels else _numbered(joined)


def fold(scores: Scores, relevance: Scores, labels: Labels, loose: int) -> tuple[Labels, int]:
    """Groups that matter little give their tags to the loose one, or make one; a single such group stays as it is."""
    folded = negligible(np.bincount(labels, scores).astype(np.float64), group_relevance(relevance, labels))
    if len(folded) + (loose >= 0) < SMALLEST:
        return labels, loose
    into = folded[0] if loose < 0 else loose
    moved = np.where(np.isin(labels, folded), into, labels)
    numbered = _numbered(moved)
    return numbered, int(numbered[np.flatnonzero(moved == into)[0]])


def finish(
    cosines: Cosines,
    candidates: Candidates,
    labels: Labels,
    relevance: Scores,
    *,
    loose: int = -1,
    common: int = -1,
    constraints: Constraints | None = None,
) -> Grouping:
    """Groups in the order in which they are shown, with their names. `relevance` is that of each candidate."""
    constrained = labels if constraints is None else constraints.apply(cosines, labels)
    if constrained is not labels:
        number = {group: place for place, group in enumerate(sorted(set(constrained.tolist())))}
        labels = np.array([number[group] for group in constrained.tolist()], dtype=np.intp)
        loose, common = number.get(loose, -1), number.get(common, -1)
    if loose >= 0 and alone_specific(labels, candidates.broad, loose):
        loose = -1
    fit = mean_cosines(cosines, labels)
    belongs = broad_behind(group_relevance(relevance, labels), labels, candidates.broad).tolist()
    shown = sorted(range(len(belongs)), key=lambda each: ((each == common) + 2 * (each == loose), -belongs[each]))
    most = belongs[shown[0]] or 1.0
    places: list[list[int]] = [[] for _ in shown]
    best: list[list[int]] = [[] for _ in shown]
    label_of = labels.tolist()
    for place, label in enumerate(label_of):
        places[label].append(place)
    for place in ranked(candidates.scores, fit):
        best[label_of[place]].append(place)
    return Grouping(
        [places[each] for each in shown],
        [best[each] for each in shown],
        [name(best[each], candidates.keys) for each in shown],
        [each == loose for each in shown],
        [each == common for each in shown],
        [min(belongs[each] / most, 1.0) for each in shown],
    )


def mean_cosines(cosines: Cosines, labels: Labels) -> NDArray[np.float64]:
    """The mean cosine of each tag with the others of its group; 0 if there is none."""
    member = _membership(labels)
    others = member.sum(axis=0)[labels] - 1.0
    fit: NDArray[np.float64] = ((cosines @ member)[np.arange(len(labels)), labels] - 1.0) / np.maximum(others, 1.0)
    return fit


def loosest_group(cosines: Cosines, labels: Labels) -> int:
    """The group with the lowest mean cosine of its pairs, if that is hardly above the mean of all pairs; or else −1."""
    n = len(cosines)
    cohesion = np.bincount(labels, mean_cosines(cosines, labels)) / np.bincount(labels)
    weakest = int(cohesion.argmin())
    return weakest if cohesion[weakest] - (cosines.sum() - n) / (n * (n - 1)) < LOOSE else -1


def _numbered(labels: Labels) -> Labels:
    """The same groups with numbers from 0 on, none left out."""
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.intp)


def _membership(labels: Labels) -> NDArray[np.float64]:
    """1 where a tag belongs to a group."""
    return np.asarray(labels[:, None] == np.arange(int(labels.max()) + 1), dtype=np.float64)
