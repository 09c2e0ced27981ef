"""Learns from words to tags at given settings."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csc_array, csr_array

from cocluster.equations.arrays import Sparse
from cocluster.text.word_matrix import WordMatrix
from tagmodel.language.text import FEATURES, STRENGTH, TextModel

LEAST_DOCUMENTS: Final = 2
"""Documents that a word must occur in."""

MOST_WORDS: Final = 200_000
"""Words that are known, the commonest."""

RIDGE_WORDS: Final = 6144
"""Words that the regression is from, the commonest: its cost grows with the cube. Neighbours know the others."""

RIDGE_TAGS: Final = 8192
RIDGE_COUNT: Final = 3
"""Tags that the regression is to: the commonest, in at least so many documents."""

BLOCK: Final = 1024
"""Tags that are solved for at once."""

MOST_WEIGHTS: Final = 2_000_000
LEAST_OF_TAG, MOST_OF_TAG = 32, 512
"""Weights that are stored in all, and the limits for one tag."""

POSTED_WORDS: Final = 40
"""Words of a document by which it is found, those of the largest value."""

PRIOR: Final = 3.0
"""The mean chance of all names counts as much as so many documents with a name."""


@dataclass(frozen=True)
class TextSettings:
    """What is tuned: the penalty of the regression, how many neighbours vote, and the power of their likeness."""

    penalty: float = 2.0
    neighbours: int = 50
    power: float = 2.0


@dataclass(frozen=True, eq=False)
class Values:
    """The value of each known word in each document, (1 + log n) idf, every row of length 1."""

    words: NDArray[np.uint64]
    idf: NDArray[np.float32]
    matrix: Sparse

    @property
    def commonest(self) -> NDArray[np.intp]:
        """The words of the regression, rising."""
        holders = np.bincount(self.matrix.indices, minlength=self.matrix.shape[1])
        return np.sort(np.argsort(-holders, kind="stable")[:RIDGE_WORDS])


def word_values(data: WordMatrix) -> Values:
    """The values of the words that occur in several documents."""
    n = data.counts.shape[0]
    holders = np.bincount(data.counts.indices, minlength=len(data.words))
    known = np.flatnonzero(holders >= LEAST_DOCUMENTS)
    if len(known) > MOST_WORDS:
        known = np.sort(known[np.argsort(-holders[known], kind="stable")[:MOST_WORDS]])
    idf = (np.log((1 + n) / (1 + holders[known])) + 1).astype(np.float32)
    matrix: Any = csr_array(data.counts[:, known])
    matrix.data = (1.0 + np.log(matrix.data)) * idf[matrix.indices]
    lengths = np.sqrt(np.asarray((matrix * matrix).sum(axis=1)).ravel())
    matrix.data /= np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(matrix.indptr))
    return Values(data.words[known], idf, matrix)


def regressed_tags(Y: Sparse) -> NDArray[np.intp]:
    """The tags that are common enough for the regression, rising."""
    counts = np.bincount(Y.indices, minlength=Y.shape[1])
    tags = np.flatnonzero(counts >= RIDGE_COUNT)
    return np.sort(tags[np.argsort(-counts[tags], kind="stable")[:RIDGE_TAGS]])


class Regression:
    """The ridge regression of tags on words: (XᵀX + λI) W = XᵀY.  suggestions-from-text.md (2)"""

    def __init__(self, X: Sparse, Y: Sparse) -> None:
        self._gram = np.asarray((X.T @ X).toarray(), dtype=np.float32)
        self._products: Any = csc_array(X.T @ Y)

    def weights(self, penalty: float) -> "Solver":
        """The weights at a penalty, by blocks of tags."""
        gram = self._gram.copy()
        gram[np.diag_indices_from(gram)] += penalty
        return Solver(cho_factor(gram, lower=True, overwrite_a=True, check_finite=False), self._products)


class Solver:
    """Solves for some of the tags at a time: the weights of all would not fit into memory."""

    def __init__(self, factor: Any, products: Any) -> None:
        self._factor, self._products = factor, products

    def block(self, start: int) -> NDArray[np.float32]:
        """Words × the tags from `start` on."""
        right = self._products[:, start : start + BLOCK].toarray().astype(np.float32)
        solved: NDArray[np.float32] = cho_solve(self._factor, right, overwrite_b=True, check_finite=False)
        return solved


def fit_text(data: WordMatrix, Y: Sparse, settings: TextSettings, mix: NDArray[np.float64] | None = None) -> TextModel:
    """Learn from documents (rows of both) with these settings; `mix` is learnt on documents held out."""
    values = word_values(data)
    narrow = np.uint16 if Y.shape[1] <= 2**16 else np.uint32
    weight_starts, weight_tags, weights = _pruned_weights(values, Y, settings.penalty)
    posting_starts, postings, strengths = _postings(values)
    counts = np.bincount(Y.indices, minlength=Y.shape[1])
    return TextModel(
        words=values.words,
        idf=values.idf,
        weight_starts=weight_starts,
        weight_tags=weight_tags.astype(narrow),
        weights=weights.astype(np.float16),
        posting_starts=posting_starts,
        postings=postings,
        strengths=strengths,
        phrases=data.phrases,
        phrase_tags=data.phrase_tags.astype(narrow),
        phrase_chances=name_chances(data, Y).astype(np.float32),
        popularity=np.log((counts + 0.5) / (Y.shape[0] + 1)).astype(np.float32),
        neighbourhood=np.array([settings.neighbours, settings.power], dtype=np.float64),
        mix=np.zeros((3, FEATURES + 1)) if mix is None else mix,
    )


def name_chances(data: WordMatrix, Y: Sparse) -> NDArray[np.float64]:
    """(n_both + κ p̄)/(n_named + κ): how often a document with the name of a tag has the tag.

    suggestions-from-text.md (1)
    """
    named = np.bincount(data.named.indices, minlength=len(data.phrases)).astype(np.float64)
    rows = np.repeat(np.arange(data.named.shape[0]), np.diff(data.named.indptr))
    tags = data.phrase_tags[data.named.indices]
    has = _has(Y, rows, tags)
    both = np.bincount(data.named.indices, has, minlength=len(data.phrases))
    mean = both.sum() / max(named.sum(), 1.0)
    chances: NDArray[np.float64] = (both + PRIOR * mean) / (named + PRIOR)
    return chances


def _has(Y: Sparse, rows: NDArray[Any], tags: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each of these documents has each of these tags."""
    width = Y.shape[1]
    known = np.repeat(np.arange(Y.shape[0], dtype=np.int64), np.diff(Y.indptr)) * width + Y.indices
    return np.isin(rows.astype(np.int64) * width + tags, known)


