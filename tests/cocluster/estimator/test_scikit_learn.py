"""scikit-learn's own checks of estimators, its `clone` and pipelines, on a class that does not depend on it."""

import warnings
from collections import Counter

import numpy as np
import pytest
from sklearn.base import ClusterMixin, clone
from sklearn.metrics import consensus_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    check_estimator,
    estimator_checks_generator,
)
from sklearn.utils.validation import check_is_fitted

from cocluster import CoClustering, NotFittedError, checkerboard


class Clusterer(ClusterMixin, CoClustering):
    """CoClustering with the mixin that makes scikit-learn check it as a clusterer, too."""


EXPECTED = {
    CoClustering: {},
    Clusterer: {
        "check_clustering": "its blobs are standardised: half of the numbers are negative, and tags have none below 0"
    },
}
"""The checks that each may fail, with the reason; one that passes fails the test. `check_estimator` takes the same."""


def checks():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Estimator .* does not inherit from `sklearn.base.BaseEstimator`")
        for kind, expected in EXPECTED.items():
            yield from estimator_checks_generator(kind(), expected_failed_checks=expected, mark="xfail")


def name_of(check):
    return getattr(check, "func", check).__name__ if callable(check) else ""


@pytest.mark.filterwarnings("ignore:Estimator .* does not inherit")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize(("estimator", "check"), list(checks()), ids=name_of)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


def test_scikit_learn_finds_the_names_of_a_table():
    check_dataframe_column_names_consistency("CoClustering", CoClustering())


@pytest.mark.filterwarnings("ignore:Estimator .* does not inherit", "ignore::sklearn.exceptions.SkipTestWarning")
def test_check_estimator_passes_as_it_is(capsys):
    results = check_estimator(CoClustering(), expected_failed_checks=EXPECTED[CoClustering], on_fail=None)
    counts = Counter(result["status"] for result in results)
    with capsys.disabled():
        print(f"check_estimator(CoClustering()): {dict(counts)} of {len(results)}")
    skipped = [result["check_name"] for result in results if result["status"] == "skipped"]
    assert counts["passed"] + len(skipped) == len(results)
    assert set(skipped) <= {"check_array_api_input"}, "needs SCIPY_ARRAY_API in the environment"


@pytest.fixture(scope="module")
def board():
    M, _, _ = checkerboard(n=80, m=50, k=4, alpha=0.5, beta=0.6, seed=3)
    return M


def test_a_clone_has_the_parameters_and_no_results(board):
    model = CoClustering(critical_size=3, max_memory=10**9).fit(board)
    other = clone(model)
    assert other.get_params() == model.get_params()
    with pytest.raises(NotFittedError, match="call fit"):
        other.row_labels(2)
    np.testing.assert_array_equal(other.fit(board).row_labels_, model.row_labels_)


def test_it_is_the_last_step_of_a_pipeline(board):
    pipeline = make_pipeline(Binarizer(threshold=0.5), CoClustering())
    labels = pipeline.fit_predict(0.9 * board.toarray())
    np.testing.assert_array_equal(labels, CoClustering().fit(board).row_labels_)


def test_fit_predict_gives_the_labels_that_fit_sets_of_lists_as_of_arrays(board):
    """What check_clustering would check, on data that have clusters when only presence counts."""
    model = CoClustering()
    labels = model.fit_predict(board.toarray().tolist())
    np.testing.assert_array_equal(labels, CoClustering().fit(board).labels_)
    assert labels.dtype == np.int64
    assert np.unique(labels).tolist() == list(range(model.n_row_clusters_))


def test_biclusters_are_all_pairs_of_clusters_as_those_of_spectral_biclustering(board):
    model = CoClustering().fit(board)
    rows, columns = model.biclusters_
    k, m = model.n_row_clusters_, model.n_column_clusters_
    assert rows.shape == (k * m, board.shape[0])
    assert columns.shape == (k * m, board.shape[1])
    np.testing.assert_array_equal(rows, model.rows_)
    np.testing.assert_array_equal(columns, model.columns_)
    for bicluster in range(k * m):
        np.testing.assert_array_equal(rows[bicluster], model.row_labels_ == bicluster // m)
        np.testing.assert_array_equal(columns[bicluster], model.column_labels_ == bicluster % m)
    assert (rows[:, :, None] & columns[:, None, :]).sum(axis=0).tolist() == np.ones(board.shape).tolist()
    few = CoClustering(critical_size=10).fit(board)
    assert consensus_score(few.biclusters_, few.biclusters_) == 1.0


@pytest.mark.parametrize("name", ["labels_", "rows_", "columns_", "biclusters_", "matrix_"])
def test_before_fit_there_are_no_results(name):
    assert not hasattr(CoClustering(), name)
    with pytest.raises(NotFittedError, match=r"call fit\(X\) first"):
        getattr(CoClustering(), name)
    with pytest.raises(ValueError, match="not fitted yet"):
        check_is_fitted(CoClustering())


def test_parameters_are_stored_as_given_and_checked_by_fit(board):
    model = CoClustering(cost="euclidean", teleport=7)
    assert (model.cost, model.teleport) == ("euclidean", 7)
    with pytest.raises(ValueError, match="teleport must"):
        model.fit(board)
    assert model.set_params(cost="composite", teleport=1e-6) is model
    model.fit(board)


def test_a_parameter_that_does_not_exist_is_named_with_those_that_do():
    model = CoClustering()
    with pytest.raises(ValueError, match=r"Invalid parameter 'clusters' for CoClustering\(\); valid .* cost, critical"):
        model.set_params(cost="divergence", clusters=3)
    assert model.cost == "composite", "nothing is set if one is wrong"


def test_the_repr_shows_only_what_differs_from_the_defaults():
    assert repr(CoClustering()) == "CoClustering()"
    assert repr(CoClustering(max_exact=10_000, cost="divergence")) == "CoClustering(cost='divergence')"
