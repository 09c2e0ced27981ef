"""The comparison of two checkouts: its turns, its table, and what it refuses."""

import subprocess
import sys

import pytest

from bench.unchanged.__main__ import NEW, OLD, ROOT, SIDE, compare, main, table


class Clock:
    """A side that takes one second more each time, and writes down its turns."""

    def __init__(self, who, log):
        self.who, self.log = who, log

    def measure(self, task):
        self.log.append((task, self.who))
        return float(len(self.log))


def test_sides_take_turns_and_the_round_that_warms_up_does_not_count():
    log = []
    turns = compare({who: Clock(who, log) for who in (OLD, NEW)}, {"a": 1, "b": 2}, 2)
    assert [who for task, who in log if task == 1] == [NEW, OLD, OLD, NEW, NEW, OLD]
    assert [task for task, _ in log] == [1, 1, 2, 2] * 3
    assert turns == {"a": {OLD: [5.0, 10.0], NEW: [6.0, 9.0]}, "b": {OLD: [7.0, 12.0], NEW: [8.0, 11.0]}}


def test_ratios_are_those_of_rounds():
    lines = table(
        {"fit": {OLD: [10.0, 20.0, 4.0], NEW: [10.0, 18.0, 5.0]}, "page": {OLD: [0.002], NEW: [0.001]}}, "Made so."
    ).splitlines()
    assert lines[2:] == [
        "| fit | 4,000 | 5,000 | 1.250 | 1.000 | 0.900 | 1.250 |",
        "| page | 2.000 | 1.000 | 0.500 | 0.500 | 0.500 | 0.500 |",
        "",
        "Made so.",
    ]


def test_a_folder_that_is_no_checkout_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert f"{tmp_path} is no checkout of Cotag: it has no package cocluster" in capsys.readouterr().err


def test_a_side_whose_packages_come_from_elsewhere_is_refused(tmp_path):
    """It would compare a checkout with itself."""
    ended = subprocess.run(
        [sys.executable, "-P", SIDE, tmp_path, "-", "-"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert f"cocluster was loaded from {ROOT / 'cocluster'}, not from {tmp_path}" in ended.stderr


@pytest.mark.nightly
def test_this_checkout_is_compared_with_itself(tmp_path):
    main([str(ROOT), "--rounds", "1", "--into", str(tmp_path / "table.md")])
    lines = (tmp_path / "table.md").read_text().splitlines()
    assert len([line for line in lines if line.startswith("|")]) == 2 + 8
