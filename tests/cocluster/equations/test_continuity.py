"""What a run inherits from the run before it: block averages, marginals, new items."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cocluster import CoClustering, Previous, checkerboard, incidence, v_measure
from cocluster.equations.continuity import PreviousLabels, block_average, inherit, join_nearest
from tests.cocluster.matrices import examples
from tests.cocluster.reference import kl_divergence


@st.composite
def matrices_with_labels(draw, new=False):
    shape = draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    N = draw(arrays(np.float64, shape, elements=st.floats(1e-3, 1e2)))
    least = -1 if new else 0
    rows, columns = (draw(arrays(np.int64, size, elements=st.integers(least, 3))) for size in shape)
    return N, rows, columns


@examples
@given(matrices_with_labels(new=True), st.floats(0, 0.99))
def test_inheriting_keeps_every_marginal_and_the_total(case, inertia):
    N, rows, columns = case
    previous = PreviousLabels(np.column_stack([rows, 0 * rows]), np.column_stack([columns, 0 * columns]), inertia)
    w, v = 1.0 + np.arange(len(rows)) % 3, 1.0 + np.arange(len(columns)) % 2
    mixed = inherit(N, previous, w, v)
    np.testing.assert_allclose(mixed @ v, N @ v, rtol=1e-12)
    np.testing.assert_allclose(w @ mixed, w @ N, rtol=1e-12)
    assert mixed.min() > 0


EQUALLY_NEAR = np.full((4, 4), 1.9)
EQUALLY_NEAR[0, 2] = 1.0
"""The third column, if it is new, is as near to the first two as to the last, but for rounding."""


@examples
@given(matrices_with_labels(new=True), st.floats(0, 0.99))
@example((EQUALLY_NEAR, np.array([0, 1, 1, 1]), np.array([1, 1, -1, 0])), 0.5)
def test_a_row_that_stands_for_several_inherits_as_they_do(case, inertia):
    N, rows, columns = case
    w, v = 1 + np.arange(len(rows)) % 3, 1 + np.arange(len(columns)) % 2
    distinct = inherit(N, PreviousLabels(rows[:, None], columns[:, None], inertia), w.astype(float), v.astype(float))
    every, tags = np.repeat(np.arange(len(rows)), w), np.repeat(np.arange(len(columns)), v)
    previous = PreviousLabels(rows[every][:, None], columns[tags][:, None], inertia)
    spread = inherit(N[every][:, tags], previous, np.ones(len(every)), np.ones(len(tags)))
    np.testing.assert_allclose(distinct[every][:, tags], spread, rtol=1e-11)


@examples
@given(matrices_with_labels())
def test_the_block_average_is_that_of_the_formula_and_keeps_the_mass_of_every_block(case):
    N, rows, columns = case
    _, a = np.unique(rows, return_inverse=True)
    _, b = np.unique(columns, return_inverse=True)
    Q = block_average(N, a, b, np.ones(len(a)), np.ones(len(b)))
    for x in range(N.shape[0]):
        for y in range(N.shape[1]):
            mass = N[np.ix_(a == a[x], b == b[y])].sum()
            row_share = N[x].sum() / N[a == a[x]].sum()
            column_share = N[:, y].sum() / N[:, b == b[y]].sum()
            assert Q[x, y] == pytest.approx(mass * row_share * column_share, rel=1e-11)


@examples
@given(matrices_with_labels(new=True))
def test_a_new_item_joins_the_previous_cluster_nearest_in_kl(case):
    N, labels, _ = case
    joined = join_nearest(N, labels, np.ones(len(labels)))
    known = labels >= 0
    if not known.any():
        assert joined.tolist() == list(range(len(labels)))
        return
    clusters = np.array([N[known & (labels == label)].sum(axis=0) for label in np.unique(labels[known])])
    clusters /= clusters.sum(axis=1, keepdims=True)
    for x in np.flatnonzero(~known):
        distance = [kl_divergence(N[x] / N[x].sum(), cluster) for cluster in clusters]
        assert distance[joined[x]] == pytest.approx(min(distance), abs=1e-12)
    assert len({*zip(labels[known], joined[known], strict=True)}) == len(clusters)


def test_without_inertia_a_previous_run_changes_nothing():
    X, rows, columns = checkerboard(n=40, m=30, k=4, seed=1)
    plain = CoClustering().fit(X)
    inherited = CoClustering().fit(X, previous=Previous([rows], [columns]), inertia=0.0)
    assert inherited.history_.tobytes() == plain.history_.tobytes()


def test_a_run_that_inherits_moves_fewer_items_than_one_that_does_not():
    """Leave out one document in ten, inherit from the run without them, and compare tags at the same k."""
    X = checkerboard(n=200, m=120, k=6, alpha=0.4, beta=0.3, seed=2)[0]
    documents = np.flatnonzero(np.random.default_rng(0).random(X.shape[0]) < 0.9)
    earlier = incidence(X[documents], min_count=1)
    before = CoClustering().fit(earlier.matrix)

    def labelled(labels, places, size):
        known = np.full(size, -1)
        known[places] = labels
        return known

    levels = (6, 12, 24)
    previous = Previous(
        [labelled(before.row_labels(k), documents[earlier.rows], X.shape[0]) for k in levels],
        [labelled(before.column_labels(k), earlier.columns, X.shape[1]) for k in levels],
    )
    plain, inherited = CoClustering().fit(X), CoClustering().fit(X, previous=previous, inertia=0.5)

    def agreement(model):
        return v_measure(before.column_labels(12), model.column_labels(12)[earlier.columns])

    assert agreement(plain) < 0.8
    assert agreement(inherited) > 0.95
