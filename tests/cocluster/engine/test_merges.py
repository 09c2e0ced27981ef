"""Engine = reference, merge by merge."""

import functools
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocluster.engine import agglomerate, agglomeration, renewal
from cocluster.engine.features import regrouping
from cocluster.engine.features.regrouping import LEVELS, Level
from cocluster.engine.weights import Cost
from tests.cocluster import reference

from . import corpora, straightforward

VARIANTS = [(cost, joint) for joint in (True, False) for cost in get_args(Cost)]


def assert_as_reference(N, cost="composite", joint=True):
    """The dense reference makes the same merges at the same figures."""
    merges = agglomerate(N, cost=cost, joint=joint)
    expected = reference.agglomerate(N, cost=cost, joint=joint)
    assert len(merges.side) == len(expected)
    for t, merge in enumerate(expected):
        names = ("documents", "tags")[merges.side[t]], merges.a[t], merges.b[t]
        assert names == (merge.side, merge.a[0], merge.b[0]), t
        assert merges.cost[t] == pytest.approx(merge.cost, rel=1e-9, abs=1e-15)
        assert merges.divergence[t] == pytest.approx(merge.divergence, rel=1e-9, abs=1e-15)
    assert (merges.loss >= 0).all()
    for side in range(2):
        lost = merges.loss if joint else merges.loss[merges.side == side]
        assert lost.sum() == pytest.approx(reference.information(N), rel=1e-9, abs=1e-12) or (
            not joint and N.shape[side] == 1
        )


def straightforward_merges(N):
    """What the medium-speed reference does."""
    return straightforward.run(N, tuple(np.ones(k, np.int64) for k in N.shape), True, True, None)


@functools.cache
def real_case(name, documents):
    """M* of a real sample and its merges by the medium-speed reference; None when the corpora are not there."""
    M = corpora.sample(name, documents)
    return None if M is None else (N := corpora.smoothed(M), straightforward_merges(N))


def assert_same(merges, expected):
    """The same merges at the same figures."""
    side, a, b, price, klj, lost = expected
    assert (merges.side == side).all()
    assert (merges.a == a).all()
    assert (merges.b == b).all()
    np.testing.assert_allclose(merges.cost, price, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(merges.divergence, klj, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(merges.loss, lost, rtol=1e-6, atol=1e-13)


SETTINGS = {
    "usual": LEVELS,
    "few groups": (Level(4, 9, 32), LEVELS[-1]),
    "crowded": (Level(4, 9, 2), Level(8, 12, 1000), LEVELS[-1]),
    "very crowded": (Level(4, 9, 2), Level(8, 12, 2), LEVELS[-1]._replace(listed=1)),
}


@pytest.fixture(params=SETTINGS)
def setting(request, monkeypatch):
    """Small data in the situations large data get into: two levels of groups, and lists that overflow."""
    for module in (regrouping, renewal):
        monkeypatch.setattr(module, "LEVELS", SETTINGS[request.param])


shapes = st.tuples(st.integers(1, 14), st.integers(1, 14))


@given(shapes, st.integers(0, 2**32 - 1), st.sampled_from(VARIANTS), st.sampled_from([1.0, 1e-3, 1e-9]))
def test_random_matrices_merge_as_in_the_reference(shape, seed, variant, floor):
    assert_as_reference(np.random.default_rng(seed).random(shape) ** 3 + floor, *variant)


@given(shapes, st.integers(0, 2**32 - 1), st.sampled_from(VARIANTS))
def test_data_full_of_ties_merge_as_in_the_reference(shape, seed, variant):
    N = np.random.default_rng(seed).choice([1.0, 2.0, 4.0], shape)
    assert_as_reference(N, *variant)


@pytest.mark.parametrize("variant", VARIANTS)
def test_all_variants_with_groups_merge_as_in_the_reference(setting, variant):
    random = np.random.default_rng(5)
    N = np.kron(random.random((4, 5)), np.ones((9, 8))) * (0.5 + random.random((36, 40))) + 1e-4
    assert_as_reference(N, *variant)


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (2, 2), (2, 60), (60, 2), (3, 3)])
def test_extreme_shapes_merge_as_in_the_reference(setting, shape):
    assert_as_reference(np.random.default_rng(1).random(shape) + 0.01)


