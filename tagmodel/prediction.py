"""How well clusters of tags predict the tags of documents, in bits; the measure of a run, without its matrix."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MOST: Final = 20_000
"""Documents to measure on, at most."""

MOST_PAIRS: Final = 5_000_000
"""Pairs of tags in one document, at most: the sample is smaller if documents have many tags."""

HELD_OUT: Final = 0.2
PSEUDO_COUNTS: Final = 20.0
PLAIN: Final = 0.05

Ints = NDArray[np.int64]


def predicted_bits(starts: NDArray[Any], tags: NDArray[Any], clusters: Sequence[int], size: int) -> float:
    """The mean of log₂ P(t | clusters of the other tags) / P(t) over the tags t of held-out documents.  meaning.md

    The documents are a fixed sample, so that two partitions are measured alike. The tags of document i are
    tags[starts[i] : starts[i + 1]], of `size` in all.
    """
    labels = np.unique(np.asarray(clusters), return_inverse=True)[1].astype(np.int64)
    k = int(labels.max()) + 1
    rows = np.random.default_rng(0).permutation(len(starts) - 1)[:MOST]
    lengths = np.asarray(starts)[rows + 1] - np.asarray(starts)[rows]
    rows = rows[: max(int(np.searchsorted(np.cumsum(lengths.astype(np.float64) ** 2), MOST_PAIRS)), 2)]
    held = round(HELD_OUT * len(rows))
    train_row, train_tag = _entries(starts, tags, rows[held:])
    counts = np.bincount(train_tag, minlength=size)
    plain = counts / max(counts.sum(), 1)
    beside = _Beside(train_row, train_tag, labels, k)
    row, tag = _entries(starts, tags, rows[:held])
    known = counts[tag] > 0
    row, tag = row[known], tag[known]
    sizes = np.bincount(row, minlength=held)
    several = sizes[row] > 1
    row, tag = row[several], tag[several]
    if not len(tag):
        return 0.0
    weight = 1.0 / (beside.totals + PSEUDO_COUNTS)
    first, second = _pairs(row)
    cluster = labels[tag[second]]
    predicted = (beside.counts(tag[first], cluster) + PSEUDO_COUNTS * plain[tag[first]]) * weight[cluster]
    mean = np.bincount(first, predicted, minlength=len(tag)) / (sizes[row] - 1)
    return float(np.log2((1.0 - PLAIN) * mean / plain[tag] + PLAIN).mean())


class _Beside:
    """How often a tag stands beside another tag of a cluster in one document."""

    def __init__(self, row: Ints, tag: Ints, labels: Ints, k: int) -> None:
        first, second = _pairs(row)
        self._k = k
        self._codes, self._counts = np.unique(tag[first] * k + labels[tag[second]], return_counts=True)
        self.totals = np.bincount(self._codes % k, self._counts, minlength=k)

    def counts(self, tag: Ints, cluster: Ints) -> NDArray[np.float64]:
        """The counts of tags and clusters, pair by pair."""
        codes = tag * self._k + cluster
        if not len(self._codes):
            return np.zeros(len(codes))
        place = np.minimum(np.searchsorted(self._codes, codes), len(self._codes) - 1)
        return np.where(self._codes[place] == codes, self._counts[place], 0).astype(np.float64)


def _entries(starts: NDArray[Any], tags: NDArray[Any], rows: Ints) -> tuple[Ints, Ints]:
    """The number of the row and the tag of every entry of some documents."""
    begin = np.asarray(starts)[rows].astype(np.int64)
    lengths = np.asarray(starts)[rows + 1].astype(np.int64) - begin
    row = np.repeat(np.arange(len(rows)), lengths)
    offsets = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return row, np.asarray(tags)[np.repeat(begin, lengths) + offsets].astype(np.int64)


def _pairs(row: Ints) -> tuple[Ints, Ints]:
    """All ordered pairs of different entries of one row, as places; `row` rises."""
    sizes = np.bincount(row) if len(row) else np.zeros(0, dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    first = np.repeat(np.arange(len(row)), sizes[row])
    within = np.arange(len(first)) - np.repeat(np.cumsum(sizes[row]) - sizes[row], sizes[row])
    second = starts[row[first]] + within
    different = first != second
    return first[different], second[different]
