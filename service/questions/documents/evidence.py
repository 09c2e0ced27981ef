"""Scores documents for query tags: how far the tags of a document speak for each tag of the query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from service.questions.documents.sets import per_document
from tagmodel import DocumentLookup

FLOOR: Final = 0.1
"""ε: the lift that a tag without any evidence has, so that one missing tag does not rule a document out."""

OWN_WEIGHT: Final = 1.75
"""κ: how much a tag that the document has itself counts beside the lift of its neighbours."""

COMMON_TAGS: Final = 2.0
"""a: the smaller, the more each further query tag counts that the document has."""

SIZE_EXPONENT: Final = 1.2
"""p: above 1, so that each tag of a longer document counts for less than its share."""

FLOORS: Final = (FLOOR * (1.0 + np.arange(2**16)) ** SIZE_EXPONENT).astype(np.float32)
"""ε (1 + |d|)^p by |d|: looked up, since a power takes longer than the logarithm that it goes into."""

POSTED: Final = 20
"""Neighbours of a query tag whose documents are looked up; `exact_scores` counts all that are listed."""


@dataclass(frozen=True, eq=False)
class DocumentScores:
    """The score of every document, 0 for those that nothing speaks for, and how many of the query tags each has."""

    scores: NDArray[np.float32]
    matches: NDArray[np.uint16]


def evidence(index: DocumentLookup, tags: Sequence[int]) -> DocumentScores:
    """The score of every document by the first neighbours of the query tags: at most the exact one.  documents.md (1)

    Documents that have none of these neighbours and no query tag score 0.
    """
    n = index.position_count
    scores, sums = np.zeros(n, dtype=np.float32), np.zeros(n, dtype=np.float32)
    matches = np.zeros(n, dtype=np.uint16)
    for tag in tags:
        np.add.at(sums, *_posted_lifts(index, tag))
        own = index.documents_of(tag)
        sums[own] = 0.0
        near = np.flatnonzero(sums > 0)
        scores[near] += score_gain(sums[near], index.sizes_of(near))
        sums[near] = 0.0
        scores[own] += score_gain(own_lift(index, tag), index.sizes_of(own))
        matches[own] += np.uint16(1)
    if len(tags) > 1:
        several = np.flatnonzero(matches > 1)
        scores[several] += common_tags_bonus(len(tags))[matches[several]]
    return DocumentScores(scores, matches)


def exact_scores(index: DocumentLookup, tags: Sequence[int], documents: NDArray[np.intp]) -> NDArray[np.float32]:
    """s(q, d) = Σ_j log(1 + ℓ_dj/ε) + Σ_{i<m} log(1 + i/a), m being the number of query tags in d.  documents.md (1)

    ℓ_dj = κ n/(c_j w_d) if d has tag j, otherwise Σ_{k∈d} ℓ_kj/w_d, the lifts of its tags beside j; w_d = (1 + |d|)^p.
    """
    scores, matches = np.zeros(len(documents), dtype=np.float32), np.zeros(len(documents), dtype=np.intp)
    if not len(documents):
        return scores
    own, sizes = index.tags_of_all(documents), index.sizes_of(documents)
    for tag in tags:
        sums = per_document(np.add, lift_row(index, tag)[own], sizes)
        has = _which_have(index, tag, documents)
        sums[has] = own_lift(index, tag)
        scores += score_gain(sums, sizes)
        matches += has
    return scores + common_tags_bonus(len(tags))[matches]


def _which_have(index: DocumentLookup, tag: int, documents: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which of the documents have a tag, or a word in their titles."""
    own = index.documents_of(tag)
    if not len(own):
        return np.zeros(len(documents), dtype=np.bool_)
    found: NDArray[np.bool_] = own[np.minimum(np.searchsorted(own, documents), len(own) - 1)] == documents
    return found


def complete_scores(index: DocumentLookup, tags: Sequence[int], documents: NDArray[np.intp]) -> NDArray[np.float32]:
    """The exact scores of documents that have all of the tags.  documents.md (1)"""
    sizes = index.sizes_of(documents)
    scores = np.full(len(documents), common_tags_bonus(len(tags))[-1])
    for tag in tags:
        scores += score_gain(own_lift(index, tag), sizes)
    return scores


def _posted_lifts(index: DocumentLookup, tag: int) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """The documents of the first neighbours of a tag, one neighbour after the other, and the lift of each."""
    neighbours, lifts = (array[:POSTED] for array in index.neighbours_of(tag))
    spans = [index.documents_of(neighbour) for neighbour in neighbours.tolist()]
    documents = np.concatenate(spans) if spans else np.empty(0, dtype=np.uint32)
    return documents.astype(np.intp), np.repeat(lifts, list(map(len, spans)))


def lift_row(index: DocumentLookup, tag: int) -> NDArray[np.float32]:
    """ℓ_kj of one tag j for all tags k, 0 for those that are not listed."""
    row = np.zeros(index.tag_count, dtype=np.float32)
    neighbours, lifts = index.neighbours_of(tag)
    row[neighbours] = lifts
    return row


def score_gain(lift: Any, sizes: NDArray[Any]) -> NDArray[np.float32]:
    """log(1 + ℓ/(ε w_d)): what one query tag adds to the score of documents of these sizes.  documents.md (1)"""
    gains: NDArray[np.float32] = np.log1p(lift / FLOORS.take(sizes, mode="clip"))
    return gains


def own_lift(index: DocumentLookup, tag: int) -> np.float32:
    """κ n/c_j: the lift of a tag beside itself.  documents.md (1)"""
    return np.float32(OWN_WEIGHT * index.document_count / max(index.count(tag), 1))


def common_tags_bonus(most: int) -> NDArray[np.float32]:
    """Σ_{i<m} log(1 + i/a) for m = 0 … most.  documents.md (1)"""
    steps = np.log1p(np.arange(most) / COMMON_TAGS)
    return np.concatenate([[0.0], np.cumsum(steps)]).astype(np.float32)
