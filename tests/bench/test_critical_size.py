"""What counts as a true cluster of a checkerboard."""

from dataclasses import replace

import numpy as np

from bench.critical_size import agreeing, checkerboard_cases, distinguishable
from cocluster.cut import labels_at


def test_clusters_with_proportional_tiles_are_one():
    rates = np.array([[0.1, 0.0, 0.2], [0.05, 0.0, 0.1], [0.0, 0.1, 0.0], [0.1, 0.0, 0.1]])
    labels = np.array([0, 0, 1, 2, 3, 3])
    kinds = distinguishable(labels, rates)
    assert kinds[0] == kinds[1] == kinds[2]
    assert len(np.unique(kinds)) == 3


def test_clusters_that_hold_no_item_do_not_count():
    rates = np.array([[0.1, 0.0], [0.0, 0.0], [0.0, 0.1]])
    assert len(np.unique(distinguishable(np.array([0, 2, 2]), rates))) == 2


def test_the_cases_of_a_board_count_what_can_be_told_apart():
    rows, columns = checkerboard_cases(300, 10, 2002)
    assert (rows.held, rows.truth) == (10, 9), "two row clusters of this board have the same single tile"
    assert (columns.held, columns.truth) == (10, 9)
    assert len(rows.labels) == rows.tree.items


def test_the_best_agreement_is_where_the_tree_is_the_truth():
    case = checkerboard_cases(300, 4, 1)[0]
    assert agreeing(replace(case, labels=labels_at(case.tree, 6))) == 6
