from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cocluster.engine import straightforward


@dataclass(frozen=True)
class Merges:
    """One row per merge, in the order they were made; documents and tags interleaved.

    Attributes:
        side: 0 documents, 1 tags.
        a: the cluster that stays, named by its smallest member; a < b.
        b: the cluster that joins it.
        cost: D*, math.md (8).
        divergence: KL^J in bits, math.md (7).
        loss: information lost by this merge in bits, math.md (9).
    """

    side: NDArray[np.int8]
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    cost: NDArray[np.float64]
    divergence: NDArray[np.float64]
    loss: NDArray[np.float64]


def agglomerate(
    N: NDArray[np.float64],
    *,
    cost: Literal["composite", "divergence"] = "composite",
    joint: bool = True,
    row_sizes: NDArray[np.int64] | None = None,
    column_sizes: NDArray[np.int64] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Merges:
    """Every merge of rows and of columns of N, the cheapest over both sides first, math.md (8).

    Args:
        N: strictly positive and finite, rows × columns (M* after teleport).
        cost: KL^J × W, or KL^J alone.
        joint: whether each side is compared over the clusters of the other side or over its single items.
        row_sizes: items each row stands for, one each by default.
        column_sizes: likewise for columns.
        progress: called at most about 200 times with (merges done, merges in all); what it raises ends the run.
    """
    n, m = N.shape
    sizes = (
        np.ones(n, np.int64) if row_sizes is None else np.asarray(row_sizes, np.int64),
        np.ones(m, np.int64) if column_sizes is None else np.asarray(column_sizes, np.int64),
    )
    return Merges(*straightforward.run(N, sizes, cost == "composite", joint, progress))
