"""The senses of one tag: its neighbours, grouped by how they relate to each other rather than to it."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.ranking import rank
from service.view import View

NEIGHBOURS: Final = 48
SMALLEST: Final = 2
"""A single neighbour is no sense of its own."""


@dataclass(frozen=True)
class Neighbours:
    """One sense: related tags, best first, and how much of the tag's relations they carry."""

    tags: list[int]
    score: float


def senses(view: View, tag: int) -> list[Neighbours]:
    """The groups among a tag's neighbours, the strongest first.

    Neighbours are joined while that raises the modularity of the graph of their own relations, in which the tag
    itself has no part; single neighbours belong to no sense. Broad tags are left out: they fit every sense.
    """
    ranking = rank(view, (tag,), 1.0, NEIGHBOURS)
    near = [
        (other, score)
        for other, score in zip(ranking.tags, ranking.scores.tolist(), strict=True)
        if not view.broad[other]
    ]
    tags = [other for other, _ in near]
    groups = communities(_relations(view, tags))
    senses_of_tag = [
        Neighbours([tags[place] for place in places], sum(near[place][1] for place in places))
        for places in groups
        if len(places) >= SMALLEST
    ]
    return sorted(senses_of_tag, key=lambda sense: (-sense.score, sense.tags))


def communities(weights: NDArray[np.float64]) -> list[list[int]]:
    """Groups of nodes by greedy modularity: the pair whose union gains most is joined until no union gains.

    Joining a and b changes the modularity by 2 (e_ab − d_a d_b), with e the share of weight between groups and d the
    share of weight at a group (Clauset, Newman & Moore 2004).
    """
    total = weights.sum()
    groups = [[node] for node in range(len(weights))]
    if total <= 0:
        return groups
    between = weights / total
    degree = between.sum(axis=0)
    while len(groups) > 1:
        gain = between - np.outer(degree, degree)
        np.fill_diagonal(gain, -np.inf)
        a, b = sorted(divmod(int(gain.argmax()), len(groups)))
        if gain[a, b] <= 0:
            break
        between[a] += between[b]
        between[:, a] += between[:, b]
        degree[a] += degree[b]
        between = np.delete(np.delete(between, b, axis=0), b, axis=1)
        degree = np.delete(degree, b)
        groups[a] = sorted(groups[a] + groups.pop(b))
    return groups


def _relations(view: View, tags: list[int]) -> NDArray[np.float64]:
    """How strongly these tags relate to each other, at their most specific; symmetric, without themselves."""
    related = view.snapshot.related
    place = np.full(len(view.counts), -1, dtype=np.int64)
    place[tags] = np.arange(len(tags))
    weights = np.zeros((len(tags), len(tags)))
    for row, tag in enumerate(tags):
        span = related.span(tag)
        columns = place[related.indices[span]]
        weights[row, columns[columns >= 0]] = np.maximum(related.alone[span][columns >= 0], 0.0)
    weights *= view.popularity(1.0, 1)[tags]
    return weights + weights.T
