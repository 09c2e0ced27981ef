"""The weights worth keeping, as one list a tag."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cocluster.suggestions.cooccurrence import Floats32
from cocluster.suggestions.kernels import mark_largest
from cocluster.tasks import LocalTasks

KEPT: Final = 96
"""How many tags each exponent keeps of the weights of a tag alone, and twice as many of those among others."""

EXPONENTS: Final = (0.0, 0.3, 0.7)
"""From popular to specific: a tag's weights are compared after division by count^exponent."""

CELLS: Final = 2_000_000
"""Of the matrices of weights, that a thread looks through at a time."""

Rows: TypeAlias = Callable[[slice], tuple[Floats32, Floats32]]
"""The weights of some tags for all tags: those of a tag asked alone, and those among others."""


@dataclass(frozen=True, eq=False)
class Lists:
    """The linear weights worth keeping: those of tag i are at indices[starts[i]:starts[i + 1]], best first."""

    starts: NDArray[np.int32]
    indices: NDArray[np.int32]
    alone: Floats32
    together: Floats32


def keep_best(rows: Rows, counts: NDArray[np.int64], kept: int = KEPT) -> Lists:
    """The weights that decide rankings, for every exponent between the ends: the best and the worst of each tag.

    A tag asked alone ranks by its positive weights. Among others a strong weight against a tag matters as much as one
    for it: without the negative ones recall@10 falls by up to .04.
    """
    shrink = np.array([counts ** np.float32(-exponent) for exponent in EXPONENTS], dtype=np.float32)

    def some(tags: slice, _: None) -> tuple[NDArray[np.int64], NDArray[np.int32], Floats32, Floats32]:
        alone, together = rows(tags)
        wanted = np.zeros(together.shape, dtype=np.bool_)
        mark_largest(np.maximum(alone, 0.0), shrink, kept, wanted)
        mark_largest(np.abs(together), shrink, 2 * kept, wanted)
        row, tag = np.nonzero(wanted)
        order = np.lexsort((-alone[row, tag], row))
        row, tag = row[order], tag[order]
        return wanted.sum(axis=1), tag.astype(np.int32), alone[row, tag], together[row, tag]

    size = max(1, CELLS // len(counts))
    chunks = [slice(start, min(start + size, len(counts))) for start in range(0, len(counts), size)]
    sizes, indices, alone, together = zip(*LocalTasks().each(some, chunks, None), strict=True)
    starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int32)
    return Lists(starts, np.concatenate(indices), np.concatenate(alone), np.concatenate(together))
