"""The criterion curve says where to cut."""

import numpy as np
import pytest

from tagmodel import CriterionCurve


@pytest.mark.parametrize(
    ("criterion", "k"),
    [
        pytest.param([0.0, 0.5, 0.9, 0.2], 3, id="the best"),
        pytest.param([0.0, 0.9, 0.5, 0.9], 2, id="of several best, the fewest clusters"),
        pytest.param([0.0, 0.0, 0.0, 0.0], 1, id="nothing to separate"),
    ],
)
def test_the_best_k_has_the_largest_criterion(criterion, k):
    curve = CriterionCurve(np.arange(1, 5), np.array(criterion), np.ones(4), np.array(criterion))
    assert curve.best_k == k
