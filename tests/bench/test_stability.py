"""The report on continuity: what is measured split by split, and the means."""

from bench.stability.table import once_table


def step(moved, v, information):
    worth = {"documents": 50, "tags": 60, "v": v, "information": information}
    fresh = {**worth, "v": 0.5, "information": 0.6}
    return {"moved": moved, "worth": worth, "fresh": {**fresh, "v": 0.48}, "fresh_as_many": fresh}


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
