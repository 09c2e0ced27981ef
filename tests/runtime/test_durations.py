"""Lengths of time as people read them."""

import pytest

from runtime.durations import duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "< 1 s"),
        (0.9, "< 1 s"),
        (12.7, "12 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (18720, "5 h 12 min"),
        (97200, "1 d 3 h"),
        (172800, "2 d"),
    ],
)
def test_a_duration_is_written_in_its_one_or_two_largest_units(seconds, text):
    assert duration(seconds) == text
