"""The trees: against the reference merge by merge, with ties, duplicates and permutations."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_matrix, csr_array

from cocluster import CoClustering, checkerboard
from cocluster.engine.weights import Cost
from cocluster.equations.information import information
from tests.cocluster import reference
from tests.cocluster.matrices import TIED, examples, few_examples, incidences, sample


def fit(M, **options):
    return CoClustering(keep_smoothed=True, **options).fit(M)


def merges(model):
    """(side, members of a, members of b) of each merge."""
    nodes = [[(i,) for i in range(size)] for size in model.smoothed_.shape]
    for step in model.history_:
        side = nodes[step["side"]]
        a, b = side[step["a"]], side[step["b"]]
        side.append(tuple(sorted(a + b)))
        yield ("documents", "tags")[step["side"]], a, b


def assert_agrees(model, expected):
    assert list(merges(model)) == [(step.side, step.a, step.b) for step in expected]
    for field in ("cost", "divergence", "information"):
        wanted = [getattr(step, field) for step in expected]
        np.testing.assert_allclose(model.history_[field], wanted, rtol=1e-9, atol=1e-13, err_msg=field)


def ties_are_certain(model):
    """Whether divergences are far enough from 0 to recognise ties: below 1e-7 their rounding exceeds 1e-11."""
    return model.information_ == 0 or model.information_ > 1e-7


@examples
@given(incidences())
def test_every_merge_is_the_one_of_the_reference(M):
    model = fit(M)
    assume(ties_are_certain(model))
    assert_agrees(model, reference.agglomerate(model.smoothed_))


@few_examples
@given(incidences(), st.sampled_from(get_args(Cost)), st.booleans())
def test_every_merge_of_every_variant_is_the_one_of_the_reference(M, cost, joint):
    model = fit(M, cost=cost, joint=joint)
    assume(ties_are_certain(model))
    assert_agrees(model, reference.agglomerate(model.smoothed_, cost=cost, joint=joint))


@pytest.mark.parametrize("name", TIED)
@pytest.mark.parametrize("cost", get_args(Cost))
def test_ties_fall_to_documents_then_to_the_smaller_divergence_then_to_the_lowest_ids(name, cost):
    model = fit(TIED[name], cost=cost)
    assert_agrees(model, reference.agglomerate(model.smoothed_, cost=cost))


@pytest.mark.parametrize(("corpus", "documents"), [("debtags", 250), ("tabler_icons", 150)])
def test_the_ties_of_real_corpora_fall_as_in_the_reference(corpus, documents):
    model = fit(sample(corpus, documents, min_count=3))
    assert_agrees(model, reference.agglomerate(model.smoothed_))


@examples
@given(incidences(least=2), st.data())
def test_duplicates_merge_first_at_cost_0(M, data):
    i = data.draw(st.integers(0, M.shape[0] - 1))
    doubled = np.vstack([M, M[i]])
    model = fit(doubled)
    distinct = np.unique(doubled, axis=0).shape[0] + np.unique(doubled, axis=1).shape[1]
    duplicates = sum(doubled.shape) - distinct
    assert duplicates >= 1
    first = model.history_[:duplicates]
    assert (first["cost"] == 0).all()
    assert (first["divergence"] == 0).all()
    for side, a, b in list(merges(model))[:duplicates]:
        rows = doubled if side == "documents" else doubled.T
        assert (rows[list(a + b)] == rows[a[0]]).all()


@examples
@given(incidences())
def test_information_never_rises_and_is_that_of_the_aggregated_matrix(M):
    model = fit(M)
    left = model.history_["information"]
    assert (np.diff(np.concatenate([[model.information_], left])) <= 0).all()
    assert model.information_ == pytest.approx(information(model.smoothed_), abs=1e-12)
    k = list(M.shape)
    for step in model.history_:
        k[step["side"]] -= 1
        rows, columns = model.row_labels(k[0]), model.column_labels(k[1])
        N = np.zeros(k)
        np.add.at(N, (rows[:, None], columns[None, :]), model.smoothed_)
        assert step["information"] == pytest.approx(information(N), abs=1e-12)


@few_examples
@given(st.integers(0, 2**32 - 1))
def test_permuting_rows_and_columns_permutes_the_tree(seed):
    """Ties aside: the golden matrices have none before the last, zero-cost merges."""
    M = checkerboard(n=24, m=20, k=4, alpha=0.5, beta=0.6, seed=3)[0].toarray()
    M = np.unique(np.unique(M, axis=0), axis=1)
    random = np.random.default_rng(seed)
    rows, columns = random.permutation(M.shape[0]), random.permutation(M.shape[1])
    plain, permuted = fit(M), fit(M[np.ix_(rows, columns)])

    def unordered(model, place):
        return [
            (side, frozenset([frozenset(place[side][list(a)]), frozenset(place[side][list(b)])]))
            for (side, a, b), step in zip(merges(model), model.history_, strict=True)
            if step["cost"] > 0
        ]

    stay = {"documents": np.arange(M.shape[0]), "tags": np.arange(M.shape[1])}
    expected = unordered(plain, stay)
    assert len(expected) > 20
    assert unordered(permuted, {"documents": rows, "tags": columns}) == expected


@few_examples
@given(incidences())
def test_dense_and_sparse_input_of_any_type_give_the_same_bytes(M):
    expected = CoClustering().fit(M)
    for same in (
        M.astype(bool),
        M.astype(np.int8),
        M.astype(np.float32),
        M.tolist(),
        np.asfortranarray(M),
        csr_array(M),
        csc_matrix(M),
        coo_array(M.astype(bool)),
    ):
        model = CoClustering().fit(same)
        assert model.history_.tobytes() == expected.history_.tobytes()
        assert model.column_transition_.toarray().tobytes() == expected.column_transition_.toarray().tobytes()


def test_the_same_input_gives_the_same_bytes():
    X, _, _ = checkerboard(n=90, m=70, k=5, seed=4)
    first, second = CoClustering(keep_smoothed=True).fit(X), CoClustering(keep_smoothed=True).fit(X.copy())
    assert first.smoothed_.tobytes() == second.smoothed_.tobytes()
    assert first.history_.tobytes() == second.history_.tobytes()
    assert first.row_dendrogram_.linkage.tobytes() == second.row_dendrogram_.linkage.tobytes()
