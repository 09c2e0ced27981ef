"""Some of the documents of an index, for instance those of a span of time."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagmodel.index.document_index import DocumentLookup, counted_neighbours


@dataclass(frozen=True, eq=False)
class RestrictedIndex:
    """The documents of `whole` that are `chosen`, under their positions there. Neighbours of head tags are its own.

    >>> from cocluster import document_index, incidence
    >>> whole = document_index(incidence([[1, 1, 0], [1, 0, 1], [0, 1, 1]], min_count=1).matrix)
    >>> spring = RestrictedIndex(whole, np.array([True, False, True]))
    >>> spring.count(0), whole.count(0)
    (1, 2)
    """

    whole: DocumentLookup
    chosen: NDArray[np.bool_]

    @cached_property
    def _positions(self) -> NDArray[np.intp]:
        positions = self.whole.positions()
        return positions[self.chosen[positions]]

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        tags = self.whole.tags_of_all(self._positions)
        return np.bincount(tags, minlength=self.whole.tag_count).astype(np.int64)

    @property
    def document_count(self) -> int:
        """How many documents are chosen."""
        return len(self._positions)

    @property
    def position_count(self) -> int:
        """How many positions of documents there are."""
        return self.whole.position_count

    @property
    def tag_count(self) -> int:
        """How many tags there are."""
        return self.whole.tag_count

    @property
    def head_count(self) -> int:
        """How many of the tags have neighbours and a profile; they come first."""
        return self.whole.head_count

    @property
    def profiles(self) -> NDArray[np.float16]:
        """How the company of each head tag spreads over groups of tags."""
        return self.whole.profiles

    @property
    def mean_profile(self) -> NDArray[np.float32]:
        """The mean profile of all documents."""
        return self.whole.mean_profile

    def positions(self) -> NDArray[np.intp]:
        """The positions of the chosen documents, rising."""
        return self._positions.copy()

    def count(self, tag: int) -> int:
        """The number of chosen documents that have a tag."""
        return int(self._counts[tag]) if tag < self.tag_count else len(self.documents_of(tag))

    def counts(self) -> NDArray[np.int64]:
        """The number of chosen documents of every tag."""
        return self._counts.copy()

    def documents_of(self, tag: int) -> NDArray[np.uint32]:
        """The chosen documents that have a tag, rising."""
        documents = self.whole.documents_of(tag)
        return documents[self.chosen[documents]]

    def tags_of(self, document: int) -> NDArray[Any]:
        """The tags of a document, rising."""
        return self.whole.tags_of(document)

    def tags_of_all(self, documents: NDArray[Any]) -> NDArray[Any]:
        """The tags of several documents, one document after the other."""
        return self.whole.tags_of_all(documents)

    def sizes_of(self, documents: NDArray[Any]) -> NDArray[Any]:
        """How many tags each of several documents has."""
        return self.whole.sizes_of(documents)

    def neighbours_of(self, tag: int) -> tuple[NDArray[Any], NDArray[np.float32]]:
        """The neighbours of a tag and the lift of each, largest first; those of a rare tag are counted now."""
        return self.whole.neighbours_of(tag) if tag < self.head_count else counted_neighbours(self, tag)

    def order_of(self, documents: NDArray[np.intp]) -> NDArray[Any]:
        """Numbers that rise with the ids of the documents."""
        return self.whole.order_of(documents)
