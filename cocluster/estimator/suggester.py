"""Suggests tags for texts: learns from tagged texts, and measures itself on others."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.equations.arrays import Sparse
from cocluster.estimator.tag_lists import tag_matrix
from cocluster.suggestions import fit_related
from cocluster.text import TaggedRows, Trial, learn_text, word_matrix
from tagmodel import RelatedTags

HELD_OUT: Final = 5
"""One of so many documents is held out to learn the mix of the evidence."""

FEWEST: Final = 100
"""Documents, below which the mix is a fixed one."""


class TagSuggester:
    """Learns tags from texts and from other tags, as a run of Cotag does.  suggestions-from-text.md

    Attributes:
        tags_: the tags that it knows, sorted.
        record_: settings and recall on the documents held out while fitting; empty for fewer than 100 documents.

    >>> texts = ["rain and wind", "sun and wind", "a loud drum", "a soft piano"] * 3
    >>> tags = [["weather", "rain"], ["weather", "sun"], ["music", "drum"], ["music", "piano"]] * 3
    >>> suggester = TagSuggester().fit(texts, tags)
    >>> [tag for tag, _ in suggester.predict(["a new drum"], limit=2)[0]]
    ['drum', 'music']
    >>> suggester.score(["wind and rain"], [["weather", "rain"]], first=2)
    1.0
    """

    def fit(self, texts: Sequence[str], tags: Sequence[Iterable[str]]) -> "TagSuggester":
        """Learn from texts and the tags of each; ValueError if there are not as many of both."""
        if len(texts) != len(tags):
            raise ValueError(f"{len(texts)} texts, but the tags of {len(tags)}")
        self._matrix, self.tags_ = tag_matrix(tags)
        self._place = {tag: place for place, tag in enumerate(self.tags_)}
        self._related = self._learn_related(self._matrix)
        words = word_matrix((("", text) for text in texts), [[tag] for tag in self.tags_])
        held_out = np.arange(0, len(texts), HELD_OUT)
        trial = None
        if len(texts) >= FEWEST:
            training = np.setdiff1d(np.arange(len(texts)), held_out)
            fitted = self._learn_related(csr_array(self._matrix[training]))
            trial = Trial(held_out, lambda given: self._beside(fitted, given))
        learnt = learn_text(words, self._matrix, trial)
        self._model, self.record_ = learnt.model, learnt.record
        return self

    def predict(
        self, texts: Sequence[str], tags: Sequence[Iterable[str]] | None = None, *, limit: int = 10
    ) -> list[list[tuple[str, float]]]:
        """The likeliest tags of each text with their probabilities; `tags` are those that it has already."""
        given: Sequence[Iterable[str]] = [()] * len(texts) if tags is None else tags
        return [self._predicted(text, each, limit) for text, each in zip(texts, given, strict=True)]

    def score(self, texts: Sequence[str], tags: Sequence[Iterable[str]], *, first: int = 10) -> float:
        """Recall: the mean share of the known tags of each text that are among the first, of those that could be."""
        recalls = []
        for text, each in zip(texts, tags, strict=True):
            known = set(each) & self._place.keys()
            if known:
                found = {tag for tag, _ in self._predicted(text, (), first)}
                recalls.append(len(found & known) / min(first, len(known)))
        return float(np.mean(recalls)) if recalls else 0.0

    def _predicted(self, text: str, tags: Iterable[str], limit: int) -> list[tuple[str, float]]:
        given = tuple(sorted(self._place[tag] for tag in set(tags) if tag in self._place))
        found = self._model.evidence(TaggedRows.of(self._matrix), "", text)
        if given:
            beside = self._beside(self._related, given)
            candidates = np.setdiff1d(np.union1d(found.tags, np.flatnonzero(beside.any(axis=0))), given)
            scores = self._model.scores(found, candidates, beside[:, candidates])
        else:
            candidates, scores = found.tags, self._model.scores(found, found.tags)
        best = np.lexsort((candidates, -scores))[:limit]
        return [(self.tags_[candidates[place]], float(scores[place])) for place in best.tolist()]

    def _learn_related(self, matrix: Sparse) -> tuple[RelatedTags, NDArray[Any]]:
        """The weights between tags that occur, and which tags these are."""
        columns = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]))
        rows = np.flatnonzero(np.diff(matrix.indptr))
        return fit_related(csr_array(matrix[rows][:, columns])), columns

    def _beside(self, fitted: tuple[RelatedTags, NDArray[Any]], given: tuple[int, ...]) -> NDArray[np.float64]:
        related, columns = fitted
        beside = np.zeros((2, len(self.tags_)))
        known = tuple(int(place) for place in np.flatnonzero(np.isin(columns, given)))
        if known:
            found = related.candidates(known)
            beside[0, columns[found.tags]] = found.odds
            beside[1, columns] = related.company(known)
        return beside
