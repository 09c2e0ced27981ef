"""Entropies, divergences and information, one formula at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cocluster.equations.divergence import symmetric_divergence
from cocluster.equations.entropy import merge_weight, partition_entropy, restricted_entropy
from cocluster.equations.information import information, information_left, information_loss
from tests.cocluster import reference
from tests.cocluster.matrices import examples
from tests.cocluster.reference import kl_divergence

sizes = st.lists(st.integers(1, 40), min_size=1, max_size=12).map(np.array)
masses = st.floats(1e-6, 1e3)


@st.composite
def mass_matrices(draw, least=2, most=7):
    shape = draw(st.tuples(st.integers(least, most), st.integers(least, most)))
    return draw(arrays(np.float64, shape, elements=masses))


@given(sizes)
def test_normalised_entropy_lies_in_0_to_1_and_is_1_for_equal_clusters(some):
    assert 0 <= restricted_entropy(some, 0) <= 1 + 1e-12
    if len(some) > 1:
        assert restricted_entropy(np.full(len(some), 3), 0) == pytest.approx(1.0)


@given(sizes, st.integers(0, 50))
def test_restricted_entropy_counts_only_clusters_above_the_critical_size(some, critical_size):
    p = some[some > critical_size] / some.sum()
    expected = -np.sum(p * np.log2(p)) / np.log2(len(some)) if len(some) > 1 else 0.0
    assert restricted_entropy(some, critical_size) == pytest.approx(expected, abs=1e-14)


@given(sizes, st.integers(0, 50))
def test_restricted_entropy_never_exceeds_the_whole(some, critical_size):
    assert restricted_entropy(some, critical_size) <= restricted_entropy(some, 0)


@given(st.lists(st.integers(1, 40), min_size=3, max_size=9), st.data())
def test_the_merge_weight_is_the_normalised_entropy_lost(some, data):
    """W is what H_rel loses when i and j merge, with each of the other clusters' terms left out."""
    i, j = data.draw(st.lists(st.integers(0, len(some) - 1), min_size=2, max_size=2, unique=True))
    n, k = sum(some), len(some)
    p_i, p_j = some[i] / n, some[j] / n
    pair = -(p_i * np.log2(p_i) + p_j * np.log2(p_j)) / np.log2(k)
    after = k - 1 if k > 2 else k
    union = -(p_i + p_j) * np.log2(p_i + p_j) / np.log2(after)
    assert merge_weight(p_i, p_j, k) == pytest.approx(max(0.0, pair - union), abs=1e-14)


def test_the_merge_weight_of_two_clusters_uses_log2_of_2_in_both_places():
    assert merge_weight(0.5, 0.5, 2) == pytest.approx(1.0)
    assert merge_weight(0.25, 0.75, 2) == pytest.approx(partition_entropy(np.array([1, 3])))


def test_a_negative_merge_weight_counts_as_0():
    # Two small clusters of three: log₂(k−1) = 1 but log₂ k = 1.58, so the plain formula is below 0.
    p = 0.01
    assert 2 * p * np.log2(2 * p) - 2 * p * np.log2(p) / np.log2(3) < 0
    assert merge_weight(p, p, 3) == 0.0


@given(mass_matrices())
def test_the_weights_of_the_reference_are_those_of_the_library(N):
    counts = np.arange(1, len(N) + 1)
    p, k = counts / counts.sum(), len(counts)
    W = reference.weights(counts)
    for i in range(k):
        for j in range(i):
            assert W[i, j] == pytest.approx(merge_weight(p[i], p[j], k), abs=1e-14)


@examples
@given(mass_matrices())
def test_kl_j_is_the_mean_of_both_divergences_and_0_only_for_proportional_rows(N):
    a, b = N[0], N[1]
    p, q = a / a.sum(), b / b.sum()
    expected = 0.5 * kl_divergence(p, q) + 0.5 * kl_divergence(q, p)
    assert symmetric_divergence(a, b) == pytest.approx(expected, abs=1e-13)
    assert symmetric_divergence(a, b) >= 0
    assert symmetric_divergence(a, 4 * a) == 0.0


def test_kl_is_infinite_where_the_second_lacks_what_the_first_has():
    assert kl_divergence(np.array([0.5, 0.5]), np.array([1.0, 0.0])) == np.inf
    assert kl_divergence(np.array([1.0, 0.0]), np.array([0.5, 0.5])) == 1.0


@examples
@given(mass_matrices(), st.data())
def test_the_kl_j_delta_of_merging_two_features_equals_recomputation(N, data):
    i, j = data.draw(st.lists(st.integers(0, N.shape[1] - 1), min_size=2, max_size=2, unique=True))
    a, b = N[0], N[1]
    joined = [np.append(np.delete(row, (i, j)), row[i] + row[j]) for row in (a, b)]
    drop = reference.divergence_drop(a, b, i, j)
    assert drop >= -1e-15
    scale = symmetric_divergence(a, b)
    assert scale - drop == pytest.approx(symmetric_divergence(*joined), abs=1e-13 * max(1.0, scale))


@examples
@given(mass_matrices())
def test_a_merge_loses_the_weighted_jensen_shannon_divergence_of_the_pair(N):
    merged = np.vstack([N[0] + N[1], N[2:]])
    lost = information_loss(N[0], N[1], float(N.sum()))
    assert lost >= -1e-15
    assert information(N) - lost == pytest.approx(information(merged), abs=1e-12)


@given(mass_matrices())
def test_information_is_0_for_one_cluster_and_at_most_the_entropy_of_either_side(N):
    assert information(N.sum(axis=0, keepdims=True)) == pytest.approx(0.0, abs=1e-13)
    p = N.sum(axis=1) / N.sum()
    assert information(N) <= -np.sum(p * np.log2(p)) + 1e-12


def test_information_left_is_summed_from_the_end_and_ends_at_exactly_0():
    left = information_left(np.array([1e-20, 0.1, 0.2, 0.0, 0.7]))
    assert left[-1] == 0.0
    assert (np.diff(left) <= 0).all()
    np.testing.assert_allclose(left, [1.0, 1.0, 0.9, 0.7, 0.7, 0.0])
