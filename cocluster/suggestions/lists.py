"""Selects the weights that decide rankings, as one list a tag."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.suggestions.cooccurrence import Floats32, Sparse32
from cocluster.suggestions.kernels.selection import mark_largest, mark_largest_listed
from cocluster.tasks import LocalTasks

PER_EXPONENT: Final = 96
"""Weights of a tag selected for each exponent, for queries of one tag; twice as many for longer queries."""

EXPONENTS: Final = (0.0, 0.3, 0.7)
"""From popular to specific: a tag's weights are compared after division by count^exponent."""

CELLS: Final = 2_000_000
"""Entries of the matrices of weights that a thread searches at a time."""

LISTED: Final = 256
"""Sparse rows of weights that a thread searches at a time."""

ROW_BITS: Final = 8
TAG_BITS: Final = 23
"""Bits of a row of such a slice, and of a tag, in the signed keys by which entries are sorted; a weight takes 32."""

Rows: TypeAlias = Callable[[slice], tuple[Floats32, Floats32]]
"""The weights of a slice of tags for all tags: for queries of one tag, and for longer ones."""

Best: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32], Floats32, Floats32]
"""How many weights of each tag of a slice were selected; the tags that they are for, and both weights."""


@dataclass(frozen=True, eq=False)
class Lists:
    """The selected linear weights: those of tag i are at indices[starts[i]:starts[i + 1]], best first."""

    starts: NDArray[np.int32]
    indices: NDArray[np.int32]
    alone: Floats32
    together: Floats32


def keep_best(rows: Rows, counts: NDArray[np.int64], per_exponent: int = PER_EXPONENT) -> Lists:
    """The weights that decide rankings, for every exponent between the ends: the best and the worst of each tag.

    A query of one tag ranks by positive weights. In a longer one a strong negative weight matters as much as a positive
    one: without the negative ones recall@10 falls by up to .04.
    """
    shrink = _shrink(counts)

    def best_of(tags: slice, _: None) -> Best:
        alone, together = rows(tags)
        chosen = np.zeros(together.shape, dtype=np.bool_)
        mark_largest(np.maximum(alone, 0.0), shrink, per_exponent, chosen)
        mark_largest(np.abs(together), shrink, 2 * per_exponent, chosen)
        row, tag = best_first(chosen, alone)
        return chosen.sum(axis=1), tag, alone[row, tag], together[row, tag]

    return _all_lists(best_of, len(counts), min(max(1, CELLS // len(counts)), 2**ROW_BITS))


def keep_best_listed(
    alone: Sparse32, together: Sparse32, counts: NDArray[np.int64], per_exponent: int = PER_EXPONENT
) -> Lists:
    """The same lists from sparse weights: nothing is as long as the vocabulary, whose square is never gone through."""
    shrink = _shrink(counts)

    def best_of(tags: slice, _: None) -> Best:
        starts, columns, one, several = merged_rows(csr_array(alone[tags]), csr_array(together[tags]))
        chosen = np.zeros(len(columns), dtype=np.bool_)
        mark_largest_listed(starts, columns, np.maximum(one, 0.0), shrink, per_exponent, chosen)
        mark_largest_listed(starts, columns, np.abs(several), shrink, 2 * per_exponent, chosen)
        row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))[chosen]
        order = np.argsort(_sort_keys(row, one[chosen], columns[chosen]))
        sizes = np.bincount(row, minlength=len(starts) - 1)
        return sizes, columns[chosen][order], one[chosen][order], several[chosen][order]

    return _all_lists(best_of, len(counts), LISTED)


def merged_rows(one: Sparse32, other: Sparse32) -> tuple[NDArray[np.int64], NDArray[np.int32], Floats32, Floats32]:
    """The entries that either of two matrices has: where rows start, their columns, and the values in both."""
    columns = one.shape[1]
    keys = [np.repeat(np.arange(one.shape[0]), np.diff(part.indptr)) * columns + part.indices for part in (one, other)]
    every, place = np.unique(np.concatenate(keys), return_inverse=True)
    values = np.zeros((2, len(every)), dtype=np.float32)
    values[0, place[: len(keys[0])]] = one.data
    values[1, place[len(keys[0]) :]] = other.data
    starts = np.searchsorted(every, np.arange(one.shape[0] + 1) * columns).astype(np.int64)
    return starts, (every % columns).astype(np.int32), values[0], values[1]


def _shrink(counts: NDArray[np.int64]) -> Floats32:
    """What the weight of each tag is multiplied by, for each exponent."""
    return np.array([counts ** np.float32(-exponent) for exponent in EXPONENTS], dtype=np.float32)


def _all_lists(best_of: Callable[[slice, None], Best], tags: int, size: int) -> Lists:
    """The lists of all tags, so many at a time."""
    chunks = [slice(start, min(start + size, tags)) for start in range(0, tags, size)]
    sizes, indices, alone, together = zip(*LocalTasks().each(best_of, chunks, None), strict=True)
    starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int32)
    return Lists(starts, np.concatenate(indices), np.concatenate(alone), np.concatenate(together))


def best_first(chosen: NDArray[np.bool_], weights: Floats32) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Row and tag of the chosen entries, row by row, the largest weight first, then the lower tag."""
    row, tag = np.nonzero(chosen)
    keys = np.sort(_sort_keys(row, weights[row, tag], tag))
    return keys >> (32 + TAG_BITS), (keys & (2**TAG_BITS - 1)).astype(np.int32)


def _sort_keys(row: NDArray[np.int64], weights: Floats32, tag: NDArray[Any]) -> NDArray[np.int64]:
    """One number has row, weight and tag, so that a plain sort orders all three."""
    bits = weights.view(np.int32).astype(np.int64)
    falling = np.where(bits < 0, bits & 0x7FFFFFFF, -bits) + 2**31
    keys: NDArray[np.int64] = (row << (32 + TAG_BITS)) + (falling << TAG_BITS) + tag
    return keys
