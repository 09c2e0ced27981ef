"""The matrix of documents and tags: which input is accepted, and what the filter removes."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_matrix, csr_array

from cocluster import CoClustering, checkerboard, incidence
from cocluster.equations.incidence import binarized_matrix, binary
from cocluster.suggestions import training_documents
from tests.cocluster.matrices import examples, incidences


@examples
@given(incidences(least=2), st.integers(1, 4))
def test_filtering_again_removes_nothing_and_every_tag_left_is_frequent(X, min_count):
    try:
        filtered = incidence(X, min_count)
    except ValueError:
        assert (X.sum(axis=0) < min_count).any()
        return
    M = filtered.matrix.toarray()
    assert (M.sum(axis=0) >= min_count).all()
    assert (M.sum(axis=1) > 0).all()
    assert incidence(M, min_count).matrix.shape == M.shape
    np.testing.assert_array_equal(M, X[np.ix_(filtered.rows, filtered.columns)])


def test_rare_tags_go_and_then_the_documents_that_had_no_other():
    X = np.array([[1, 0, 0], [0, 1, 1], [0, 1, 1]])
    filtered = incidence(X, min_count=2)
    assert filtered.rows.tolist() == [1, 2]
    assert filtered.columns.tolist() == [1, 2]


def test_nothing_left_after_filtering_is_an_error_that_names_the_threshold():
    with pytest.raises(ValueError, match="min_count=5"):
        incidence(np.eye(3), min_count=5)


@pytest.mark.parametrize("value", [2, -1, 0.5, np.nan, np.inf, 1 + 1e-12])
@pytest.mark.parametrize("form", [np.array, csr_array, csc_matrix, coo_array])
def test_a_value_other_than_0_and_1_is_named_with_its_place(form, value):
    X = np.ones((4, 3))
    X[2, 1] = value
    with pytest.raises(ValueError, match="row 2, column 1 holds"):
        binary(form(X))
    if not value > 0 or np.isinf(value):
        with pytest.raises(ValueError, match="row 2, column 1 holds"):
            binarized_matrix(form(X), "positive")


@pytest.mark.parametrize("form", [np.array, csr_array, csc_matrix, coo_array])
def test_counts_and_weights_count_as_ones_and_are_counted(form):
    M, binarized = binarized_matrix(form(np.array([[0, 3.0, 1.0], [0.25, 0, 1.0]])), "positive")
    assert M.toarray().tolist() == [[0, 1, 1], [1, 0, 1]]
    assert binarized == 2


@pytest.mark.parametrize("kind", [np.float64, np.int8, np.bool_])
def test_an_entry_given_twice_is_no_one(kind):
    X = coo_array((np.ones(3, dtype=kind), ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    with pytest.raises(ValueError, match="row 0, column 1 holds 2"):
        binary(X)


def test_stored_zeros_are_zeros():
    X = csr_array((np.array([1.0, 0.0, 1.0]), ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    assert binary(X).nnz == 2


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones(3), "2 dimensions"),
        (np.ones((2, 2, 2)), "2 dimensions"),
        (5, "2 dimensions"),
        (np.empty((0, 4)), "0 documents × 4 tags"),
        (np.empty((3, 0)), "3 documents × 0 tags"),
        ([[1, 0], [1]], "different lengths"),
        ([["a", "b"]], "must hold numbers"),
        ([[None, 1]], "row 0, column 0 holds NaN"),
        ([[{}, 1]], "must hold numbers"),
        (np.ones((2, 2), dtype=complex), "Complex data not supported"),
        (np.array([["a", 1]], dtype=object), "must hold numbers: could not convert string"),
    ],
)
def test_what_is_no_matrix_of_numbers_is_refused(X, message):
    with pytest.raises((TypeError, ValueError), match=message):
        binary(X)


def test_the_input_is_left_as_it_was():
    X = coo_array((np.ones(3), ([1, 0, 1], [1, 1, 0])), shape=(2, 2))
    rows = X.row.copy()
    binary(X)
    assert X.row.tolist() == rows.tolist()


def test_a_threshold_below_1_is_refused():
    with pytest.raises(ValueError, match="min_count"):
        incidence(np.eye(2), min_count=0)


def test_a_checked_matrix_is_not_checked_again_and_its_duplicates_are_found_once(monkeypatch):
    """An Incidence goes through the fit and the suggestions: one look for values, empty ones and equal rows."""
    X, _, _ = checkerboard(n=60, m=40, k=3, alpha=0.6, beta=0.5, seed=0)
    module = sys.modules["cocluster.equations.incidence"]  # the package has a function of the same name
    calls = []

    def counted(name, function):
        def call(*arguments):
            calls.append(name)
            return function(*arguments)

        monkeypatch.setattr(module, name, call)

    for name in ("binarized_matrix", "require_documents", "distinct_rows"):
        counted(name, getattr(module, name))
    matrix = incidence(X, 1)
    CoClustering().fit(matrix)
    CoClustering(critical_size=2).fit(matrix)
    training_documents(matrix.matrix, matrix.distinct_rows)
    assert calls == ["binarized_matrix", "distinct_rows"]
