"""The weights from tag to tag."""

import sys

import numpy as np
import pytest
from scipy.sparse import csr_array

from cocluster.suggestions import (
    Lists,
    cooccurrence,
    cooccurrence_shares,
    keep_best,
    local_ridge,
    neighbourhoods,
    ridge,
    suggestion_lists,
)
from cocluster.suggestions.lists import EXPONENTS, keep_best_listed
from cocluster.suggestions.local import COMMONEST


def documents(n=120, m=12, seed=0):
    """Random documents of two to six tags; early tags are commoner."""
    random = np.random.default_rng(seed)
    rows = np.zeros((n, m))
    chances = 1.0 / np.arange(1, m + 1)
    for row in rows:
        row[random.choice(m, random.integers(2, 7), replace=False, p=chances / chances.sum())] = 1.0
    return csr_array(rows)


def regressed(M, penalty):
    """Each tag on all others by the normal equations, in float64: documents weigh 1/√r."""
    X = M.toarray()
    G = X.T @ (X / np.sqrt(X.sum(axis=1))[:, None])
    m = len(G)
    B = np.zeros((m, m))
    for tag in range(m):
        others = np.delete(np.arange(m), tag)
        system = G[np.ix_(others, others)].copy()
        system[np.diag_indices(m - 1)] += penalty
        B[others, tag] = np.linalg.solve(system, G[others, tag])
    return B


@pytest.mark.parametrize("penalty", [0.25, 4.0, 64.0])
def test_the_closed_form_is_the_ridge_regression_of_each_tag_on_all_others(penalty):
    M = documents()
    weights = ridge(cooccurrence(M).toarray(), penalty)
    assert weights == pytest.approx(regressed(M, penalty), abs=2e-6)
    assert (np.diag(weights) == 0).all()


def test_a_tag_alone_says_what_stands_beside_it_long_documents_counting_less():
    M = csr_array(np.array([[1.0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 1, 0]]))
    expected = np.array([[0, 3 / 5, 2 / 5, 2 / 5], [1 / 2, 0, 1 / 2, 0], [2 / 5, 3 / 5, 0, 2 / 5], [1, 0, 1, 0]])
    assert cooccurrence_shares(M).toarray() == pytest.approx(expected)


def test_regressed_on_everything_the_local_form_is_the_exact_one():
    M = documents(m=COMMONEST)
    G = cooccurrence(M)
    near = neighbourhoods(G, 2.0)
    assert near.nnz == COMMONEST * (COMMONEST - 1)
    assert local_ridge(G, near, 2.0).toarray() == pytest.approx(ridge(G.toarray(), 2.0), abs=1e-5)


def test_a_neighbourhood_holds_the_nearest_either_way_and_the_commonest_never_the_tag_itself():
    M = documents(n=900, m=3 * COMMONEST)
    G = cooccurrence(M)
    near = neighbourhoods(G, 2.0).toarray() > 0
    common = np.argsort(-G.diagonal(), kind="stable")[:COMMONEST]
    cosine = G.toarray() / np.sqrt(np.outer(G.diagonal() + 2.0, G.diagonal() + 2.0))
    np.fill_diagonal(cosine, 0.0)
    for tag in range(3 * COMMONEST):
        assert near[tag, common[common != tag]].all()
        best = int(cosine[tag].argmax())
        assert cosine[tag, best] == 0 or (near[tag, best] and near[best, tag])
    assert not near.diagonal().any()


def test_two_tags_that_always_stand_together_need_a_penalty():
    twins = csr_array(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 0.0, 1.0]]))
    with pytest.raises(ValueError, match="penalty is too small"):
        ridge(cooccurrence(twins).toarray(), 0.0)
    weights = ridge(cooccurrence(twins).toarray(), 1.0)
    assert weights[2, 0] == pytest.approx(weights[2, 1])


def test_the_best_and_the_worst_weights_are_kept_at_every_exponent():
    m = 40
    weights = np.linspace(-1.0, 1.0, m).astype(np.float32)
    counts = np.full(m, 5)
    counts[20] = 5000
    weights[20] = 0.3
    counts[:3] = 1000
    alone = np.maximum(weights, 0.01)
    lists = keep_best(lambda _: (np.tile(alone, (m, 1)), np.tile(weights, (m, 1))), counts, per_exponent=4)
    first = lists.indices[: lists.starts[1]]
    assert set(first) >= {0, 1, 2, 36, 37, 38, 39}, "the strongest for and against"
    assert (np.diff(lists.alone[: lists.starts[1]]) <= 0).all(), "best first"
    assert len(first) < m


@pytest.mark.parametrize("cells", [300, 10_000, 10**9])
def test_what_is_kept_is_what_sorting_finds_however_many_tags_are_looked_through_at_a_time(monkeypatch, cells):
    """Weights with many equals; of the last that is kept all equals are kept too."""
    random = np.random.default_rng(0)
    m, count = 300, 7
    alone = random.integers(-3, 9, (m, m)).astype(np.float32)
    together = random.integers(-20, 21, (m, m)).astype(np.float32)
    counts = random.integers(5, 900, m)
    monkeypatch.setattr(sys.modules[Lists.__module__], "CELLS", cells)
    lists = keep_best(lambda tags: (alone[tags], together[tags]), counts, count)
    for tag in range(m):
        wanted = set()
        for values, most in ((np.maximum(alone[tag], 0), count), (np.abs(together[tag]), 2 * count)):
            for exponent in EXPONENTS:
                scaled = values * (counts ** np.float32(-exponent)).astype(np.float32)
                least = np.sort(scaled)[-most]
                wanted |= set(np.flatnonzero((scaled >= least) & (scaled > 0)).tolist())
        span = slice(lists.starts[tag], lists.starts[tag + 1])
        assert lists.indices[span].tolist() == sorted(wanted, key=lambda other: (-alone[tag, other], other))
        assert (lists.alone[span] == alone[tag, lists.indices[span]]).all()
        assert (lists.together[span] == together[tag, lists.indices[span]]).all()


def test_weights_are_the_same_for_equal_documents_in_any_order():
    M = documents()
    shuffled = csr_array(M.toarray()[np.random.default_rng(3).permutation(M.shape[0])])
    one, other = (suggestion_lists(each, 2.0) for each in (M, shuffled))
    for values in ("alone", "together"):
        first, second = (
            csr_array((getattr(lists, values), lists.indices, lists.starts), shape=(12, 12)).toarray()
            for lists in (one, other)
        )
        assert first == pytest.approx(second, abs=1e-6)


@pytest.mark.parametrize("per_exponent", [1, 5, 40, 1000])
def test_lists_of_sparse_weights_are_those_of_the_same_weights_written_out(per_exponent):
    """More rows than are searched at a time; empty rows, ties, negative weights, and zeros that are stored."""
    random = np.random.default_rng(0)
    shape = (600, 600)
    alone = (np.round(random.random(shape), 1) * (random.random(shape) < 0.1)).astype(np.float32)
    together = (np.round(random.normal(size=shape), 1) * (random.random(shape) < 0.15) + 0.0).astype(np.float32)
    alone[7], together[7] = 0.0, 0.0
    counts = random.integers(1, 500, shape[0])
    one, several = csr_array(alone), csr_array(together)
    one.data[::9] = 0.0
    expected = keep_best(lambda tags: (one[tags].toarray(), together[tags]), counts, per_exponent)
    found = keep_best_listed(one, several, counts, per_exponent)
    for name in ("starts", "indices", "alone", "together"):
        assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()
