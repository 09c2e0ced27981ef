"""What the texts of documents say about two tags: whether the same words are in the documents of both."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from cocluster.tags.relations import Pair
from snapshot.version.documents.cards import decode_card
from tagmodel.language.text import STRENGTH, TextModel
from tagmodel.language.words import TITLE_MARK, hashed, text_words, word_hash
from worker.proposals.company import Sparse
from worker.vocabulary.tag_corpus import TagCorpus

LOOKED_AT: Final = 50
"""Documents of each tag in which the words are looked up: the model knows only their numbers."""

SHOWN: Final = 5
LONGEST_WORD: Final = 40
"""Longer runs of letters are no evidence that a person reads."""

Scored = tuple[Pair, float]
Floats = NDArray[np.float64]


class Written(Protocol):
    """The documents that a text model counts by their positions, and their tags; those of the tree first."""

    @property
    def matrix(self) -> Sparse:
        """Documents × tags."""

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows of the tagged corpus that the documents are."""

    @property
    def columns(self) -> NDArray[np.int64]:
        """Its columns that the tags are."""


@dataclass(frozen=True, eq=False)
class TextLikeness:
    """The strongest words of documents, as the run learnt them, compared without the words of the tags' names."""

    tagged: TagCorpus
    documents: Written
    model: TextModel

    def of_pair(self, one: int, other: int) -> float:
        """The cosine of what the words are worth in documents of both, above what they are worth in all; at least 0."""
        a, b = self._worth(one, other)
        lengths = float(np.sqrt((a**2).sum() * (b**2).sum()))
        return max(float(a @ b) / lengths, 0.0) if lengths else 0.0

    def ranked(self, pairs: Iterable[Scored]) -> list[Scored]:
        """Pairs with the most similar texts first."""
        return sorted(pairs, key=lambda scored: -self.of_pair(*scored[0]))

    def words(self, one: int, other: int) -> tuple[str, ...]:
        """The words that tell documents of both most from others, as some of them write them."""
        both = np.minimum(*self._worth(one, other))
        best = [place for place in np.argsort(-both, kind="stable")[: 4 * SHOWN].tolist() if both[place] > 0]
        spelled = self._spelled(one, other)
        found = (spelled.get(int(self.model.words[place])) for place in best)
        return tuple(dict.fromkeys(word for word in found if word is not None))[:SHOWN]

    def _worth(self, one: int, other: int) -> tuple[Floats, Floats]:
        """The mean value of every word in the documents of each, less the mean of all; 0 for the words of names."""
        keys = (self.tagged.keys[int(self.documents.columns[tag])] for tag in (one, other))
        names = hashed(word for key in keys for word in text_words(key))
        own = np.isin(self.model.words, np.concatenate([names, names ^ TITLE_MARK]))
        a, b = (np.where(own, 0.0, self._values[self._with(tag)].mean(axis=0) - self._mean) for tag in (one, other))
        return a, b

    def _spelled(self, one: int, other: int) -> dict[int, str]:
        """The words of some documents of both, by their numbers; those of a title by both of theirs."""
        found: dict[int, str] = {}
        for position in (place for tag in (one, other) for place in self._with(tag)[:LOOKED_AT]):
            row = int(self.documents.rows[position])
            title = None if self.tagged.cards is None else decode_card(self.tagged.cards.get(row)).title
            text = "" if self.tagged.texts is None else self.tagged.texts.get(row).decode()
            for word in {*text_words(title or ""), *text_words(text)}:
                if len(word) <= LONGEST_WORD:
                    number = word_hash(word)
                    found[number] = found[number ^ int(TITLE_MARK)] = word
        return found

    def _with(self, tag: int) -> NDArray[Any]:
        ends = self._by_tag.indptr
        return self._by_tag.indices[ends[tag] : ends[tag + 1]]

    @cached_property
    def _by_tag(self) -> "csc_array[np.float64]":
        return self.documents.matrix.tocsc()

    @cached_property
    def _values(self) -> Sparse:
        """Documents × words."""
        model = self.model
        shape = (self.documents.matrix.shape[0], len(model.words))
        strengths = model.strengths / STRENGTH
        return csc_array((strengths, model.postings.astype(np.int64), model.posting_starts), shape).tocsr()

    @cached_property
    def _mean(self) -> Floats:
        return np.asarray(self._values.mean(axis=0)).ravel()
