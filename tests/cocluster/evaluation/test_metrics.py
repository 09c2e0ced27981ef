"""Homogeneity, completeness, V-measure and contingency tables, against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from cocluster import completeness, homogeneity, v_measure
from cocluster.equations.information import information
from cocluster.evaluation.metrics import contingency
from tests.cocluster.matrices import examples


@st.composite
def labellings(draw):
    size = draw(st.integers(1, 30))
    labels = st.lists(st.integers(0, 4), min_size=size, max_size=size)
    return draw(labels), draw(labels)


@examples
@given(labellings(), st.floats(0.1, 5))
def test_the_metrics_are_those_of_scikit_learn(pair, beta):
    truth, labels = pair
    assert homogeneity(truth, labels) == pytest.approx(metrics.homogeneity_score(truth, labels), abs=1e-9)
    assert completeness(truth, labels) == pytest.approx(metrics.completeness_score(truth, labels), abs=1e-9)
    expected = metrics.v_measure_score(truth, labels, beta=beta)
    assert v_measure(truth, labels, beta) == pytest.approx(expected, abs=1e-9)
    bits = metrics.mutual_info_score(truth, labels) / np.log(2)
    assert information(contingency(truth, labels)) == pytest.approx(bits, abs=1e-9)


@given(labellings())
def test_every_metric_lies_in_0_to_1_and_is_1_for_the_same_partition(pair):
    truth, labels = pair
    for metric in (homogeneity, completeness, v_measure):
        assert 0 <= metric(truth, labels) <= 1
        assert metric(truth, [-label for label in truth]) == pytest.approx(1.0)


def test_a_large_beta_favours_completeness_and_a_small_one_homogeneity():
    truth, split = [0, 0, 1, 1], [0, 1, 2, 3]
    assert homogeneity(truth, split) == pytest.approx(1.0)
    assert completeness(truth, split) == pytest.approx(0.5)
    assert v_measure(truth, split, beta=0.0) == pytest.approx(1.0)
    assert v_measure(truth, split, beta=1e9) == pytest.approx(0.5)


@pytest.mark.parametrize(("truth", "labels"), [([1], [1, 2]), ([], []), ([[1]], [[1]])])
def test_labellings_of_different_items_are_refused(truth, labels):
    with pytest.raises(ValueError, match="two labellings of the same items"):
        v_measure(truth, labels)


def test_a_negative_beta_is_refused():
    with pytest.raises(ValueError, match="beta"):
        v_measure([0], [0], beta=-1)
