"""The result of a fit, exact or by micro-clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from cocluster.equations.arrays import Floats, Ints, Sparse
from cocluster.equations.history import History
from cocluster.equations.smoothing import STRIPE
from cocluster.fit.factored import FactoredMatrix
from cocluster.fit.plan import Plan


class SmoothedMatrix(Protocol):
    """M* of the different documents and tags, in a form that can be summed over groups of documents."""

    def sum_rows(self, members: Sparse) -> Floats:
        """M* added up: members · M*, members being groups × different documents."""

    def largest_groups(self, E: Sparse) -> Ints:
        """The group of tags with the most mass in each row; E has the tags of each group."""


@dataclass(frozen=True, eq=False)
class DenseMatrix:
    """M* written out."""

    N: Floats

    def sum_rows(self, members: Sparse) -> Floats:
        """M* added up."""
        return np.asarray(members @ self.N)

    def largest_groups(self, E: Sparse) -> Ints:
        """The group of tags with the most mass in each row; E has the tags of each group.  math.md (15)

        A stripe of rows at a time: the product copies what it is given.
        """
        parts = (np.asarray(self.N[start : start + STRIPE] @ E) for start in range(0, len(self.N), STRIPE))
        groups: Ints = np.concatenate([np.argmax(part, axis=1) for part in parts])
        return groups


@dataclass(frozen=True, eq=False)
class FitResult:
    """Every merge, the leaf of each document in the dendrogram of documents, and M*."""

    history: History
    row_leaves: Ints
    smoothed: SmoothedMatrix
    plan: Plan
    plain: FactoredMatrix | None = None
    """M* as a product before anything was inherited, if the fit computed it."""
