"""The documents of a version without those that were deleted or replaced since, and with those that came."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagmodel.index.document_index import DocumentIndex, counted_neighbours


@dataclass(frozen=True, eq=False)
class OverlaidIndex:
    """An index and what changed: nothing of the index is copied, and what is here grows with the changes alone.

    Except for `living`, one byte for each document of the index. Fresh documents have the positions behind those of
    the index, new tags the numbers behind its tags. Neighbours and profiles of head tags are those of the index.

    Attributes:
        base: the documents of the version.
        living: for each document of `base`, whether it is still there; None if all are.
        dead_counts: for each tag of `base`, how many of its documents are gone.
        fresh: the new documents, with all tags, by their places among themselves.
        places: for each of these, how many ids of `base` come before its own.
    """

    base: DocumentIndex
    living: NDArray[np.bool_] | None
    dead_counts: NDArray[np.int64]
    fresh: DocumentIndex
    places: NDArray[np.int64]

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        counts = self.fresh.counts()
        counts[: self.base.tag_count] += self.base.counts() - self.dead_counts
        return counts

    @cached_property
    def document_count(self) -> int:
        """How many documents there are."""
        living = self.base.document_count if self.living is None else int(np.count_nonzero(self.living))
        return living + self.fresh.document_count

    @property
    def position_count(self) -> int:
        """How many positions of documents there are."""
        return self.base.document_count + self.fresh.document_count

    @property
    def tag_count(self) -> int:
        """How many tags there are."""
        return self.fresh.tag_count

    @property
    def head_count(self) -> int:
        """How many of the tags have neighbours and a profile; they come first."""
        return self.base.head_count

    @property
    def profiles(self) -> NDArray[np.float16]:
        """How the company of each head tag spreads over groups of tags."""
        return self.base.profiles

    @property
    def mean_profile(self) -> NDArray[np.float32]:
        """The mean profile of the documents of the version."""
        return self.base.mean_profile

    def positions(self) -> NDArray[np.intp]:
        """The positions of all documents, rising."""
        first = self.base.positions() if self.living is None else np.flatnonzero(self.living)
        return np.concatenate([first, np.arange(self.base.document_count, self.position_count)])

    def count(self, tag: int) -> int:
        """The number of documents that have a tag."""
        return int(self._counts[tag]) if tag < self.tag_count else len(self.documents_of(tag))

    def counts(self) -> NDArray[np.int64]:
        """The number of documents of every tag."""
        return self._counts.copy()

    def documents_of(self, tag: int) -> NDArray[np.uint32]:
        """The documents that have a tag, rising; or a word in their titles, of which fresh documents have none yet."""
        if tag >= self.tag_count:
            documents = self.base.documents_of(tag - self.tag_count + self.base.tag_count)
            return documents if self.living is None else documents[self.living[documents]]
        fresh = self.fresh.documents_of(tag)
        if tag >= self.base.tag_count:
            return fresh + np.uint32(self.base.document_count)
        documents = self.base.documents_of(tag)
        if self.living is not None and self.dead_counts[tag]:
            documents = documents[self.living[documents]]
        if not len(fresh):
            return documents
        return np.concatenate([documents, fresh + np.uint32(self.base.document_count)])

    def tags_of(self, document: int) -> NDArray[Any]:
        """The tags of a document, rising."""
        behind = document - self.base.document_count
        return self.base.tags_of(document) if behind < 0 else self.fresh.tags_of(behind)

    def sizes_of(self, documents: NDArray[Any]) -> NDArray[Any]:
        """How many tags each of several documents has."""
        behind = documents >= self.base.document_count
        if not behind.any():
            return self.base.sizes_of(documents)
        sizes = np.empty(len(documents), dtype=np.int64)
        sizes[~behind] = self.base.sizes_of(documents[~behind])
        sizes[behind] = self.fresh.sizes_of(documents[behind] - self.base.document_count)
        return sizes

    def tags_of_all(self, documents: NDArray[Any]) -> NDArray[Any]:
        """The tags of several documents, one document after the other."""
        behind = documents >= self.base.document_count
        if not behind.any():
            return self.base.tags_of_all(documents)
        rows = np.repeat(behind, self.sizes_of(documents))
        tags = np.empty(len(rows), dtype=np.uint32)
        tags[~rows] = self.base.tags_of_all(documents[~behind])
        tags[rows] = self.fresh.tags_of_all(documents[behind] - self.base.document_count)
        return tags

    def neighbours_of(self, tag: int) -> tuple[NDArray[Any], NDArray[np.float32]]:
        """The neighbours of a tag and the lift of each, largest first; those of a rare tag are counted now."""
        return self.base.neighbours_of(tag) if tag < self.head_count else counted_neighbours(self, tag)

    def order_of(self, documents: NDArray[np.intp]) -> NDArray[Any]:
        """Numbers that rise with the ids of the documents: a fresh one comes before the base document at its place."""
        first, step = self.base.document_count, self.fresh.document_count + 1
        behind = documents >= first
        order = documents.astype(np.int64) * step + self.fresh.document_count
        order[behind] = self.places[documents[behind] - first] * step + documents[behind] - first
        return order
