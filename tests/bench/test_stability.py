"""The report on continuity: what is measured split by split, and the means."""

from dataclasses import asdict

import pytest

from bench.cocluster.stability.measures import Worth, gap
from bench.cocluster.stability.table import once_table


def step(moved, v, information):
    worth = Worth(50, 60, information, v)
    as_many, own_cut = Worth(50, 60, 0.6, 0.5), Worth(50, 60, 0.6, 0.48)
    return {"moved": moved, "as_many": asdict(gap(worth, as_many)), "own_cut": asdict(gap(worth, own_cut))}


def run(*steps):
    return {"steps": [{}, *steps]}


def test_the_last_batch_is_told_split_by_split_with_the_mean():
    once = {
        ("icons", 1): {0.0: run(step(0.3, 0.5, 0.6)), 0.3: run(step(0.01, 0.49, 0.606))},
        ("icons", 2): {0.0: run(step(0.2, 0.5, 0.6)), 0.3: run(step(0.03, 0.52, 0.594))},
        ("recipes", 1): {0.0: run(step(0.5, 0.5, 0.6)), 0.3: None},
    }
    assert once_table(once, 0.3)[-4:] == [
        "| icons | 1 | 1.0% | 30.0% | -0.010 | +1.0% | +0.010 | +1.0% |",
        "| icons | 2 | 3.0% | 20.0% | +0.020 | -1.0% | +0.040 | -1.0% |",
        "| icons | mean | 2.0% | 25.0% | +0.005 | +0.0% | +0.025 | +0.0% |",
        "",
    ]


def test_nothing_is_told_of_what_has_not_been_measured():
    assert once_table({("icons", 1): {0.0: None, 0.3: None}}, 0.3) == []


def test_a_gap_is_positive_where_the_run_is_worth_more():
    found = gap(Worth(50, 60, information=0.66, v=0.52), Worth(50, 60, information=0.6, v=0.5))
    assert (found.v, found.information) == (pytest.approx(0.02), pytest.approx(0.1))
