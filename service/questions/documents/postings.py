"""The lists of documents that speak for the tags of a query, and those that a large corpus can afford to read."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tagmodel import DocumentLookup

OWN_WEIGHT: Final = 1.75
"""κ: how much a tag that the document has itself counts beside the lift of its neighbours."""

POSTED: Final = 20
"""Neighbours of a query tag whose documents are looked up; `exact_scores` counts all that are listed."""

AFFORDABLE: Final = 40_000
"""Entries of such lists that are read for a query: enough for all of them in corpora of some ten thousand documents."""

WITH_MOST: Final = 1000
"""Documents with the most of the query tags that are looked at beside these lists."""

LEAST_ROOM: Final = 8
"""Nothing more is read when less than this part of the room is left."""


class Posting(NamedTuple):
    """Documents that speak for a tag of the query by a lift: those that have it, or those of one of its neighbours."""

    tag: int
    own: bool
    lift: np.float32
    documents: NDArray[Any]


def postings_of(index: DocumentLookup, tags: Sequence[int]) -> list[Posting]:
    """The lists of each tag: its own, then those of its first neighbours, nearest first."""
    return [posting for tag in tags for posting in _postings(index, tag)]


def _postings(index: DocumentLookup, tag: int) -> Iterator[Posting]:
    yield Posting(tag, True, own_lift(index, tag), index.documents_of(tag))
    neighbours, lifts = (array[:POSTED] for array in index.neighbours_of(tag))
    for neighbour, lift in zip(neighbours.tolist(), lifts, strict=True):
        yield Posting(tag, False, lift, index.documents_of(neighbour))


def affordable_postings(index: DocumentLookup, postings: Sequence[Posting], most: int) -> list[Posting]:
    """The lists of the largest lifts, with `most` entries together; long ones are cut to their shortest documents.

    Tags of large lifts are rare, so that their lists are short. Of one list, a shorter document always scores more. A
    list takes half of the room that is left, so that there is some for those behind it.
    """
    room = most
    chosen: dict[int, Posting] = {}
    for place in sorted(range(len(postings)), key=lambda place: -postings[place].lift):
        if room < most // LEAST_ROOM:
            break
        posting = postings[place]
        documents = (
            posting.documents if len(posting.documents) <= room // 2 else shortest(index, posting.documents, room // 2)
        )
        chosen[place] = posting._replace(documents=documents)
        room -= len(documents)
    return [chosen[place] for place in sorted(chosen)]


def with_most(index: DocumentLookup, tags: Sequence[int], wanted: int) -> NDArray[np.intp]:
    """The documents with the most of the tags, two at least: so many, and all that have as many as the last."""
    held = np.zeros(index.position_count, dtype=np.uint8)
    for tag in tags:
        held[index.documents_of(tag)] += np.uint8(1)
    for several in range(min(len(tags), 255), 1, -1):
        found = np.flatnonzero(held >= several)
        if len(found) >= wanted:
            return found
    return np.flatnonzero(held > 1)


def shortest(index: DocumentLookup, documents: NDArray[Any], count: int) -> NDArray[Any]:
    """So many of the documents, rising: those with the fewest tags; of equals, the first."""
    if len(documents) <= count:
        return documents
    sizes = index.sizes_of(documents)
    up_to = np.cumsum(np.bincount(sizes))
    limit = int(np.searchsorted(up_to, count, side="right"))  # all shorter ones fit
    equal = np.flatnonzero(sizes == limit)[: count - (int(up_to[limit - 1]) if limit else 0)]
    chosen: NDArray[Any] = documents[np.sort(np.concatenate([np.flatnonzero(sizes < limit), equal]))]
    return chosen


def own_lift(index: DocumentLookup, tag: int) -> np.float32:
    """κ n/c_j: the lift of a tag beside itself.  documents.md (1)"""
    return np.float32(OWN_WEIGHT * index.document_count / max(index.count(tag), 1))
