"""Learns tags from the titles and texts of a run's documents, tuned on the documents that related tags held out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster import Incidence
from cocluster.text import Learnt, Trial, learn_text, word_matrix
from snapshot import Alias
from snapshot.version.documents.cards import decode_card
from tagmodel.language.text import TextModel
from tagmodel.related import popularity_factors
from worker.suggestions.fit import SEED, Suggestions, TrialWeights
from worker.suggestions.held_out import held_out_rows
from worker.vocabulary.tag_corpus import TagCorpus

MOST_DOCUMENTS: Final = 200_000
"""Documents that are learnt from; of more, so many at random."""

MOST_HELD_OUT: Final = 3000
FEWEST: Final = 20
"""Documents with words, below which nothing is learnt."""

POPULAR: Final = 0.0
"""The specificity of the odds beside given tags, as the service asks for them: most recall."""

NO_TEXT: Final = Learnt(TextModel(), {})

Matrix = csr_array[np.float64, tuple[int, int]]


class Whole(Protocol):
    """All documents × all tags, as `worker.clustering.documents.tail` makes it."""

    @property
    def matrix(self) -> Matrix:
        """A 1 for each tag of each document; the tags of the tree first."""

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows of the tagged corpus that the documents are."""

    @property
    def columns(self) -> NDArray[np.int64]:
        """Its columns that the tags are."""

    @property
    def in_matrix(self) -> NDArray[np.int64]:
        """The positions of the documents that were clustered."""


def learn_from_text(
    tagged: TagCorpus, incidence: Incidence, whole: Whole, aliases: Sequence[Alias], related: Suggestions
) -> Learnt:
    """What the words of the documents say about all tags; NO_TEXT if hardly any document has words."""
    written = _written(tagged, whole.rows)
    if len(written) < FEWEST:
        return NO_TEXT
    if len(written) > MOST_DOCUMENTS:
        written = np.sort(np.random.default_rng(SEED).choice(written, MOST_DOCUMENTS, replace=False))
    texts = (_title_and_text(tagged, int(row)) for row in whole.rows[written])
    words = word_matrix(texts, _names(tagged, whole, aliases))
    learnt = learn_text(words, csr_array(whole.matrix[written]), _trial(incidence, whole, written, related))
    return replace(learnt, model=replace(learnt.model, postings=written[learnt.model.postings].astype(np.uint32)))


def _written(tagged: TagCorpus, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The positions of the documents that have a title or a text."""
    has = np.zeros(len(rows), dtype=np.bool_)
    if tagged.texts is not None:
        has |= np.diff(tagged.texts.starts)[rows] > 0
    if tagged.cards is not None:
        unknown = np.flatnonzero(~has & (np.diff(tagged.cards.starts)[rows] > 0))
        has[unknown] = [decode_card(tagged.cards.get(int(row))).title is not None for row in rows[unknown]]
    return np.flatnonzero(has)


def _title_and_text(tagged: TagCorpus, row: int) -> tuple[str, str]:
    title = None if tagged.cards is None else decode_card(tagged.cards.get(row)).title
    text = "" if tagged.texts is None else tagged.texts.get(row).decode()
    return title or "", text


def _names(tagged: TagCorpus, whole: Whole, aliases: Sequence[Alias]) -> list[list[str]]:
    """All names of each tag: its key, and those that stand for it."""
    names = [[tagged.keys[column]] for column in whole.columns.tolist()]
    position = {forms[0]: place for place, forms in enumerate(names)}
    for alias in aliases:
        if alias.tag in position:
            names[position[alias.tag]].append(alias.name)
    return names


def _trial(incidence: Incidence, whole: Whole, written: NDArray[np.int64], related: Suggestions) -> Trial | None:
    """The documents that related tags held out, if they have words; None if there was no trial."""
    if related.trial is None:
        return None
    held_out = whole.in_matrix[held_out_rows(len(incidence.rows), SEED)]
    places = np.flatnonzero(np.isin(written, held_out))
    if len(places) < FEWEST:
        return None
    if len(places) > MOST_HELD_OUT:
        places = np.sort(np.random.default_rng(SEED).choice(places, MOST_HELD_OUT, replace=False))
    return Trial(places, TrialWeightsBeside(related.trial, whole.matrix.shape[1]), SEED)


class TrialWeightsBeside:
    """What given tags say of all tags, by the weights that saw no held-out document."""

    def __init__(self, weights: TrialWeights, tags: int) -> None:
        self._related, self._columns, self._tags = weights.related, weights.trial.columns, tags
        self._place = np.full(tags, -1, dtype=np.int64)
        self._place[self._columns] = np.arange(len(self._columns))
        self._factors = [
            popularity_factors(weights.trial.counts, weights.related.popularity_exponent(POPULAR, size))
            for size in (1, 2)
        ]

    def __call__(self, given: tuple[int, ...]) -> NDArray[np.float64]:
        """0 for tags of which the weights know nothing."""
        beside = np.zeros((2, self._tags))
        known = tuple(int(place) for place in self._place[list(given)] if place >= 0)
        if known:
            found = self._related.candidates(known)
            beside[0, self._columns[found.tags]] = found.odds * self._factors[len(known) > 1][found.tags]
            beside[1, self._columns] = self._related.company(known)
        return beside
