"""Tags from text: what the words of a document say about its tags, learnt from the documents of one corpus."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tagmodel.language.words import Hashes, WordCounts, counted, phrases_of

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]

MOST_POSTINGS: Final = 60_000
"""Entries of the lists of a text's words that are read to find its neighbours, those of the rarest words first."""

STRENGTH: Final = 255.0
"""What a strength of 1 is stored as."""

LEAST_WEIGHT: Final = 0.01
"""A tag with less from the words, and nothing else that speaks for it, is no candidate."""

TEXT_ALONE, TEXT_AND_TAGS, TAGS_ALONE = 0, 1, 2
"""The rows of `mix`."""

FEATURES: Final = 11


class TaggedDocuments(Protocol):
    """The tags of documents; a `DocumentIndex` is one."""

    @property
    def document_count(self) -> int:
        """How many documents there are."""

    def tags_of(self, document: int) -> NDArray[Any]:
        """The tags of a document."""


def _zeros(kind: Any, shape: Any = 0) -> Callable[[], Any]:
    """Makes an array that knows nothing."""
    return partial(np.zeros, shape, kind)


@dataclass(frozen=True, eq=False)
class TextEvidence:
    """What a text says about some tags, `tags` rising; the other arrays are parallel to it.

    Attributes:
        votes: the share of the neighbours' votes for each tag, 0…1.
        weights: the sum of the words' weights for each tag.
        chances: how often the tag is given where its name stands in the text; 0 if it does not.
        neighbours: the documents most like the text, nearest first.
        likeness: the likeness of each of them, 0…1.
        entries: each word's part in the weights: word (its hash), tag, part.
    """

    tags: Positions
    votes: Floats
    weights: Floats
    chances: Floats
    neighbours: Positions
    likeness: Floats
    entries: tuple[Hashes, Positions, Floats]


