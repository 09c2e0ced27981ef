from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cocluster.arrays import Floats
from cocluster.micro.gathering import Factored
from cocluster.micro.scores import score_table
from cocluster.pipeline import Transitions

Singles: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Scores:
    """What each tag of a document adds to the scores of the clusters, and to the document's mass.  math.md (14)

    The score of cluster a for a document with the tags K is Σ_K table[k, a] / Σ_K mass[k] = Σ_y p_y log₂ q_a,y, with
    p the smoothed document and q_a the cluster, both normalised; KL(p ‖ q_a) is least where it is greatest.
    """

    table: Singles
    mass: Singles


def scores_of(made: Transitions, whole: Factored, masses: Floats) -> Scores:
    """The scores of clusters with these masses over the different tags, for every tag.  math.md (14)

    A row of D(d)A is the sum of what its tags give, √(vₖ/cₖ) each, times a factor that is common to the row; of
    several identical tags each gives its part.
    """
    folded = made.folded
    v = folded.column_sizes
    given = np.sqrt(v / np.asarray(folded.matrix.T @ folded.row_sizes)) / v
    table = given[:, None] * score_table(whole, masses)
    mass = given * whole.feature_sums
    return Scores(table.astype(np.float32)[folded.column_of], mass.astype(np.float32)[folded.column_of])
