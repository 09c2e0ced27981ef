"""The warning that concepts mean little."""

import pytest

from snapshot.version.gain import LEAST_GAIN, gain, warning


@pytest.mark.parametrize(
    ("bits", "random_bits", "warned"),
    [
        (3.05, 1.48, False),
        (0.016, 0.015, True),
        (1.5, 1.5 - 0.9 * LEAST_GAIN, True),
        (1.5, 1.5 - 1.1 * LEAST_GAIN, False),
        (0.0, -0.5, True),
        (-0.3, -0.3, True),
    ],
)
def test_concepts_must_beat_random_ones_and_the_plain_shares(bits, random_bits, warned):
    assert (warning({"bits": bits, "random_bits": random_bits}) is not None) == warned


def test_the_warning_has_both_figures_and_what_to_try():
    text = warning({"bits": 0.016, "random_bits": -0.2})
    assert "0.02 bits against 0.00" in text
    for advice in ("more documents", "lower min_count", "another number of groups"):
        assert advice in text


def test_versions_older_than_the_measure_get_no_warning():
    assert gain({"information_kept": 0.5}) is None
    assert warning({"information_kept": 0.5}) is None
