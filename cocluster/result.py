from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from cocluster.arrays import Floats, Ints, Sparse
from cocluster.history import History
from cocluster.micro.gathering import Factored
from cocluster.ways import Way


class Whole(Protocol):
    """M* of the different documents and tags, in a form that adds up over groups of documents."""

    def summed(self, members: Sparse) -> Floats:
        """M* added up: members · M*, members being groups × different documents."""


@dataclass(frozen=True, eq=False)
class Written:
    """M* written out."""

    N: Floats

    def summed(self, members: Sparse) -> Floats:
        """M* added up."""
        return np.asarray(members @ self.N)


@dataclass(frozen=True, eq=False)
class Result:
    """What either way ends with: every merge, the leaf of each document in the tree of documents, and M*."""

    past: History
    row_leaves: Ints
    whole: Whole
    way: Way
    plain: Factored | None = None
    """M* as a product before anything was inherited, where the way made one."""
