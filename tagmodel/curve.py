"""The curve of the criterion that decides where to cut a dendrogram."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class CriterionCurve:
    """The criterion for k = 1…n clusters of one side, n its leaves, each at the moment k is reached.  math.md (10)

    `criterion` is `entropy` × `information`. Both leave out the items that do not count.

    >>> curve = CriterionCurve(np.arange(1, 4), np.array([0, 1, 1.5]), np.ones(3), np.array([0, 0.8, 0.5]))
    >>> curve.best_k
    2
    """

    k: NDArray[Any]
    entropy: NDArray[np.float64]
    information: NDArray[np.float64]
    criterion: NDArray[np.float64]

    @property
    def best_k(self) -> int:
        """k* = argmax H*_rel × I; the fewest clusters when several are best.  math.md (10)"""
        return int(self.k[np.argmax(self.criterion)])
