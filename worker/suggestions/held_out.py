"""Splits documents into training and held-out documents."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster import incidence

SHARE: Final = 0.2
"""The share of documents to hold out."""

MOST: Final = 3000
"""Held-out documents to query, at most; more would not change the figures."""

TAIL: Final = 0.8
"""The rarer 80 % of the tags are the tail."""

Matrix = csr_array[np.float64, tuple[int, int]]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Training documents, and held-out documents whose tags are hidden one at a time.

    Tags are those of the training documents that are common enough to serve, `columns` of the matrix that was split;
    `documents` have at least two each.
    """

    train: Matrix
    documents: tuple[NDArray[np.int32], ...]
    counts: NDArray[np.int32]
    tail: NDArray[np.bool_]
    columns: NDArray[np.int64]
    hidden: int | None = None
    """Tags of a document that are hidden in turn, at most, evenly spaced; None for all."""

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the tags of each held-out document begin in `tags`."""
        return np.cumsum([0, *map(len, self.documents)], dtype=np.int64)

    @cached_property
    def tags(self) -> NDArray[np.int32]:
        """The tags of all held-out documents, one after the other."""
        return np.concatenate(self.documents)

    @cached_property
    def asked(self) -> NDArray[np.bool_]:
        """Which of the `tags` are hidden."""
        sizes = np.diff(self.starts)
        most = len(self.tags) if self.hidden is None else self.hidden
        place, size = np.arange(len(self.tags)) - np.repeat(self.starts[:-1], sizes), np.repeat(sizes, sizes)
        count = np.minimum(size, most)
        mask: NDArray[np.bool_] = place * count // size != (place - 1) * count // size
        return mask

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """What hiding each of the `tags` counts: those of a document together count 1."""
        counts = np.add.reduceat(self.asked, self.starts[:-1], dtype=np.int64)
        weights: NDArray[np.float64] = self.asked / np.repeat(counts, np.diff(self.starts))
        return weights


def sample_documents(matrix: Matrix, most: int, seed: int) -> Matrix:
    """At most `most` documents, drawn at random, in their order."""
    if matrix.shape[0] <= most:
        return matrix
    return csr_array(matrix[np.sort(np.random.default_rng(seed).choice(matrix.shape[0], most, replace=False))])


def pairs_of_tags(trial: HeldOut) -> HeldOut:
    """Two random tags of each held-out document: hiding one leaves a query of one tag."""
    random = np.random.default_rng(len(trial.documents))
    pairs = (np.sort(random.choice(document, 2, replace=False)) for document in trial.documents)
    return replace(trial, documents=tuple(pairs))


def held_out_rows(count: int, seed: int) -> NDArray[np.int64]:
    """The random fifth of the documents that is held out, in their order."""
    return np.sort(np.random.default_rng(seed).permutation(count)[: round(SHARE * count)])


def hold_out(matrix: Matrix, min_count: int, seed: int, most: int = MOST) -> HeldOut | None:
    """Hold out a random fifth of the documents; None if too few are left for training or for queries."""
    chosen = held_out_rows(matrix.shape[0], seed)
    held_out, training = matrix[chosen], matrix[np.setdiff1d(np.arange(matrix.shape[0]), chosen)]
    try:
        train = incidence(training, min_count)
    except ValueError:
        return None
    rows: Any = csr_array(held_out[:, train.columns])
    rows.sort_indices()
    documents = [rows.indices[rows.indptr[row] : rows.indptr[row + 1]] for row in range(rows.shape[0])]
    documents = [document.astype(np.int32) for document in documents if len(document) > 1]
    if not documents:
        return None
    if len(documents) > most:
        drawn = np.random.default_rng(seed + 1).choice(len(documents), most, replace=False)
        documents = [documents[position] for position in np.sort(drawn)]
    counts = np.asarray(train.matrix.sum(axis=0)).ravel().astype(np.int32)
    tail = np.zeros(len(counts), dtype=np.bool_)
    tail[np.argsort(counts, kind="stable")[: int(TAIL * len(counts))]] = True
    return HeldOut(train.matrix, tuple(documents), counts, tail, train.columns)
