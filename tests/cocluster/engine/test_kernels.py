"""Each small kernel against its formula."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocluster.engine import bounds, candidates, duplicates, kernel, renewal, weights
from cocluster.engine import merge as joining
from cocluster.engine.features import groups, shares
from tests.cocluster import reference

seeds = st.integers(0, 2**32 - 1)


def rows(random, n, f):
    """Shares and logarithms of random rows with entries of very different size."""
    N = random.random((n, f)) ** 6 + 1e-9
    return shares.normalised(N)


@given(seeds, st.integers(1, 40))
def test_divergence_is_that_of_the_reference(seed, f):
    q, l, _ = rows(np.random.default_rng(seed), 2, f)
    assert shares.divergence(q, l, 0, 1) == pytest.approx(reference.divergence(q[0], q[1]), rel=1e-9, abs=1e-20)
    assert shares.divergence(q, l, 0, 0) == 0.0


@given(seeds, st.integers(2, 20))
def test_mixing_loses_the_information_that_merging_rows_loses(seed, f):
    N = np.random.default_rng(seed).random((4, f)) + 1e-6
    q, l, mass = shares.normalised(N / N.sum())
    lost = shares.mix(q, l, mass, 1, 3)
    merged = np.vstack([N[0], N[1] + N[3], N[2]])
    assert lost == pytest.approx(reference.information(N) - reference.information(merged), rel=1e-9, abs=1e-13)
    np.testing.assert_allclose(q[1], merged[1] / merged[1].sum(), rtol=1e-12)
    np.testing.assert_allclose(l[1], np.log2(q[1]), rtol=1e-12)


def test_catching_up_adds_joined_features():
    q, l, _ = rows(np.random.default_rng(0), 3, 6)
    before = q.copy()
    seen = np.zeros(3, np.int32)
    kept, joined = np.array([1, 0], np.int32), np.array([4, 1], np.int32)
    shares.catch_up(q, l, seen, 2, kept, joined, 2)
    assert seen.tolist() == [0, 0, 2]
    np.testing.assert_allclose(q[2], [before[2, [0, 1, 4]].sum(), 0, *before[2, [2, 3]], 0, before[2, 5]])
    np.testing.assert_array_equal(q[:2], before[:2])
    assert l[2, 0] == np.log2(q[2, 0])


@given(seeds, st.integers(1, 200))
def test_grouped_divergence_rounded_down_is_below_and_close(seed, g):
    q, l, _ = rows(np.random.default_rng(seed), 9, g)
    q32, l32 = q.astype(np.float32), l.astype(np.float32)
    relative, root = bounds.margins(g, np.abs(l).max())
    out = np.empty(9, np.float32)
    bounds.row_divergences(out, np.ascontiguousarray(q32.T), np.ascontiguousarray(l32.T), 4, 9)
    for y in range(9):
        exact = 0.5 * ((q[4] - q[y]) * (l[4] - l[y])).sum()
        for d in (out[y], bounds.pair_divergence(q32, l32, 4, y)):
            low = bounds.rounded_down(d, relative, root)
            assert low <= exact
            assert low >= exact * (1 - 1e-4) - 1e-4 * np.sqrt(exact) - 1e-10


@given(st.floats(1e-35, 1e6), st.integers(0, 3))
def test_storing_rounds_down_and_keeps_the_kind(bound, kind):
    bits = bounds.stored(bound, kind)
    assert bits & 3 == kind
    assert bounds.value(bits) <= max(bound, 1.1e-30)
    assert bounds.value(bits) >= bound * (1 - 2e-6)


@given(seeds)
def test_bits_of_bounds_are_ordered_as_the_bounds(seed):
    values = np.sort(np.random.default_rng(seed).random(50) ** 9)
    bits = [bounds.stored(v, bounds.COARSE) for v in values]
    assert bits == sorted(bits)


@given(seeds, st.integers(3, 12))
def test_a_change_of_features_is_the_difference_of_divergences(seed, f):
    q, l, _ = rows(np.random.default_rng(seed), 5, f)
    both = q[:, 0] + q[:, 1]
    u = np.column_stack([-0.5 * q[:, 0], -0.5 * q[:, 1], 0.5 * both, 0 * both])
    v = np.column_stack([l[:, 0], l[:, 1], np.log2(both), 0 * both])
    merged = np.column_stack([both, q[:, 2:]])
    for x, y in ((1, 0), (4, 2)):
        difference = reference.divergence(merged[x], merged[y]) - reference.divergence(q[x], q[y])
        assert bounds.change(u, v, x, y) == pytest.approx(difference, rel=1e-8, abs=1e-13)
        assert -bounds.change(u, v, x, y) == pytest.approx(
            reference.divergence_drop(q[x], q[y], 0, 1), rel=1e-8, abs=1e-13
        )
    alive = np.ones(5, np.bool_)
    u32, v32, lost = bounds.in_singles(u, v, alive)
    for x, y in ((1, 0), (4, 2)):
        assert abs(bounds.change(u32.T, v32.T, x, y) - bounds.change(u, v, x, y)) <= lost[x] + lost[y]


@pytest.mark.parametrize("k", [2, 3, 4, 10, 500])
def test_weights_are_those_of_the_reference_and_their_bounds_below_them_until_the_next_weighing(k):
    sizes = np.random.default_rng(k).integers(1, 60, k)
    exact = reference.weights(sizes)
    total = float(sizes.sum())
    for later in range(max(renewal.next_weighing(k) + 1, 2), k + 1):
        r = weights.log_ratio(float(max(later, 3)))
        for a, b in ((0, 1), (k - 2, k - 1), (0, k - 1)):
            if a != b:
                w = weights.weight(sizes[a], sizes[b], total, k)
                assert w == pytest.approx(exact[a, b], rel=1e-12, abs=1e-16)
                assert weights.scaled_weight(sizes[a], sizes[b], total, r) * weights.scale(total, k) <= w
    assert weights.weight(1, 2, weights.UNWEIGHTED, k) == 1.0
    assert weights.scaled_weight(1, 2, weights.UNWEIGHTED, 1.0) <= 1.0


def test_reweighing_keeps_one_row_of_weights_per_size():
    size = np.array([1, 1, 2, 1, 3])
    alive = np.ones(5, np.bool_)
    class_size, members = np.array([1, 2, 3, 0]), np.array([3, 1, 1, 0], np.int32)
    size_class = np.array([0, 0, 1, 0, 2], np.int32)
    table = np.empty((4, 5), np.float32)
    weights.all_class_weights(table, class_size, members, size_class, alive, 8.0, 1.1)
    size[2] += size[4]
    alive[4] = False
    weights.reweigh(table, 2, 4, size, size_class, class_size, members, alive, 8.0, 1.1)
    assert class_size[size_class[2]] == 5
    assert members.sum() == 4
    for x in range(4):
        for y in range(4):
            assert table[size_class[x], y] == weights.scaled_weight(size[x], size[y], 8.0, 1.1)
        assert table[size_class[x], 4] == weights.DEAD


def test_the_choice_among_candidates_follows_the_rule():
    found = np.array([[1, 5, 0], [0, 7, 3], [0, 6, 2], [0, 9, 2], [0, 4, 1]])
    figures = np.array([[1.0, 0.1], [1.0 + 1e-13, 0.5], [1.0, 0.4], [1.0, 0.4 + 1e-13], [1.0 + 1e-9, 0.1]])
    assert candidates.chosen(found, figures, 5) == 2  # documents, least KL^J, lowest ids; the last costs more
    assert candidates.chosen(found, figures, 1) == 0
    figures[0, 0] = 0.9
    assert candidates.chosen(found, figures, 5) == 0


def test_candidates_are_kept_only_where_a_merge_leaves_their_divergence_as_it_was():
    q, l, _ = rows(np.random.default_rng(7), 4, 5)
    q[1, [0, 3]], l[1, [0, 3]] = q[0, [0, 3]], l[0, [0, 3]]
    pairs = [[0, 3, 1], [0, 2, 1], [0, 3, 2], [1, 1, 0], [1, 2, 0]]
    found = np.array(pairs)
    figures = np.array([[1.0, 0.5], [1.0, 0.6], [np.inf, 0.7], [1.0, 0.8], [1.0, 0.9]])
    assert candidates.unchanged(found, figures, 5, 0, 0, 3, q, l, True) == 2
    assert found[:2].tolist() == [[0, 2, 1], [1, 1, 0]]
    assert figures[:2, 1].tolist() == [0.6, 0.8]
    bits = np.full(3, bounds.stored(0.6, bounds.EXACT), np.int32)
    least = candidates.weigh_again(bits, np.array([1, 2, 4]), 10.0, 7, found, figures, 2, 0, np.inf)
    assert least == figures[0, 0] == 0.6 * weights.weight(4, 2, 10.0, 7)
    assert (bits & 3).tolist() == [bounds.EXACT, bounds.EXACT, bounds.FRESH]


def test_moving_a_feature_between_groups_keeps_sums_and_says_what_changed():
    random = np.random.default_rng(3)
    q, _, _ = rows(random, 6, 8)
    of = np.array([0, 0, 1, 1, 2, 2, 2, 0], np.int32)
    members = np.bincount(of).astype(np.int32)
    sums = groups.add_up(q, of, 3)
    before = sums.copy()
    u, v, alive = np.zeros((6, 4)), np.zeros((6, 4)), np.ones(6, np.bool_)
    halves = -0.5 * q[:, [0, 2]]
    assert joining.move_feature(0, 2, True, halves, of, members, sums, alive, u, v) == (0, 1)
    assert members.tolist() == [3, 1, 3]
    moved = of.copy()
    moved[2] = 0
    np.testing.assert_allclose(sums, groups.add_up(q, moved, 3), rtol=1e-9)
    change = reference.divergence(sums[4], sums[1]) - reference.divergence(before[4], before[1])
    assert bounds.change(u, v, 4, 1) == pytest.approx(change, rel=1e-9, abs=1e-13)
    assert joining.move_feature(4, 5, True, halves, of, members, sums, alive, u, v) == (-1, -1)
    assert members.tolist() == [3, 1, 2]


def test_feature_columns_are_the_shares_of_the_other_side():
    N = np.random.default_rng(4).random((5, 7)) + 0.1
    N /= N.sum()
    q, l, mass = shares.normalised(N)
    other_q, other_l, other_mass = shares.normalised(shares.transposed(N))
    u, v = np.zeros((7, 4)), np.zeros((7, 4))
    joining.feature_column(
        u, v, 1, -0.5, q, l, 3, mass, np.log2(mass), other_mass, np.log2(other_mass), np.ones(7, np.bool_)
    )
    np.testing.assert_allclose(u[:, 1], -0.5 * other_q[:, 3])
    np.testing.assert_allclose(v[:, 1], other_l[:, 3])


def test_groups_hold_like_features_and_fine_ones_lie_inside_coarse_ones():
    random = np.random.default_rng(5)
    profiles = np.repeat(random.random((10, 40)) + 0.01, 30, axis=0) * (1 + 0.01 * random.random((300, 40)))
    q, _, mass = shares.normalised(profiles)
    fine, coarse = groups.group_features(q, np.arange(300), mass, 60, 10, groups.THOROUGH)
    assert len(set(zip(coarse.tolist(), (np.arange(300) // 30).tolist(), strict=True))) == 10
    assert len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == len(set(fine.tolist()))


def test_packing_keeps_rows_and_columns_in_place():
    array = np.arange(42.0).reshape(6, 7)
    expected = array[np.ix_([1, 2, 5], [0, 3, 6])]
    packed = renewal.packed(array, np.array([1, 2, 5]), np.array([0, 3, 6]))
    np.testing.assert_array_equal(packed, expected)
    triangle = np.array([10, 20, 21, 30, 31, 32], np.int32)  # pairs of 4 slots: 1·, 2·, 3·
    assert renewal.repacked(triangle, np.array([0, 2, 3])) == 3
    assert triangle[:3].tolist() == [20, 30, 32]


def test_equal_rows_are_found_whatever_their_scale_and_no_others():
    random = np.random.default_rng(6)
    N = random.random((9, 5)) + 0.1
    N[4], N[6], N[8], N[1] = N[2], N[2] * 7.3, N[0] * (1 + 1e-9 * random.random(5)), N[7] / 3.1
    assert duplicates.equal_rows(N).tolist() == [0, 1, 2, 3, 2, 5, 2, 1, 8]


def test_kernels_run_where_no_cache_can_be_written(monkeypatch):
    """A read-only installation without a home: numba finds no place for its cache and says so at once."""

    def unwritable(self):
        raise OSError("read-only file system")

    monkeypatch.setattr(numba.core.caching._CacheLocator, "ensure_cache_path", unwritable)

    def double(x):
        return 2 * x

    with pytest.raises(RuntimeError, match="no locator available"):
        numba.njit(cache=True)(double)
    assert kernel.kernel(double)(4) == 8


def test_rows_with_equal_checksums_are_equal_only_if_their_bytes_are():
    N = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [4.0, 4.0, 4.0]])
    assert duplicates.same_bytes(N).tolist() == [0, 1, 0, 3, 4]
