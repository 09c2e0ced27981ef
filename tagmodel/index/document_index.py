"""Which documents have which tags, both ways, and which tags are near each other: what documents are ranked by."""

from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

SHRINKAGE: Final = 3.0
"""δ: a pair of tags in few documents counts for less, as if so many documents spoke against it."""

Positions = NDArray[Any]
"""Positions of tags: uint16 while they fit, uint32 otherwise."""


class DocumentLookup(Protocol):
    """What questions ask of the documents of a version, or of a version and the documents that changed since.

    Documents have positions below `position_count`; those that were deleted keep theirs, but no method returns them.
    """

    @property
    def document_count(self) -> int:
        """How many documents there are."""

    @property
    def position_count(self) -> int:
        """How many positions there are: the length of an array over documents."""

    @property
    def tag_count(self) -> int:
        """How many tags there are."""

    @property
    def head_count(self) -> int:
        """How many of the tags have neighbours and a profile; they come first."""

    @property
    def profiles(self) -> NDArray[np.float16]:
        """How the company of each head tag spreads over groups of tags."""

    @property
    def mean_profile(self) -> NDArray[np.float32]:
        """The mean profile of the documents."""

    def positions(self) -> NDArray[np.intp]:
        """The positions of all documents, rising."""

    def count(self, tag: int) -> int:
        """The number of documents that have a tag."""

    def counts(self) -> NDArray[np.int64]:
        """The number of documents of every tag."""

    def documents_of(self, tag: int) -> NDArray[np.uint32]:
        """The documents that have a tag, rising."""

    def tags_of(self, document: int) -> NDArray[Any]:
        """The tags of a document, rising."""

    def tags_of_all(self, documents: NDArray[Any]) -> NDArray[Any]:
        """The tags of several documents, one document after the other."""

    def sizes_of(self, documents: NDArray[Any]) -> NDArray[Any]:
        """How many tags each of several documents has."""

    def neighbours_of(self, tag: int) -> tuple[NDArray[Any], NDArray[np.float32]]:
        """The neighbours of a tag and the lift of each, largest first."""

    def order_of(self, documents: NDArray[np.intp]) -> NDArray[Any]:
        """Numbers that rise with the ids of the documents."""


