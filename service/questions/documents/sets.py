"""Finds the documents that have all of several tags, and counts them beside further tags: exact, by the index alone."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tagmodel import DocumentLookup

LEAST_OF_GROUP: Final = 5
"""A group that fewer documents have two tags of is opened by any of its tags."""

Mask = NDArray[np.bool_]
"""For every document, whether it counts."""


def documents_with_all(index: DocumentLookup, tags: Sequence[int], among: Mask | None = None) -> NDArray[np.intp]:
    """The documents that have all tags, rising; without tags, all documents."""
    if not tags:
        return index.positions() if among is None else np.flatnonzero(among)
    rarest_first = sorted(tags, key=index.count)
    documents = index.documents_of(rarest_first[0])
    for tag in rarest_first[1:]:
        documents = _common(documents, index.documents_of(tag))
    positions = documents.astype(np.intp)
    return positions if among is None else positions[among[positions]]


def joint_counts(
    index: DocumentLookup, tags: Sequence[int], candidates: Sequence[int] | None = None, among: Mask | None = None
) -> NDArray[np.int64]:
    """For each candidate, the number of documents that have it and all of the tags; candidates None: for every tag.

    Counts the tags of the documents in question, or looks those documents up in the lists of the candidates, whatever
    reads less.
    """
    if candidates is None:
        if not tags and among is None:
            return index.counts()
        every = index.tags_of_all(documents_with_all(index, tags, among))
        return np.bincount(every, minlength=index.tag_count).astype(np.int64)
    if not tags and among is None:
        return np.array([index.count(tag) for tag in candidates], dtype=np.int64)
    documents = documents_with_all(index, tags, among)
    if int(index.sizes_of(documents).sum()) <= sum(index.count(tag) for tag in candidates):
        counts = np.bincount(index.tags_of_all(documents), minlength=index.tag_count)
        return counts[list(candidates)].astype(np.int64)
    wanted = np.zeros(index.position_count, dtype=np.bool_)
    wanted[documents] = True
    return np.array([np.count_nonzero(wanted[index.documents_of(tag)]) for tag in candidates], dtype=np.int64)


def documents_of_group(index: DocumentLookup, tags: Sequence[int], among: Mask | None = None) -> Mask:
    """For every document, whether it belongs to a group of tags: it has at least two of them.

    If fewer than five documents have two, those with one count.
    """
    having = np.zeros(index.position_count, dtype=np.int32)
    for tag in tags:
        having[index.documents_of(tag)] += 1
    if among is not None:
        having[~among] = 0
    several = having > 1
    return several if np.count_nonzero(several) >= LEAST_OF_GROUP else having > 0


def per_document(combine: np.ufunc, values: NDArray[Any], sizes: NDArray[Any]) -> NDArray[Any]:
    """Sums, or whatever else combines them, of the values of each document's tags, along the last axis.

    The values come one document after the other; a document without tags gets 0.
    """
    filled = np.flatnonzero(sizes)
    starts = np.cumsum(sizes, dtype=np.int64) - sizes
    found = np.zeros((*values.shape[:-1], len(sizes)), dtype=values.dtype)
    if len(filled):
        found[..., filled] = combine.reduceat(values, starts[filled], axis=-1)
    return found


def _common(few: NDArray[np.uint32], many: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """What two rising lists have in common; `few` is the shorter one."""
    places = np.searchsorted(many, few)
    places[places == len(many)] = 0
    return few[many[places] == few] if len(many) else few[:0]
