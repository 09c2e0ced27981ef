"""Selects the weights that decide rankings, as one list a tag."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cocluster.suggestions.cooccurrence import Floats32
from cocluster.suggestions.kernels.selection import mark_largest
from cocluster.tasks import LocalTasks

PER_EXPONENT: Final = 96
"""Weights of a tag selected for each exponent, for queries of one tag; twice as many for longer queries."""

EXPONENTS: Final = (0.0, 0.3, 0.7)
"""From popular to specific: a tag's weights are compared after division by count^exponent."""

CELLS: Final = 2_000_000
"""Entries of the matrices of weights that a thread searches at a time."""

ROW_BITS: Final = 8
TAG_BITS: Final = 23
"""Bits of a row of such a slice, and of a tag, in the signed keys by which entries are sorted; a weight takes 32."""

Rows: TypeAlias = Callable[[slice], tuple[Floats32, Floats32]]
"""The weights of a slice of tags for all tags: for queries of one tag, and for longer ones."""


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
    shrink = np.array([counts ** np.float32(-exponent) for exponent in EXPONENTS], dtype=np.float32)

    def best_of(tags: slice, _: None) -> tuple[NDArray[np.int64], NDArray[np.int32], Floats32, Floats32]:
        alone, together = rows(tags)
        chosen = np.zeros(together.shape, dtype=np.bool_)
        mark_largest(np.maximum(alone, 0.0), shrink, per_exponent, chosen)
        mark_largest(np.abs(together), shrink, 2 * per_exponent, chosen)
        row, tag = best_first(chosen, alone)
        return chosen.sum(axis=1), tag, alone[row, tag], together[row, tag]

    size = min(max(1, CELLS // len(counts)), 2**ROW_BITS)
    chunks = [slice(start, min(start + size, len(counts))) for start in range(0, len(counts), size)]
    sizes, indices, alone, together = zip(*LocalTasks().each(best_of, chunks, None), strict=True)
    starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int32)
    return Lists(starts, np.concatenate(indices), np.concatenate(alone), np.concatenate(together))


def best_first(chosen: NDArray[np.bool_], weights: Floats32) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Row and tag of the chosen entries, row by row, the largest weight first, then the lower tag.

    One number has row, weight and tag, so that a plain sort orders all three.
    """
    row, tag = np.nonzero(chosen)
    bits = weights[row, tag].view(np.int32).astype(np.int64)
    falling = np.where(bits < 0, bits & 0x7FFFFFFF, -bits) + 2**31
    keys = np.sort((row << (32 + TAG_BITS)) + (falling << TAG_BITS) + tag)
    return keys >> (32 + TAG_BITS), (keys & (2**TAG_BITS - 1)).astype(np.int32)