@dataclass(frozen=True, eq=False)
class TitleIndex:
    """Which documents have which words in their titles.

    The documents of word i are documents[starts[i] : starts[i + 1]].

    Attributes:
        starts: where the documents of each word begin, and the end of all.
        documents: positions of documents, rising within each word.
    """

    starts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    documents: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, dtype=np.uint32))

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True, eq=False)
class DocumentIndex:
    """The 0/1 matrix of documents × tags by columns and by rows, and the neighbours of the tags of the tree.

    Those are the first `head_count` tags; tags behind them are too rare to have neighbours and profiles. Behind all
    tags come the words of titles that are no tags: word i has the number `tag_count` + i. It has documents and
    neighbours like a rare tag, but no document lists it among its tags.

    Every field is an array and may be a read-only memory map: nothing here copies or changes one.

    Attributes:
        tag_starts: the documents of tag j are documents[tag_starts[j] : tag_starts[j + 1]].
        documents: positions of documents, rising within each tag.
        document_starts: the tags of document i are tags[document_starts[i] : document_starts[i + 1]].
        tags: positions of tags, rising within each document.
        sizes: how many tags each document has.
        neighbour_starts: the neighbours of tag j are neighbours[neighbour_starts[j] : neighbour_starts[j + 1]].
        neighbours: the tags with the largest lift beside each tag, largest first, without itself.
        lifts: the lift of each of them.
        profiles: how the company of each tag spreads over groups of tags, tags × groups; every row sums to 1.
        mean_profile: the mean profile of the documents.
        titles: the documents of the words of titles.
    """

    tag_starts: NDArray[np.int64]
    documents: NDArray[np.uint32]
    document_starts: NDArray[np.int64]
    tags: Positions
    sizes: NDArray[Any]
    neighbour_starts: NDArray[np.int64]
    neighbours: Positions
    lifts: NDArray[np.float32]
    profiles: NDArray[np.float16]
    mean_profile: NDArray[np.float32]
    titles: TitleIndex = field(default_factory=TitleIndex)

    @property
    def document_count(self) -> int:
        """How many documents there are."""
        return len(self.document_starts) - 1

    @property
    def position_count(self) -> int:
        """How many positions of documents there are."""
        return self.document_count

    @property
    def tag_count(self) -> int:
        """How many tags there are."""
        return len(self.tag_starts) - 1

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays together."""
        arrays = [*vars(self).values(), *vars(self.titles).values()]
        return sum(int(array.nbytes) for array in arrays if isinstance(array, np.ndarray))

    @property
    def head_count(self) -> int:
        """How many of the tags have neighbours and a profile; they come first."""
        return len(self.neighbour_starts) - 1

    def count(self, tag: int) -> int:
        """The number of documents that have a tag, or a word in their titles."""
        if tag >= self.tag_count:
            return len(self.documents_of(tag))
        return int(self.tag_starts[tag + 1] - self.tag_starts[tag])

    def counts(self) -> NDArray[np.int64]:
        """The number of documents of every tag."""
        return np.diff(self.tag_starts).astype(np.int64)

    def positions(self) -> NDArray[np.intp]:
        """The positions of all documents, rising."""
        return np.arange(self.document_count)

    def order_of(self, documents: NDArray[np.intp]) -> NDArray[Any]:
        """Numbers that rise with the ids of the documents: positions do."""
        return documents

    def sizes_of(self, documents: NDArray[Any]) -> NDArray[Any]:
        """How many tags each of several documents has."""
        sizes: NDArray[Any] = self.sizes[documents]
        return sizes

    def tags_of_all(self, documents: NDArray[Any]) -> NDArray[Any]:
        """The tags of several documents, one document after the other."""
        sizes = self.sizes[documents].astype(np.int64)
        ends = np.cumsum(sizes)
        first = self.document_starts[documents] - (ends - sizes)
        tags: NDArray[Any] = self.tags[np.repeat(first, sizes) + np.arange(ends[-1] if len(ends) else 0)]
        return tags

    def documents_of(self, tag: int) -> NDArray[np.uint32]:
        """The documents that have a tag, or a word in their titles, rising."""
        if tag >= self.tag_count:
            word = tag - self.tag_count
            return self.titles.documents[self.titles.starts[word] : self.titles.starts[word + 1]]
        return self.documents[self.tag_starts[tag] : self.tag_starts[tag + 1]]

    def tags_of(self, document: int) -> NDArray[Any]:
        """The tags of a document, rising."""
        return self.tags[self.document_starts[document] : self.document_starts[document + 1]]

    def neighbours_of(self, tag: int) -> tuple[NDArray[Any], NDArray[np.float32]]:
        """The neighbours of a tag and the lift of each, largest first; those of a rare tag or a word are counted."""
        if tag >= self.head_count:
            return counted_neighbours(self, tag)
        span = slice(self.neighbour_starts[tag], self.neighbour_starts[tag + 1])
        return self.neighbours[span], self.lifts[span]


def counted_neighbours(index: DocumentLookup, tag: int) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """ℓ_kj = n C_kj²/(C_kj + δ)/(c_k c_j) of a rare tag j, from its few documents.  documents.md (1)"""
    documents = index.documents_of(tag)
    near, shared = np.unique(index.tags_of_all(documents.astype(np.intp)), return_counts=True)
    near, shared = near[near != tag], shared[near != tag]
    counts = np.array([index.count(each) for each in near.tolist()], dtype=np.int64)
    lifts = index.document_count * shared**2 / (shared + SHRINKAGE) / (counts * len(documents))
    order = np.lexsort((near, -lifts))
    return near[order], lifts[order].astype(np.float32)
