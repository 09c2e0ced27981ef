"""Joint counts: how many documents each tag would leave, if a search page added it to its query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.answers import CloudTag, Neighbour, RelatedTag


@dataclass(frozen=True, eq=False)
class JointCounts:
    """The number of documents that have all tags of a query and each tag; None if nobody asked for it.

    Attributes:
        counts: one number a tag.
        shown: whether the entries of an answer get their number (`together`).
        narrow: whether tags without such a document are left out.
    """

    counts: NDArray[np.int64] | None
    shown: bool
    narrow: bool

    @property
    def among(self) -> NDArray[np.bool_] | None:
        """Which tags an answer may list; None for all."""
        return self.counts > 0 if self.narrow and self.counts is not None else None

    def add_to(self, entries: Sequence[CloudTag | RelatedTag | Neighbour], tags: Sequence[int]) -> None:
        """Put the numbers into the entries of an answer; `tags` are their tags, in the same order."""
        if self.shown and self.counts is not None:
            for entry, count in zip(entries, self.counts[list(tags)].tolist(), strict=True):
                entry["together"] = count


NO_COUNTS: Final = JointCounts(None, shown=False, narrow=False)
"""Nothing is counted."""
