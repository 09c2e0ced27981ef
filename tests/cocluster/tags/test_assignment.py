"""Where rare tags are placed."""

import numpy as np

from cocluster.tags.assignment import UNPLACED, nearest_clusters, steady_clusters

SCORES = np.array([[1.0, 0.9, 0.0], [1.0, 0.5, 0.0], [1.0, 0.9, 0.0], [0.0, 0.0, 0.0]])


def test_a_cluster_from_before_stays_if_its_score_is_near_the_best():
    assert steady_clusters(SCORES, np.array([1, 1, 2, 1]), 0.2).tolist() == [1, 0, 0, UNPLACED]


def test_without_a_cluster_from_before_the_best_wins():
    before = np.full(4, UNPLACED)
    assert steady_clusters(SCORES, before, 0.2).tolist() == nearest_clusters(SCORES).tolist() == [0, 0, 0, UNPLACED]
