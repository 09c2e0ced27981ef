"""Tail tags: those that too few documents have to be clustered. Every question works for them too."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

NO_CONCEPT: Final = -1
"""The concept of a tail tag that nothing tells where to place."""


@dataclass(frozen=True, eq=False)
class TailTags:
    """The tags outside the tree, in the order of their keys. Tag i of these is tag `tag_count` + i of the snapshot.

    Attributes:
        names: as people see them.
        keys: the normalised spellings, by which they are looked up.
        counts: how many documents have each.
        concepts: the id of the cluster that each was placed in, or NO_CONCEPT.
    """

    names: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    counts: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    concepts: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def placed(self) -> int:
        """How many of them have a concept."""
        return int(np.count_nonzero(self.concepts != NO_CONCEPT))