@dataclass(frozen=True, eq=False)
class TextModel:
    """What a run learnt from words to tags, in three ways, and how they are mixed.  suggestions-from-text.md

    Every field is an array and may be a read-only memory map. The defaults know nothing.

    Attributes:
        words: the numbers of the known words, rising.
        idf: log((1 + n)/(1 + n_w)) + 1 of each.
        weight_starts: the weights of word w are those from weight_starts[w] to weight_starts[w + 1].
        weight_tags: their tags.
        weights: the weights of a ridge regression from words to tags; the small ones are left out.
        posting_starts: the documents of word w are those from posting_starts[w] to posting_starts[w + 1].
        postings: their positions.
        strengths: what the word is worth in each, times 255.
        phrases: the numbers of the phrases that are names of tags, rising.
        phrase_tags: the tag that each names.
        phrase_chances: how often a document with the phrase has the tag.
        popularity: log(count/n) of every tag.
        neighbourhood: how many neighbours vote, and the power of their likeness by which they do.
        mix: for a text alone, a text beside tags, and tags alone, the weight of each feature and a constant.
    """

    words: Hashes = field(default_factory=_zeros(np.uint64))
    idf: NDArray[np.float32] = field(default_factory=_zeros(np.float32))
    weight_starts: NDArray[np.int64] = field(default_factory=_zeros(np.int64, (1,)))
    weight_tags: NDArray[Any] = field(default_factory=_zeros(np.uint16))
    weights: NDArray[np.float16] = field(default_factory=_zeros(np.float16))
    posting_starts: NDArray[np.int64] = field(default_factory=_zeros(np.int64, (1,)))
    postings: NDArray[np.uint32] = field(default_factory=_zeros(np.uint32))
    strengths: NDArray[np.uint8] = field(default_factory=_zeros(np.uint8))
    phrases: Hashes = field(default_factory=_zeros(np.uint64))
    phrase_tags: NDArray[Any] = field(default_factory=_zeros(np.uint16))
    phrase_chances: NDArray[np.float32] = field(default_factory=_zeros(np.float32))
    popularity: NDArray[np.float32] = field(default_factory=_zeros(np.float32))
    neighbourhood: NDArray[np.float64] = field(default_factory=_zeros(np.float64, (2,)))
    mix: NDArray[np.float64] = field(default_factory=_zeros(np.float64, (3, FEATURES + 1)))

    @property
    def knows_words(self) -> bool:
        """Whether anything was learnt."""
        return len(self.words) > 0

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays together."""
        return sum(int(array.nbytes) for array in vars(self).values())

    def evidence(self, index: TaggedDocuments, title: str, text: str) -> TextEvidence:
        """What a text says; `index` has the tags of the documents that were learnt from."""
        return self.evidence_of(index, counted(title, text), _found(self.phrases, phrases_of(title, text)))

    def evidence_of(self, index: TaggedDocuments, words: WordCounts, named: Positions) -> TextEvidence:
        """The same by the words of a document and the places of the names in it."""
        places, values = self.vector(words)
        neighbours, likeness = self._neighbours(places, values, index.document_count)
        tag_count = len(self.popularity)
        entries = self._entries(places, values)
        weights = np.bincount(entries[1], entries[2], tag_count).astype(np.float64)
        votes = self._votes(index, neighbours, likeness)
        chances = np.zeros(tag_count)
        np.maximum.at(chances, self.phrase_tags[named].astype(np.intp), self.phrase_chances[named])
        (candidates,) = ((votes > 0) | (weights > LEAST_WEIGHT) | (chances > 0)).nonzero()
        return TextEvidence(
            candidates,
            votes[candidates],
            weights[candidates],
            chances[candidates],
            neighbours,
            likeness,
            entries,
        )

    def vector(self, words: WordCounts) -> tuple[Positions, Floats]:
        """The known words of a document, and the value of each: (1 + log n) idf, of length 1 together."""
        places, known = _places(self.words, words.hashes)
        values = (1.0 + np.log(words.counts[known])) * self.idf[places].astype(np.float64)
        length = np.sqrt((values**2).sum())
        return places, values / length if length > 0 else values

    def scores(self, found: TextEvidence, tags: Positions, beside: Floats | None = None) -> Floats:
        """The probability of each of these tags; `beside` is what given tags say of them, if any are given."""
        votes, weights, chances = self.spread(found, tags)
        row = TEXT_ALONE if beside is None else TEXT_AND_TAGS
        return self._mixed(row, features(votes, weights, chances, self.popularity[tags], beside))

    def tag_scores(self, tags: Positions, beside: Floats) -> Floats:
        """The probability of each of these tags beside tags that are given, without a text."""
        nothing = np.zeros(len(tags))
        return self._mixed(TAGS_ALONE, features(nothing, nothing, nothing, self.popularity[tags], beside))

    def _mixed(self, row: int, values: Floats) -> Floats:
        logits = values @ self.mix[row, :-1] + self.mix[row, -1]
        probabilities: Floats = 1.0 / (1.0 + np.exp(-logits))
        return probabilities

    @staticmethod
    def spread(found: TextEvidence, tags: Positions) -> tuple[Floats, Floats, Floats]:
        """Votes, weights and chances of these tags; 0 where the text says nothing."""
        votes, weights, chances = (
            _spread(found.tags, part, tags) for part in (found.votes, found.weights, found.chances)
        )
        return votes, weights, chances

    def _neighbours(self, places: Positions, values: Floats, documents: int) -> tuple[Positions, Floats]:
        """The documents most like a text, by the cosine; only the rarest words count if there are very many entries."""
        most = int(self.neighbourhood[0])
        starts, ends = self.posting_starts[places], self.posting_starts[places + 1]
        sizes = ends - starts
        order = np.argsort(sizes, kind="stable")
        order = order[: max(int(np.searchsorted(np.cumsum(sizes[order]), MOST_POSTINGS, side="right")), 1)]
        spans = [slice(starts[place], ends[place]) for place in order.tolist()]
        if not spans or most == 0:
            return np.zeros(0, dtype=np.intp), np.zeros(0)
        near = np.concatenate([self.postings[span] for span in spans]).astype(np.intp)
        strengths = np.concatenate([self.strengths[span] for span in spans]).astype(np.float64)
        likeness = np.bincount(near, strengths * np.repeat(values[order], sizes[order]), documents) / STRENGTH
        (candidates,) = likeness.nonzero()
        if len(candidates) > most:
            candidates = candidates[np.argpartition(-likeness[candidates], most - 1)[:most]]
        best = candidates[np.lexsort((candidates, -likeness[candidates]))]
        return best, likeness[best]

    def _votes(self, index: TaggedDocuments, neighbours: Positions, likeness: Floats) -> Floats:
        votes = np.zeros(len(self.popularity))
        if not len(neighbours):
            return votes
        power = likeness ** self.neighbourhood[1]
        tags = [index.tags_of(document) for document in neighbours.tolist()]
        sizes = [len(each) for each in tags]
        votes += np.bincount(np.concatenate(tags).astype(np.intp), np.repeat(power, sizes), len(votes))
        share: Floats = votes / power.sum()
        return share

    def _entries(self, places: Positions, values: Floats) -> tuple[Hashes, Positions, Floats]:
        """What each word adds to the weight of each tag."""
        spans = [slice(self.weight_starts[place], self.weight_starts[place + 1]) for place in places.tolist()]
        if not spans:
            return np.zeros(0, np.uint64), np.zeros(0, np.intp), np.zeros(0)
        sizes = [span.stop - span.start for span in spans]
        tags = np.concatenate([self.weight_tags[span] for span in spans]).astype(np.intp)
        parts = np.concatenate([self.weights[span] for span in spans]).astype(np.float64)
        return np.repeat(self.words[places], sizes), tags, parts * np.repeat(values, sizes)


def features(
    votes: Floats, weights: Floats, chances: Floats, popularity: NDArray[Any], beside: Floats | None
) -> NDArray[np.float64]:
    """What speaks for tags, a row for each, in the form that is mixed.

    `beside` has what given tags say of each: the odds, and the mean weight for their company; None if there are none.
    """
    given, company = np.zeros((2, len(votes))) if beside is None else beside
    return np.stack(
        [
            np.log(votes + 0.003),
            votes,
            np.log(np.maximum(weights, 0.0) + 0.01),
            weights,
            np.log(chances + 0.02),
            (chances > 0).astype(np.float64),
            np.asarray(popularity, dtype=np.float64),
            np.log(given + 1e-3),
            given / (1.0 + given),
            np.log(company + 1e-3),
            company / (1.0 + company),
        ],
        axis=1,
    )


def words_behind(found: TextEvidence, tag: int, words: Sequence[str], hashes: Hashes, most: int) -> list[str]:
    """The words of a text that add most to a tag, largest first; `hashes` are those of the words."""
    numbers, tags, parts = found.entries
    mine = (tags == tag) & (parts > 0)
    best = numbers[mine][np.argsort(-parts[mine], kind="stable")]
    written = dict(zip(hashes.tolist(), words, strict=True))
    return list(dict.fromkeys(written[number] for number in best.tolist() if number in written))[:most]


def _places(known: Hashes, wanted: Hashes) -> tuple[Positions, NDArray[np.bool_]]:
    """The places of numbers among those that are known, and which of the wanted ones are."""
    if not len(known):
        return np.zeros(0, dtype=np.intp), np.zeros(len(wanted), dtype=np.bool_)
    places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    there = known[places] == wanted
    return places[there], there


def _found(known: Hashes, wanted: Hashes) -> Positions:
    return _places(known, wanted)[0]


def _spread(places: Positions, values: Floats, wanted: Positions) -> Floats:
    """The values at these places, for the wanted ones; 0 elsewhere."""
    if not len(places):
        return np.zeros(len(wanted))
    near = np.minimum(np.searchsorted(places, wanted), len(places) - 1)
    return np.where(places[near] == wanted, values[near], 0.0)
