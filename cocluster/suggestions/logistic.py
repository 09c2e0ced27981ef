"""Logistic regressions of each tag on the tags whose lists contain it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from cocluster.equations.arrays import Floats, Sparse
from cocluster.equations.duplicates import DistinctRows, distinct_rows
from cocluster.equations.incidence import row_counts
from cocluster.suggestions.cooccurrence import Floats32
from cocluster.suggestions.kernels.descent import descend
from cocluster.suggestions.lists import Lists
from cocluster.tasks import LocalTasks

SWEEPS: Final = 100
"""Rounds through the weights of a tag, at most."""

TOLERANCE: Final = 0.05
"""In logits; a hundredth of it gains no recall."""

ENTRIES: Final = 200_000
"""Entries of the matrix in the sample that represents the documents without a tag."""

TAGS_AT_ONCE: Final = 64
"""Regressions of one task."""


@dataclass(frozen=True, eq=False)
class Postings:
    """Documents by tag, and how often each occurs: tag i is in documents[starts[i]:starts[i + 1]]."""

    starts: NDArray[np.int64]
    documents: NDArray[np.int32]
    times: Floats32


@dataclass(frozen=True, eq=False)
class TrainingDocuments:
    """The different documents, by row and by tag, and a sample of them.

    `place_of` is the place of each document in the sample, −1 if it is not there.
    """

    rows: Sparse
    postings: Postings
    sample: Postings
    place_of: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class LogisticWeights:
    """The logistic weights, in logits: `weights` of the pairs of the lists, in their order, and each tag's `prior`."""

    weights: Floats32
    prior: Floats32


def no_evidence(lists: Lists) -> LogisticWeights:
    """Weights and priors of 0."""
    return LogisticWeights(np.zeros(len(lists.indices), np.float32), np.zeros(len(lists.starts) - 1, np.float32))


def training_documents(M: Sparse, distinct: DistinctRows | None = None, most: int = ENTRIES) -> TrainingDocuments:
    """The different documents of M, which saves time, and a sample of about `most` entries.

    `distinct` are the different rows of M, if the caller has them already.
    """
    different = distinct or distinct_rows(M)
    rows: Sparse = csr_array(M[different.first])
    times = np.bincount(different.of).astype(np.float64)
    drawn, weights = draw_sample(rows, times, most)
    place_of = np.full(len(times), -1, dtype=np.int32)
    place_of[drawn] = np.arange(len(drawn), dtype=np.int32)
    return TrainingDocuments(rows, _postings(rows, times), _postings(csr_array(rows[drawn]), weights), place_of)


def _postings(rows: Sparse, times: Floats) -> Postings:
    by_tag: Any = csc_array(rows)
    by_tag.sort_indices()
    return Postings(by_tag.indptr.astype(np.int64), by_tag.indices.astype(np.int32), times.astype(np.float32))


def draw_sample(M: Sparse, times: Floats, most: int) -> tuple[NDArray[np.int64], Floats]:
    """Documents with about `most` entries, drawn with a fixed seed, each with a weight for those left out.

    The chance of a document is Q / (count of its rarest tag), so that at least about Q documents of each tag stay, and
    all of those of rarer tags; Q is as large as the entries allow.
    """
    lengths = row_counts(M)
    if lengths.sum() <= most:
        return np.arange(len(times)), times
    counts: Floats = np.asarray(M.T @ times)
    needed = np.minimum.reduceat(counts[M.indices], M.indptr[:-1]) / times
    low, high = 0.0, float(needed.max())
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if lengths @ np.minimum(1.0, middle / needed) > most else (middle, high)
    chance = np.minimum(1.0, low / needed)
    drawn = np.flatnonzero(np.random.default_rng(0).random(len(chance)) < chance)
    return drawn, times[drawn] / chance[drawn]


def logistic(
    documents: TrainingDocuments,
    lists: Lists,
    penalty: float,
    tolerance: float = TOLERANCE,
    start: LogisticWeights | None = None,
) -> LogisticWeights:
    """Each tag's logistic regression on the tags whose lists contain it.  suggestions.md (4)

    The weights w and prior b that make the documents most likely, less λ/2 (Σ w² + (b − b₀)²), where λ is the `penalty`
    and b₀ the logit of the share of documents with the tag. All documents that have the tag count, and of the others
    those of the sample, each with its weight. Coordinate descent until no weight moves by more than the `tolerance`,
    each tag by itself, so that the result does not depend on the number of threads. It begins at `start`, which saves
    sweeps where these are weights from similar documents or of a similar penalty.
    """
    tags = len(lists.starts) - 1
    sources = np.repeat(np.arange(tags, dtype=np.int32), np.diff(lists.starts))
    by_target = np.lexsort((sources, lists.indices))
    starts = np.concatenate([[0], np.cumsum(np.bincount(lists.indices, minlength=tags))]).astype(np.int64)
    weights = np.zeros(len(by_target), dtype=np.float32) if start is None else start.weights[by_target]
    prior = np.zeros(tags, dtype=np.float32) if start is None else start.prior.copy()
    near = (starts, sources[by_target])
    rows = (documents.rows.indptr.astype(np.int64), documents.rows.indices.astype(np.int32))
    holders, sample = ((part.starts, part.documents, part.times) for part in (documents.postings, documents.sample))

    def fit(block: range, _: None) -> None:
        data = (rows, holders, sample, documents.place_of)
        descend(*data, near, block.start, block.stop, penalty, tolerance, SWEEPS, weights, prior)

    for _ in LocalTasks().each(fit, list(_ranges(tags)), None):
        pass
    by_list = np.empty_like(weights)
    by_list[by_target] = weights
    return LogisticWeights(by_list, prior)


def _ranges(tags: int) -> Iterator[range]:
    for start in range(0, tags, TAGS_AT_ONCE):
        yield range(start, min(start + TAGS_AT_ONCE, tags))