def test_every_pair_tied_merges_lowest_ids_first(setting):
    N = np.eye(20) + 1e-6
    assert_as_reference(N)
    merges = agglomerate(N)
    assert merges.side[:4].tolist() == [0, 1, 0, 1]
    assert merges.a[:4].tolist() == [0, 0, 2, 2]


@pytest.mark.parametrize("variant", VARIANTS)
def test_blocks_of_tied_pairs_merge_as_in_the_reference(setting, variant):
    """Candidates that stay tied are not evaluated again; the merges are those of evaluating them each time."""
    assert_as_reference(np.kron(np.eye(9), np.ones((2, 3))) + np.kron(np.ones((6, 9)), np.eye(3)) + 1e-6, *variant)


def test_ties_are_evaluated_once(monkeypatch):
    """In an identity matrix all pairs are tied: most candidates of a search come from the merge before."""
    known = []
    original = agglomeration.find_candidates

    def counted(sides, now, candidates, same):
        answer = original(sides, now, candidates, same)
        known.append((same, answer[0]))
        return answer

    monkeypatch.setattr(agglomeration, "find_candidates", counted)
    agglomerate(np.eye(60) + 1e-6)
    again = sum(same for same, _ in known)
    assert again > 0.6 * sum(found for _, found in known)


def test_duplicates_and_multiples_merge_first_at_no_cost():
    random = np.random.default_rng(2)
    N = random.random((12, 9)) + 0.1
    N[7] = N[2]
    N[3] = 4.0 * N[2]
    N[11] = N[0] / 3.0
    N[:, 8] = N[:, 1]
    merges = agglomerate(N)
    who = list(zip(merges.side.tolist(), merges.a.tolist(), merges.b.tolist(), strict=True))
    assert who[:4] == [(0, 0, 11), (0, 2, 3), (0, 2, 7), (1, 1, 8)]
    assert (merges.cost[:4] == 0).all()
    assert (merges.cost[4:-1] > 0).all()
    assert_as_reference(N)


def test_heavy_duplicates_are_merged_before_anything_quadratic():
    N = np.repeat(np.random.default_rng(3).random((20, 30)) + 0.01, 200, axis=0)
    merges = agglomerate(N)
    assert (merges.cost == 0).sum() >= 199 * 20
    left = merges.side[199 * 20 :]
    assert len(left) == 19 + 29


def test_disconnected_parts_merge_as_in_the_medium_reference(setting):
    random = np.random.default_rng(4)
    N = np.kron(np.eye(5), np.ones((12, 10))) * random.random((60, 50)) + 1e-9
    assert_same(agglomerate(N), straightforward_merges(N))


def test_random_data_without_groups_merge_as_in_the_medium_reference(setting):
    N = np.random.default_rng(6).random((150, 120)) + 0.01
    assert_same(agglomerate(N), straightforward_merges(N))


@pytest.mark.parametrize(("name", "documents"), [("tabler_icons", 500), ("debtags", 700), ("emoji_en", 500)])
def test_real_samples_full_of_ties_merge_as_in_the_medium_reference(setting, name, documents):
    case = real_case(name, documents)
    if case is None:
        pytest.skip(f"needs ../shared/corpora/{name}.jsonl.gz")
    N, expected = case
    assert_same(agglomerate(N), expected)


def test_sizes_count_as_items():
    """A row that stands for three items merges as three equal rows do."""
    random = np.random.default_rng(8)
    N = random.random((6, 7)) + 0.1
    sizes = np.array([1, 3, 1, 2, 1, 1])
    distinct = agglomerate(N, row_sizes=sizes)
    repeated = agglomerate(np.repeat(N / sizes[:, None], sizes, axis=0))
    real = repeated.cost > 0
    first = np.cumsum(sizes) - sizes
    here = distinct.side == 0
    np.testing.assert_allclose(distinct.cost[distinct.cost > 0], repeated.cost[real], rtol=1e-9)
    np.testing.assert_array_equal(
        first[distinct.a[here & (distinct.cost > 0)]], repeated.a[real & (repeated.side == 0)]
    )
