"""Scores of document clusters: what each tag of a document adds to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cocluster.equations.arrays import Floats, Singles
from cocluster.equations.transition import Transitions
from cocluster.fit.factored import FactoredMatrix
from cocluster.micro.scores import score_table


@dataclass(frozen=True, eq=False)
class ClusterScores:
    """What each tag of a document adds to the scores of the clusters, and to the document's mass.  math.md (14)

    The score of cluster a for a document with the tags K is Σ_K table[k, a] / Σ_K mass[k] = Σ_y p_y log₂ q_a,y, with
    p the smoothed document and q_a the cluster, both normalised; KL(p ‖ q_a) is least where it is greatest.
    """

    table: Singles
    mass: Singles


def cluster_scores(transitions: Transitions, smoothed: FactoredMatrix, masses: Floats) -> ClusterScores:
    """The scores of clusters with these masses over the different tags, for every tag.  math.md (14)

    A row of D(d)A has √(vₖ/cₖ) for each of its tags, times a factor that is common to the row. Identical tags share
    that value equally.
    """
    distinct = transitions.distinct
    v = distinct.column_sizes
    weight = np.sqrt(v / np.asarray(distinct.matrix.T @ distinct.row_sizes)) / v
    table = weight[:, None] * score_table(smoothed, masses)
    mass = weight * smoothed.feature_sums
    return ClusterScores(table.astype(np.float32)[distinct.column_of], mass.astype(np.float32)[distinct.column_of])
