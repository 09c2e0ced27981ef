"""The weights from tag to tag."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from cocluster.suggestions import cooccurrence, keep_best, local_ridge, neighbourhoods, ridge, suggestion_lists
from cocluster.suggestions.local import COMMONEST


def documents(n=120, m=12, seed=0):
    """Random documents of two to six tags; early tags are commoner."""
    random = np.random.default_rng(seed)
    rows = np.zeros((n, m))
    chances = 1.0 / np.arange(1, m + 1)
    for row in rows:
        row[random.choice(m, random.integers(2, 7), replace=False, p=chances / chances.sum())] = 1.0
    return csr_array(rows)


def regressed(M, penalty, dropout):
    """Each tag on all others by the normal equations, in float64: documents weigh 1/√r."""
    X = M.toarray()
    G = X.T @ (X / np.sqrt(X.sum(axis=1))[:, None])
    m = len(G)
    B = np.zeros((m, m))
    for tag in range(m):
        others = np.delete(np.arange(m), tag)
        system = G[np.ix_(others, others)].copy()
        system[np.diag_indices(m - 1)] *= 1.0 + dropout
        system[np.diag_indices(m - 1)] += penalty
        B[others, tag] = (1.0 + dropout) * np.linalg.solve(system, G[others, tag])
    return B


@pytest.mark.parametrize("dropout", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("penalty", [0.25, 4.0, 64.0])
def test_the_closed_form_is_the_ridge_regression_of_each_tag_on_all_others(penalty, dropout):
    M = documents()
    found = ridge(cooccurrence(M).toarray(), penalty, dropout)
    assert found == pytest.approx(regressed(M, penalty, dropout), abs=2e-6)
    assert (np.diag(found) == 0).all()


def test_dropping_tags_at_random_comes_to_the_same_as_the_dropout():
    """q = 1/3 of the tags missing from each query: δ = q/(1−q) = 1/2, in the limit of many queries."""
    M = documents(60, 8)
    random = np.random.default_rng(2)
    X = np.repeat(M.toarray(), 4000, axis=0)
    seen = X * (random.random(X.shape) > 1 / 3)
    weight = 1.0 / np.sqrt(X.sum(axis=1))[:, None]
    expected = np.zeros((8, 8))
    for tag in range(8):
        others = np.delete(np.arange(8), tag)
        system = seen[:, others].T @ (weight * seen[:, others]) / 4000
        # The penalty of the closed form stands before the scaling of its inputs by 1 − q.
        system[np.diag_indices(7)] += 2.0 * (2 / 3) ** 2
        expected[others, tag] = np.linalg.solve(system, seen[:, others].T @ (weight[:, 0] * X[:, tag]) / 4000)
    assert ridge(cooccurrence(M).toarray(), 2.0, 0.5) == pytest.approx(expected, abs=0.01)


def test_regressed_on_everything_the_local_form_is_the_exact_one():
    M = documents(m=COMMONEST)
    G = cooccurrence(M)
    near = neighbourhoods(G, 2.0)
    assert near.nnz == COMMONEST * (COMMONEST - 1)
    assert local_ridge(G, near, 2.0, (0.5,))[0].toarray() == pytest.approx(ridge(G.toarray(), 2.0, 0.5), abs=1e-5)


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
    found = ridge(cooccurrence(twins).toarray(), 1.0)
    assert found[2, 0] == pytest.approx(found[2, 1])


def test_the_best_and_the_worst_weights_are_kept_at_every_tilt():
    m = 40
    weights = np.linspace(-1.0, 1.0, m).astype(np.float32)
    counts = np.full(m, 5)
    counts[20] = 5000
    weights[20] = 0.3
    counts[:3] = 1000
    alone = np.maximum(weights, 0.01)
    kept = keep_best(lambda _: (np.tile(alone, (m, 1)), np.tile(weights, (m, 1))), counts, kept=4)
    first = kept.indices[: kept.starts[1]]
    assert set(first) >= {0, 1, 2, 36, 37, 38, 39}, "the strongest for and against"
    assert (np.diff(kept.alone[: kept.starts[1]]) <= 0).all(), "best first"
    assert len(first) < m


def test_weights_are_the_same_for_equal_documents_in_any_order():
    M = documents()
    shuffled = csr_array(M.toarray()[np.random.default_rng(3).permutation(M.shape[0])])
    one, other = suggestion_lists(M, 2.0, 0.5), suggestion_lists(shuffled, 2.0, 0.5)
    assert one.together == pytest.approx(other.together, abs=1e-6)
