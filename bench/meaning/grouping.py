"""Groups the tags of a cloud by the company they keep, and names the groups after their own tags.

A prototype in the shape that the service can take over: pure functions of arrays; numpy, rapidfuzz and the compiled
part of fastcluster, nothing else.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from _fastcluster import linkage_wrap
from numpy.typing import NDArray
from rapidfuzz.fuzz import ratio

from tagmodel import RelatedTags

Floats = NDArray[np.float32]
Labels = NDArray[np.intp]

OWN_SHARE: Final = 0.05
"""What a tag counts for in its own company, beside 1 for all others: a little, so that tags that replace each other
(two spellings, two kinds of flour) can be alike without ever meeting."""

NEIGHBOURS: Final = 128
"""So many of them: the rest changes groups little and costs time."""

CENTRED: Final = 0.5
"""How much of the mean of all candidates is subtracted: more gives more even groups, less a higher AUC."""

BONUS: Final = 0.1
"""What two tags of one concept are more alike, in cosine."""

BROAD_BONUS: Final = 0.03
"""The same if one of them is broad: broad tags are of a concept by chance."""

SMALLEST: Final = 2
"""A single tag is no group."""

LOOSE: Final = 0.05
"""The group with the lowest mean cosine of its pairs is loose if that is less than this above the mean of all pairs."""

LABEL_TAGS: Final = 3
ALIKE: Final = 80.0
WARD: Final = 4
"""Ward's linkage in fastcluster 1.3."""


@dataclass(frozen=True, eq=False)
class Company:
    """The nearest tags of every tag, and √ of their shares in its company; one row a tag, of one length.

    A tag with fewer neighbours repeats itself. Products of rows are Bhattacharyya coefficients.

    Attributes:
        columns: the neighbours of each tag, itself first.
        roots: √ of their shares.
        concepts: the cluster of each tag.
        broad: whether a tag is broad.
    """

    columns: NDArray[np.int32]
    roots: Floats
    concepts: NDArray[np.int32]
    broad: NDArray[np.bool_]


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


def company(
    related: RelatedTags,
    concepts: NDArray[np.int32],
    broad: NDArray[np.bool_],
    own_share: float = OWN_SHARE,
    neighbours: int = NEIGHBOURS,
) -> Company:
    """The company of every tag, once a snapshot: its one-tag weights above 0, as shares of their sum.

    `concepts` is the cluster of each tag.
    """
    m = len(related.prior)
    row = np.repeat(np.arange(m), np.diff(related.starts))
    weights = np.where(row != related.indices, np.maximum(related.alone, 0.0), 0.0).astype(np.float64)
    shares = weights / np.maximum(np.bincount(row, weights, minlength=m), 1e-12)[row]
    order = np.lexsort((-shares, row))
    place = np.arange(len(row)) - np.repeat(related.starts[:-1], np.diff(related.starts))
    listed = (place < neighbours) & (shares[order] > 0)
    best, position = order[listed], place[listed] + 1
    length = min(neighbours, m) + 1
    columns = np.repeat(np.arange(m, dtype=np.int32)[:, None], length, axis=1)
    values = np.full((m, length), own_share)
    columns[row[best], position] = related.indices[best]
    values[row[best], position] = shares[best]
    own = columns == np.arange(m)[:, None]
    total = np.where(own, 0.0, values).sum(axis=1, keepdims=True) + own_share
    return Company(columns, np.sqrt(values / total).astype(np.float32), concepts, broad)


def rows_of(whole: Company, tags: NDArray[np.intp]) -> Floats:
    """The company of some tags as a matrix: tags × the tags in the company of at least two of them."""
    columns = whole.columns[tags]
    shared = np.bincount(columns.ravel(), minlength=len(whole.columns)) > 1
    number = np.cumsum(shared)
    width = int(number[-1]) + 1
    number *= shared  # all others go to column 0, which is emptied
    rows = np.zeros((len(tags), width), dtype=np.float32)
    rows.ravel()[number[columns] + np.arange(0, rows.size, width)[:, None]] = whole.roots[tags]
    rows[:, 0] = 0.0
    return rows


def likeness(rows: Floats) -> NDArray[np.float64]:
    """Cosines of the rows after half of their mean is subtracted.

    What all candidates share says little about groups. But without it, common tags of no group lose their company.
    """
    products = (rows @ rows.T).astype(np.float64)
    np.fill_diagonal(products, 1.0)
    means = CENTRED * products.mean(axis=0)
    products -= means
    products -= (means - CENTRED * means.mean())[:, None]
    lengths = np.sqrt(np.maximum(products.diagonal(), 1e-12))
    products /= lengths
    products /= lengths[:, None]
    return products


