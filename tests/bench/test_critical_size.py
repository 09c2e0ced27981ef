"""What counts as a true cluster of a checkerboard, and the rules that are compared."""

from dataclasses import replace

import numpy as np
import pytest

from bench.cocluster.critical_size.boards import (
    ALPHA,
    BETA,
    KS,
    LEAST_ITEMS,
    NS,
    anywhere,
    checkerboard_cases,
    distinguishable,
)
from bench.cocluster.critical_size.report import report_anywhere, report_grid
from bench.cocluster.critical_size.rules import agreeing, automatic, counting_all, learned
from cocluster import CoClustering, checkerboard


@pytest.fixture(scope="module")
def found():
    """The cases of six small boards."""
    return [case for seed in range(6) for case in checkerboard_cases(60, 3, seed)]


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
    assert agreeing(replace(case, labels=case.tree.cut(6))) == 6


def test_auto_is_that_of_the_library_also_on_a_board_in_pieces():
    n, k, seed = 430, 10, 100160
    found = [automatic(case) for case in checkerboard_cases(n, k, seed)]
    model = CoClustering().fit(checkerboard(n=n, m=n, k=k, alpha=ALPHA, beta=BETA, seed=seed)[0])
    assert found == [model.n_row_clusters_, model.n_column_clusters_]
    assert found != [counting_all(case) for case in checkerboard_cases(n, k, seed)]


def test_the_reports_count_the_misses_and_name_each(found, capsys):
    truth = np.array([case.truth for case in found])
    off = np.abs(np.array([automatic(case) for case in found]) - truth)
    missed = int(np.sum(off > 0.25 * truth))
    for report in (report_grid, report_anywhere):
        report(found)
        printed = capsys.readouterr().out
        assert f"auto      mean |k̂−k| {off.mean():5.2f} " in printed
        assert f"off by >25 %: {missed}\n" in printed
        _, listed = printed.split(f"the {missed} trees that auto misses")
        assert len(listed.splitlines()) == 1 + missed + 1


def test_boards_of_any_size_lie_between_the_ends_and_have_seeds_of_their_own():
    cells = anywhere(200)
    assert all(NS[0] <= n <= NS[-1] and KS[0] <= k <= KS[-1] and n / k >= LEAST_ITEMS for n, k, _ in cells)
    assert len({seed for *_, seed in cells}) == 200
    assert anywhere(50) == cells[:50]


def test_what_is_learned_of_a_board_is_learned_from_others(found):
    """The truth of one board is made absurd: its own guess stays, those of others change."""
    absurd = [
        replace(case, labels=np.arange(len(case.labels))) if place < 2 else case for place, case in enumerate(found)
    ]
    before, after = learned(found), learned(absurd)
    assert before[:2].tolist() == after[:2].tolist()
    assert before[2:].tolist() != after[2:].tolist()
