"""The document index gives the documents of a tag, the tags of a document and the neighbours of a tag."""

from dataclasses import replace

import numpy as np

from tagmodel import DocumentIndex
from tagmodel.index.document_index import TitleIndex


def small_index():
    """Documents 0: tags 0 and 2; 1: tag 2; 2: no tag; tags 0 and 2 are neighbours."""
    return DocumentIndex(
        tag_starts=np.array([0, 1, 1, 3]),
        documents=np.array([0, 0, 1], dtype=np.uint32),
        document_starts=np.array([0, 2, 3, 3]),
        tags=np.array([0, 2, 2], dtype=np.uint16),
        sizes=np.array([2, 1, 0], dtype=np.uint16),
        neighbour_starts=np.array([0, 1, 1, 2]),
        neighbours=np.array([2, 0], dtype=np.uint16),
        lifts=np.array([1.5, 1.5], dtype=np.float32),
        profiles=np.eye(3, dtype=np.float16),
        mean_profile=np.ones(3, dtype=np.float32) / 3,
    )


def test_both_ways():
    """The documents of each tag and the tags of each document, also where there are none."""
    index = small_index()
    assert (index.document_count, index.tag_count) == (3, 3)
    assert [list(index.documents_of(tag)) for tag in range(3)] == [[0], [], [0, 1]]
    assert [index.count(tag) for tag in range(3)] == [1, 0, 2]
    assert [list(index.tags_of(document)) for document in range(3)] == [[0, 2], [2], []]


def test_neighbours():
    """The neighbours of a tag with their lifts, also where there are none."""
    index = small_index()
    assert [list(map(list, index.neighbours_of(tag))) for tag in range(3)] == [[[2], [1.5]], [[], []], [[0], [1.5]]]


def test_bytes():
    """`nbytes` counts every array."""
    assert small_index().nbytes == 3 * 4 * 8 + 3 * 4 + 3 * 2 + 3 * 2 + 2 * 2 + 2 * 4 + 9 * 2 + 3 * 4 + 8


def test_accessors_return_views():
    """What an accessor returns is a part of the array: a memory map is not copied."""
    index = small_index()
    for part, whole in ((index.documents_of(2), index.documents), (index.tags_of(0), index.tags)):
        assert np.shares_memory(part, whole)


def test_words_of_titles_come_behind_the_tags():
    """A word has documents and neighbours like a rare tag; no document lists it among its tags."""
    titles = TitleIndex(np.array([0, 2, 3]), np.array([0, 1, 2], dtype=np.uint32))
    index = replace(small_index(), titles=titles)
    assert (index.tag_count, len(index.titles)) == (3, 2)
    assert [list(index.documents_of(number)) for number in (3, 4)] == [[0, 1], [2]]
    assert [index.count(number) for number in (3, 4)] == [2, 1]
    assert list(index.neighbours_of(3)[0]) == [2, 0]
    assert [len(each) for each in index.neighbours_of(4)] == [0, 0]