def join_concepts(
    cosines: NDArray[np.float64], concepts: NDArray[np.int32], broad: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The cosines with a little more for tags of one concept, so that groups outlast new documents as concepts do."""
    bonus = np.where(broad[:, None] | broad, BROAD_BONUS, BONUS)
    bonus *= concepts[:, None] == concepts
    np.fill_diagonal(bonus, BONUS)
    bonus += cosines
    bonus /= 1.0 + BONUS
    return bonus


def ward(cosines: NDArray[np.float64]) -> list[tuple[int, int]]:
    """The merges of Ward's linkage, cheapest first; the i-th merge makes node n + i."""
    n = len(cosines)
    distances = cosines[_pairs(n)]
    np.subtract(1.0, distances, out=distances)
    np.maximum(distances, 0.0, out=distances)
    np.sqrt(distances, out=distances)  # up to √2, which orders no merge differently
    merges = np.empty((n - 1, 4))
    linkage_wrap(n, distances, merges, WARD)
    pairs: list[tuple[int, int]] = merges[:, :2].astype(np.intp).tolist()
    return pairs


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


def settle(cosines: NDArray[np.float64], labels: Labels) -> Labels:
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


def name(ranked: list[int], keys: list[str]) -> list[int]:
    """The first three, without near-duplicates of those already chosen."""
    chosen: list[int] = []
    for place in ranked:
        if not any(alike(keys[place], keys[other]) for other in chosen):
            chosen.append(place)
            if len(chosen) == LABEL_TAGS:
                break
    return chosen


def alike(one: str, other: str) -> bool:
    """Near-duplicates: one begins with the other, or they share most of their letters in order."""
    return one.startswith(other) or other.startswith(one) or ratio(one, other) >= ALIKE


def group(whole: Company, tags: NDArray[np.intp], scores: NDArray[np.float64], keys: list[str], most: int) -> Grouping:
    """At most so many groups of the candidates of a cloud, best candidates first, with their names.

    A tag represents its group by its score × its mean cosine with the others.
    """
    n = len(tags)
    parts = min(most, n // SMALLEST)
    if parts < 2:
        return _one_group(n, keys)
    cosines = join_concepts(likeness(rows_of(whole, tags)), whole.concepts[tags], whole.broad[tags])
    labels = cut(ward(cosines), parts)
    if labels.max() < 1:
        return _one_group(n, keys)
    labels = settle(cosines, labels)
    member = _membership(labels)
    sizes = member.sum(axis=0)
    fit = ((cosines @ member)[np.arange(n), labels] - 1.0) / (sizes[labels] - 1.0)
    cohesion = np.bincount(labels, fit) / sizes
    weakest = int(cohesion.argmin())
    loose = weakest if cohesion[weakest] - (cosines.sum() - n) / (n * (n - 1)) < LOOSE else -1
    weights = np.bincount(labels, scores).tolist()
    shown = sorted(range(len(weights)), key=lambda each: (each == loose, -weights[each]))
    places: list[list[int]] = [[] for _ in shown]
    ranked: list[list[int]] = [[] for _ in shown]
    label_of = labels.tolist()
    for place, label in enumerate(label_of):
        places[label].append(place)
    for place in np.argsort(-(np.maximum(fit, 0.0) * scores), kind="stable").tolist():
        ranked[label_of[place]].append(place)
    return Grouping(
        [places[each] for each in shown],
        [ranked[each] for each in shown],
        [name(ranked[each], keys) for each in shown],
        [each == loose for each in shown],
    )


def _one_group(n: int, keys: list[str]) -> Grouping:
    if not n:
        return Grouping([], [], [], [])
    members = list(range(n))
    return Grouping([members], [members], [name(members, keys)], [False])


def _membership(labels: Labels) -> NDArray[np.float64]:
    """1 where a tag belongs to a group."""
    return np.asarray(labels[:, None] == np.arange(int(labels.max()) + 1), dtype=np.float64)


@lru_cache(maxsize=512)
def _pairs(n: int) -> tuple[NDArray[Any], ...]:
    """The places of the pairs of n in a square matrix, row by row."""
    return np.triu_indices(n, 1)
