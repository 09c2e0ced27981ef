"""M* from M: similarities, transitions, smoothing and teleport, against the dense formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocluster import checkerboard
from cocluster.equations.duplicates import deduplicate, write_out
from cocluster.equations.incidence import binary
from cocluster.equations.similarity import similarity_factor
from cocluster.equations.smoothing import teleport
from cocluster.equations.transition import scaling_step, symmetric_scaling, transition
from cocluster.pipeline import smoothed
from tests.cocluster import reference
from tests.cocluster.matrices import TIED, examples, incidences, sample


def silent(stage, done, total):
    pass


def tied():
    return pytest.mark.parametrize("name", TIED)


def full_factor(M):
    distinct = deduplicate(binary(M))
    return similarity_factor(distinct.matrix, distinct.row_sizes, distinct.column_sizes).toarray()[distinct.row_of]


@examples
@given(incidences())
def test_the_factored_similarity_is_the_dense_one_with_unit_diagonal_in_0_to_1(M):
    A = full_factor(M)
    S = A @ A.T
    np.testing.assert_allclose(S, reference.similarity(M), atol=1e-14)
    np.testing.assert_allclose(np.diag(S), 1.0, atol=1e-14)
    assert S.min() >= 0
    assert S.max() <= 1 + 1e-14


@examples
@given(incidences())
def test_the_transition_is_symmetric_and_bi_stochastic(M):
    T = smoothed(binary(M), 1e-6, silent).column_transition.toarray()
    np.testing.assert_allclose(T, T.T, atol=1e-16)
    np.testing.assert_allclose(T.sum(axis=0), 1.0, atol=1e-12)
    np.testing.assert_allclose(T.sum(axis=1), 1.0, atol=1e-12)
    assert T.min() >= 0


@examples
@given(incidences())
def test_the_scaling_converges_within_60_steps_whatever_the_matrix(M):
    result = smoothed(binary(M), 1e-6, silent)
    for scaling in (result.row_scaling, result.column_scaling):
        assert scaling.converged
        assert scaling.error <= 1e-13
        assert scaling.iterations <= 60


def test_a_scaling_that_is_stopped_early_says_so():
    M = checkerboard(n=20, m=20, k=3, alpha=0.5, beta=0.5, seed=0)[0]
    ones = np.ones(M.shape[0])
    A = similarity_factor(M, ones, np.ones(M.shape[1]))
    stopped = symmetric_scaling(A, ones, max_iterations=2)
    assert not stopped.converged
    assert stopped.iterations == 2
    assert stopped.error > 1e-13
    np.testing.assert_array_equal(stopped.d, scaling_step(A, scaling_step(A, ones, ones), ones))


@examples
@given(incidences())
def test_smoothing_keeps_the_mass_and_equals_the_dense_product(M):
    N = smoothed(binary(M), 1e-6, silent).matrix
    assert N.sum() == pytest.approx(M.sum(), rel=1e-12)
    np.testing.assert_allclose(N, reference.smooth(M), rtol=1e-10, atol=1e-13)
    assert N.min() > 0


@examples
@given(incidences())
def test_the_tags_transition_keeps_row_sums_and_the_documents_one_column_sums(M):
    """Each transition alone moves mass along its own side only."""
    tags = smoothed(binary(M), 1e-6, silent).column_transition.toarray()
    documents = smoothed(binary(M.T), 1e-6, silent).column_transition.toarray()
    np.testing.assert_allclose((M @ tags).sum(axis=1), M.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose((documents @ M).sum(axis=0), M.sum(axis=0), rtol=1e-12)


@examples
@given(incidences(), st.floats(1e-12, 0.5))
def test_teleport_keeps_every_marginal_and_leaves_no_zero(M, rate):
    N = M.copy()
    teleport(N, rate, M.sum(axis=1), M.sum(axis=0) / M.sum())
    np.testing.assert_allclose(N, (1 - rate) * M + rate * np.outer(M.sum(axis=1), M.sum(axis=0)) / M.sum(), rtol=1e-13)
    np.testing.assert_allclose(N.sum(axis=1), M.sum(axis=1), rtol=1e-13)
    np.testing.assert_allclose(N.sum(axis=0), M.sum(axis=0), rtol=1e-13)
    assert N.min() > 0


@examples
@given(incidences(), st.data())
def test_identical_documents_and_tags_are_smoothed_to_the_same_bits(M, data):
    i = data.draw(st.integers(0, M.shape[0] - 1))
    j = data.draw(st.integers(0, M.shape[1] - 1))
    doubled = np.vstack([M, M[i]])
    doubled = np.hstack([doubled, doubled[:, [j]]])
    N = smoothed(binary(doubled), 1e-6, silent).matrix
    assert N[-1].tobytes() == N[i].tobytes()
    assert N[:, -1].tobytes() == N[:, j].tobytes()


def test_identical_documents_of_a_real_corpus_are_smoothed_to_the_same_bits():
    M = sample("debtags", 800)
    distinct = deduplicate(M)
    assert len(distinct.row_sizes) < M.shape[0]
    N = smoothed(M, 1e-6, silent).matrix
    first = np.unique(distinct.row_of, return_index=True)[1]
    assert N.tobytes() == np.ascontiguousarray(N[first[distinct.row_of]]).tobytes()


@examples
@given(incidences())
def test_deduplicating_and_writing_out_gives_the_matrix_back(M):
    distinct = deduplicate(binary(M))
    np.testing.assert_array_equal(write_out(distinct, distinct.matrix.toarray()), M)
    assert distinct.row_sizes.sum() == M.shape[0]
    assert distinct.column_sizes.sum() == M.shape[1]
    assert len(np.unique(distinct.matrix.toarray(), axis=0)) == len(distinct.row_sizes)


@tied()
def test_the_transition_of_a_matrix_full_of_ties_is_the_dense_one(name):
    M = TIED[name]
    distinct = deduplicate(binary(M.T))
    A = similarity_factor(distinct.matrix, distinct.row_sizes, distinct.column_sizes)
    T = transition(A, symmetric_scaling(A, distinct.row_sizes)).toarray()
    dense = reference.transition(reference.similarity(M.T))
    np.testing.assert_allclose(T[np.ix_(distinct.row_of, distinct.row_of)], dense, atol=1e-12)
