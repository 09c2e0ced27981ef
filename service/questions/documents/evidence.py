"""Scores documents for query tags: how far the tags of a document speak for each tag of the query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from service.questions.documents.postings import WITH_MOST, affordable_postings, own_lift, postings_of, with_most
from service.questions.documents.sets import per_document
from tagmodel import DocumentLookup

FLOOR: Final = 0.1
"""ε: the lift that a tag without any evidence has, so that one missing tag does not rule a document out."""

COMMON_TAGS: Final = 2.0
"""a: the smaller, the more each further query tag counts that the document has."""

SIZE_EXPONENT: Final = 1.2
"""p: above 1, so that each tag of a longer document counts for less than its share."""

FLOORS: Final = (FLOOR * (1.0 + np.arange(2**16)) ** SIZE_EXPONENT).astype(np.float32)
"""ε (1 + |d|)^p by |d|: looked up, since a power takes longer than the logarithm that it goes into."""


@dataclass(frozen=True, eq=False)
class DocumentScores:
    """Documents for which something speaks, rising; the score of each, and how many of the query tags it has.

    `whole` says whether they are all such documents, with all that speaks for them.
    """

    documents: NDArray[np.intp]
    scores: NDArray[np.float32]
    matches: NDArray[np.uint16]
    whole: bool


def evidence(index: DocumentLookup, tags: Sequence[int], most: int | None = None) -> DocumentScores:
    """The score of documents by the first neighbours of the query tags: at most the exact one.  documents.md (1)

    With `most`, candidates are only so many entries of the lists of documents, and those with the most query tags.
    """
    postings, first = postings_of(index, tags), []
    bounded = most is not None and sum(len(posting.documents) for posting in postings) > most
    if most is not None and bounded:
        postings = affordable_postings(index, postings, most)
        first = [with_most(index, tags, WITH_MOST)] if len(tags) > 1 else []
    documents = _union(index, [posting.documents for posting in postings] + first)
    place = np.empty(index.position_count, dtype=np.int32)  # of which no more is touched than there are candidates
    place[documents] = np.arange(len(documents), dtype=np.int32)
    sizes = index.sizes_of(documents)
    scores, sums = np.zeros(len(documents), dtype=np.float32), np.zeros(len(documents), dtype=np.float32)
    matches = np.zeros(len(documents), dtype=np.uint16)
    for tag in tags:
        for posting in postings:
            if posting.tag == tag and not posting.own:
                sums[place[posting.documents]] += posting.lift
        own = _places_with(index, tag, documents, place, whole=not bounded)
        sums[own] = 0.0
        near = np.flatnonzero(sums > 0)
        scores[near] += score_gain(sums[near], sizes[near])
        sums[near] = 0.0
        scores[own] += score_gain(own_lift(index, tag), sizes[own])
        matches[own] += np.uint16(1)
    if len(tags) > 1:
        several = np.flatnonzero(matches > 1)
        scores[several] += common_tags_bonus(len(tags))[matches[several]]
    return DocumentScores(documents, scores, matches, not bounded)


def exact_scores(
    index: DocumentLookup, tags: Sequence[int], documents: NDArray[np.intp], neighbours: int | None = None
) -> NDArray[np.float32]:
    """s(q, d) = Σ_j log(1 + ℓ_dj/ε) + Σ_{i<m} log(1 + i/a), m being the number of query tags in d.  documents.md (1)

    ℓ_dj = κ n/(c_j w_d) if d has tag j, otherwise Σ_{k∈d} ℓ_kj/w_d, the lifts of its tags beside j; w_d = (1 + |d|)^p.
    By so many neighbours of each tag, or all that are listed.
    """
    scores, matches = np.zeros(len(documents), dtype=np.float32), np.zeros(len(documents), dtype=np.intp)
    if not len(documents):
        return scores
    own, sizes = index.tags_of_all(documents), index.sizes_of(documents)
    for tag in tags:
        sums = per_document(np.add, lift_row(index, tag, neighbours)[own], sizes)
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


def _union(index: DocumentLookup, lists: Sequence[NDArray[Any]]) -> NDArray[np.intp]:
    """The documents of any of these lists, rising."""
    return np.flatnonzero(_mask(index, lists))


def _mask(index: DocumentLookup, lists: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
    """For every document, whether one of the lists has it."""
    held = np.zeros(index.position_count, dtype=np.bool_)
    for documents in lists:
        held[documents] = True
    return held


def _places_with(
    index: DocumentLookup, tag: int, documents: NDArray[np.intp], place: NDArray[np.int32], *, whole: bool
) -> NDArray[Any]:
    """The places of the candidates that have a tag; `whole` if all that have it are candidates."""
    own = index.documents_of(tag)
    if whole:
        return place[own]
    return np.flatnonzero(_mask(index, [own])[documents])


def lift_row(index: DocumentLookup, tag: int, most: int | None = None) -> NDArray[np.float32]:
    """ℓ_kj of one tag j for all tags k, 0 for those that are not listed."""
    row = np.zeros(index.tag_count, dtype=np.float32)
    neighbours, lifts = index.neighbours_of(tag)
    row[neighbours[:most]] = lifts[:most]
    return row


def score_gain(lift: Any, sizes: NDArray[Any]) -> NDArray[np.float32]:
    """log(1 + ℓ/(ε w_d)): what one query tag adds to the score of documents of these sizes.  documents.md (1)"""
    gains: NDArray[np.float32] = np.log1p(lift / FLOORS.take(sizes, mode="clip"))
    return gains


def common_tags_bonus(most: int) -> NDArray[np.float32]:
    """Σ_{i<m} log(1 + i/a) for m = 0 … most.  documents.md (1)"""
    steps = np.log1p(np.arange(most) / COMMON_TAGS)
    return np.concatenate([[0.0], np.cumsum(steps)]).astype(np.float32)
