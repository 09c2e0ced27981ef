"""Joint counts: how many documents each tag would leave, if a search page added it to its query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.answers import CloudTag, Neighbour, RelatedTag


@dataclass(frozen=True, eq=False)
class JointCounts:
    """The number of documents that have all tags of a query and each tag, and what follows for an answer.

    Attributes:
        counts: one number a tag, for the entries of an answer (`together`); None if nobody asked for it.
        among: which tags an answer may list; None for all.
    """

    counts: NDArray[np.int64] | None
    among: NDArray[np.bool_] | None

    def add_to(self, entries: Sequence[CloudTag | RelatedTag | Neighbour], tags: Sequence[int]) -> None:
        """Put the numbers into the entries of an answer; `tags` are their tags, in the same order."""
        if self.counts is not None:
            for entry, count in zip(entries, self.counts[list(tags)].tolist(), strict=True):
                entry["together"] = count


NO_COUNTS: Final = JointCounts(None, None)
"""Nothing is counted, every tag may be listed."""
