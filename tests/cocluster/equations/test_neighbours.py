"""A bounded number of neighbours for each tag: what stays, and what the rest is replaced by."""

import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import csr_array

from cocluster.equations.neighbours import bounded, bounded_symmetric, largest
from cocluster.fit import factored as products
from cocluster.fit.factored import factored_matrix
from tests.cocluster.matrices import few_examples, incidences
from tests.cocluster.micro.products import RATE, board, every_row, transitions_of


def test_the_largest_entries_of_a_row_stay_and_of_equal_ones_the_first():
    matrix = csr_array([[1.0, 5.0, 1.0, 1.0], [2.0, 0.0, 0.0, 3.0], [4.0, 4.0, 4.0, 4.0]])
    expected = [[1.0, 5.0, 0.0, 0.0], [2.0, 0.0, 0.0, 3.0], [4.0, 4.0, 0.0, 0.0]]
    np.testing.assert_array_equal(largest(matrix, 2).toarray(), expected)


@pytest.mark.parametrize("most", [1, 3, 10, 1000])
def test_sums_of_rows_and_columns_stay_whatever_goes(most):
    random = np.random.default_rng(0)
    full = random.random((40, 60)) * (random.random((40, 60)) < 0.4)
    row_weights, column_weights = random.random(40) + 0.1, random.random(60) + 0.1
    found = bounded(csr_array(full), most, row_weights, column_weights)
    again = found.kept.toarray() + np.outer(found.rows, found.columns)
    np.testing.assert_allclose(again @ column_weights, full @ column_weights, rtol=1e-12)
    np.testing.assert_allclose(row_weights @ again, row_weights @ full, rtol=1e-12)
    assert np.diff(found.kept.indptr).max() <= most
    assert (again >= 0).all()


@few_examples
@given(incidences())
def test_bounded_transitions_stay_symmetric_and_bi_stochastic(M):
    steps = transitions_of(M)
    sizes = steps.distinct.column_sizes
    found = bounded_symmetric(steps.T, 2, sizes)
    again = found.kept.toarray() + np.outer(found.rows, found.columns)
    np.testing.assert_allclose(again, again.T, atol=1e-15)
    np.testing.assert_allclose(again @ sizes, 1.0, rtol=1e-9)


def test_the_mass_of_documents_does_not_depend_on_the_bound(monkeypatch):
    steps = transitions_of(board())
    whole = factored_matrix(steps, RATE)
    monkeypatch.setattr(products, "DENSE_TAGS", 0)
    monkeypatch.setattr(products, "NEIGHBOURS", 8)
    few = factored_matrix(steps, RATE)
    assert few.G.C.nnz < steps.T.nnz / 4
    N = every_row(few)
    assert not np.allclose(N, every_row(whole))
    np.testing.assert_allclose(N @ few.column_sizes, whole.row_sums, rtol=1e-9)
    np.testing.assert_allclose(few.row_sizes @ N, few.column_sums, rtol=1e-9)
    assert N.min() > 0
    # All that reads the product sees the same matrix.
    E = csr_array(np.eye(3)[np.arange(N.shape[1]) % 3])
    np.testing.assert_allclose(few.rows @ few.G.group_tags(E), N @ E.toarray(), rtol=1e-5)
    L = np.random.default_rng(0).random((5, N.shape[1]))
    np.testing.assert_allclose(few.rows @ few.G.table(L), N @ L.T, rtol=1e-5)
