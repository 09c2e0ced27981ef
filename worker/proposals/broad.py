"""Finds tags that say nothing about a document."""

import numpy as np
from numpy.typing import NDArray

from worker.vocabulary.breadth import BROAD


def meaningless(breadth: NDArray[np.float32]) -> list[int]:
    """Broad tags, broadest first."""
    broad = np.flatnonzero(breadth >= BROAD)
    return [int(tag) for tag in broad[np.argsort(-breadth[broad], kind="stable")]]