def _pruned_weights(
    values: Values, Y: Sparse, penalty: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """The largest weights of each tag, by words: where the list of each word begins, the tags, the weights."""
    words, tags = values.commonest, regressed_tags(Y)
    starts = np.zeros(len(values.words) + 1, dtype=np.int64)
    if not len(tags) or not len(words):
        return starts, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    solver = Regression(csr_array(values.matrix[:, words]), csr_array(Y[:, tags])).weights(penalty)
    kept = min(int(np.clip(MOST_WEIGHTS // len(tags), LEAST_OF_TAG, MOST_OF_TAG)), len(words))
    parts: list[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]] = []
    for start in range(0, len(tags), BLOCK):
        block = solver.block(start)
        best = np.argpartition(-np.abs(block), kept - 1, axis=0)[:kept]
        chosen = np.take_along_axis(block, best, axis=0)
        parts.append((words[best].ravel(), np.tile(tags[start : start + BLOCK], kept), chosen.ravel()))
    rows, columns, weights = (np.concatenate(each) for each in zip(*parts, strict=True))
    there = np.abs(weights) > 1e-3
    rows, columns, weights = rows[there], columns[there], weights[there]
    order = np.lexsort((columns, rows))
    starts[1:] = np.cumsum(np.bincount(rows, minlength=len(values.words)))
    return starts, columns[order], weights[order]


def _postings(values: Values) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint8]]:
    """The documents of each word, and what the word is worth in them; of each document only its strongest words."""
    matrix = values.matrix
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((-matrix.data, rows))
    rank = np.arange(matrix.nnz) - np.repeat(matrix.indptr[:-1], np.diff(matrix.indptr))
    kept = order[rank < POSTED_WORDS]
    columns = matrix.indices[kept]
    by_word = np.lexsort((rows[kept], columns))
    strengths = np.clip(np.rint(matrix.data[kept][by_word] * STRENGTH), 1, STRENGTH)
    starts = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=matrix.shape[1]))])
    return starts.astype(np.int64), rows[kept][by_word].astype(np.uint32), strengths.astype(np.uint8)
