"""Counts the words of documents, and finds the names of tags among them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.equations.arrays import Sparse
from tagmodel.language.words import Hashes, counted, phrase_hash, phrases_of, text_words


@dataclass(frozen=True, eq=False)
class TaggedRows:
    """The tags of documents, by rows."""

    starts: NDArray[Any]
    tags: NDArray[Any]

    @classmethod
    def of(cls, matrix: Sparse) -> "TaggedRows":
        """Those of a 0/1 matrix."""
        return cls(matrix.indptr, matrix.indices)

    @property
    def document_count(self) -> int:
        """How many documents there are."""
        return len(self.starts) - 1

    def tags_of(self, document: int) -> NDArray[Any]:
        """The tags of a document."""
        return self.tags[self.starts[document] : self.starts[document + 1]]


@dataclass(frozen=True, eq=False)
class WordMatrix:
    """The words of documents.

    Attributes:
        words: the numbers of all words, rising.
        counts: documents × words: how often each occurs.
        phrases: the numbers of the names of tags, rising.
        phrase_tags: the tag that each names.
        named: documents × phrases: a 1 where the name stands in the text.
    """

    words: Hashes
    counts: Sparse
    phrases: Hashes
    phrase_tags: NDArray[np.int64]
    named: Sparse

    def rows(self, rows: NDArray[Any]) -> "WordMatrix":
        """The same of some documents."""
        return WordMatrix(
            self.words, csr_array(self.counts[rows]), self.phrases, self.phrase_tags, csr_array(self.named[rows])
        )


def name_phrases(names: Sequence[Iterable[str]]) -> tuple[Hashes, NDArray[np.int64]]:
    """The numbers of all names of the tags, rising, and the tag that each names; of two, the first tag."""
    tag_of: dict[int, int] = {}
    for tag, forms in enumerate(names):
        for form in forms:
            words = text_words(form)
            if words:
                tag_of.setdefault(phrase_hash(words), tag)
    hashes = np.array(sorted(tag_of), dtype=np.uint64)
    return hashes, np.array([tag_of[number] for number in hashes.tolist()], dtype=np.int64)


def word_matrix(texts: Iterable[tuple[str, str]], names: Sequence[Iterable[str]]) -> WordMatrix:
    """Count the words of documents, given as title and text; `names` are those of each tag.

    >>> matrix = word_matrix([("Pay by card", "a credit card"), ("Snow", "")], [["card"], ["credit-card"]])
    >>> matrix.named.toarray().astype(int).tolist()
    [[1, 1], [0, 0]]
    """
    phrases, phrase_tags = name_phrases(names)
    words: list[Hashes] = []
    counts: list[NDArray[np.int64]] = []
    named: list[NDArray[np.intp]] = []
    for title, text in texts:
        found = counted(title, text)
        words.append(found.hashes)
        counts.append(found.counts)
        named.append(np.flatnonzero(np.isin(phrases, phrases_of(title, text), assume_unique=True)))
    known, columns = np.unique(np.concatenate(words or [phrases[:0]]), return_inverse=True)
    values = np.concatenate(counts or [np.zeros(0, dtype=np.int64)]).astype(np.float64)
    return WordMatrix(
        known,
        _by_rows(words, columns, values, len(known)),
        phrases,
        phrase_tags,
        _by_rows(named, np.concatenate(named or [np.zeros(0, dtype=np.intp)]), None, len(phrases)),
    )


def _by_rows(
    rows: Sequence[NDArray[Any]], columns: NDArray[Any], values: NDArray[np.float64] | None, width: int
) -> Sparse:
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
    data = np.ones(len(columns)) if values is None else values
    matrix: Sparse = csr_array((data, columns.astype(np.int64), starts), shape=(len(rows), width))
    return matrix
