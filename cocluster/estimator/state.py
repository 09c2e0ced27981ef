"""Everything that a fit found: what a file must hold to restore a model."""

from __future__ import annotations

from dataclasses import dataclass

from cocluster.equations.arrays import Ints
from cocluster.equations.transition import Transitions
from cocluster.fit.result import FitResult
from tagmodel import RelatedTags


@dataclass(frozen=True, eq=False)
class FittedState:
    """The transitions and merges of a fit, what is known about its input, and related tags if they were learnt."""

    transitions: Transitions
    result: FitResult
    row_positions: Ints
    names: tuple[str, ...] | None
    related: RelatedTags | None
    documents: int | None = None
    """Rows of the input, if known; those without a tag are not clustered."""

    binarized: int = 0
    """Entries of the input above 0 that were not 1."""
