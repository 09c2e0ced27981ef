"""Scores documents for query tags: how far the tags of a document speak for each tag of the query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tagmodel import DocumentIndex

FLOOR: Final = 0.1
"""ε: the lift that a tag without any evidence has, so that one missing tag does not rule a document out."""

OWN_WEIGHT: Final = 1.75
"""κ: how much a tag that the document has itself counts beside the lift of its neighbours."""

COMMON_TAGS: Final = 2.0
"""a: the smaller, the more each further query tag counts that the document has."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """The score of every document, 0 for those that nothing speaks for, and how many of the query tags each has."""

    scores: NDArray[np.float32]
    matches: NDArray[np.uint16]


def evidence(index: DocumentIndex, tags: Sequence[int]) -> Evidence:
    """s(q, d) = Σ_j log(1 + ℓ_dj/ε) + Σ_{i<m} log(1 + i/a), m being the number of query tags in d.  documents.md (1)

    ℓ_dj = κ n/(c_j |d|) if d has tag j, otherwise the mean lift Σ_{k∈d} ℓ_kj/|d| of its tags beside j. Only the
    neighbours listed for j count in this sum.
    """
    n = index.document_count
    scores, sums = np.zeros(n, dtype=np.float32), np.zeros(n, dtype=np.float32)
    matches = np.zeros(n, dtype=np.uint16)
    for tag in tags:
        neighbours, lifts = index.neighbours_of(tag)
        for neighbour, lift in zip(neighbours.tolist(), lifts, strict=True):
            sums[index.documents_of(neighbour)] += lift
        own = index.documents_of(tag)
        sums[own] = 0.0
        near = np.flatnonzero(sums > 0)
        scores[near] += gain(sums[near], index.sizes[near])
        sums[near] = 0.0
        scores[own] += gain(own_lift(index, tag), index.sizes[own])
        matches[own] += np.uint16(1)
    if len(tags) > 1:
        several = np.flatnonzero(matches > 1)
        scores[several] += common_tags_bonus(len(tags))[matches[several]]
    return Evidence(scores, matches)


def gain(lift: Any, sizes: NDArray[Any]) -> NDArray[np.float32]:
    """log(1 + ℓ/(ε |d|)): what one query tag adds to the score of documents of these sizes.  documents.md (1)"""
    gains: NDArray[np.float32] = np.log1p(lift / (np.float32(FLOOR) * sizes.astype(np.float32)))
    return gains


def own_lift(index: DocumentIndex, tag: int) -> np.float32:
    """κ n/c_j: the lift of a tag beside itself.  documents.md (1)"""
    return np.float32(OWN_WEIGHT * index.document_count / index.count(tag))


def common_tags_bonus(most: int) -> NDArray[np.float32]:
    """Σ_{i<m} log(1 + i/a) for m = 0 … most.  documents.md (1)"""
    steps = np.log1p(np.arange(most) / COMMON_TAGS)
    return np.concatenate([[0.0], np.cumsum(steps)]).astype(np.float32)
