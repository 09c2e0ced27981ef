"""A ValueError that names the row, the value or the limit; never a crash, never a silent drop."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from cocluster import CoClustering, Previous, checkerboard, estimate_memory


@pytest.mark.parametrize("form", [np.array, csr_array])
def test_a_document_without_a_tag_is_in_no_cluster_and_changes_no_other(form):
    X, _, _ = checkerboard(n=40, m=30, k=3, alpha=0.6, beta=0.7, seed=1)
    wider = np.insert(X.toarray(), 5, 0, axis=0)
    model, other = CoClustering().fit(form(wider)), CoClustering().fit(X)
    assert model.labels_.tolist() == np.insert(other.labels_, 5, -1).tolist()
    assert model.row_labels_.tolist() == other.row_labels_.tolist()
    assert model.row_positions_.tolist() == [place for place in range(len(wider)) if place != 5]
    assert model.rows_.shape == (len(model.rows_), len(wider))
    assert not model.rows_[:, 5].any()


@pytest.mark.parametrize("form", [np.array, csr_array])
def test_the_first_of_several_empty_columns_is_named_with_their_number(form):
    X = np.ones((4, 5))
    X[:, [1, 3]] = 0
    with pytest.raises(ValueError, match=r"column 1 is empty \(and 1 more\)"):
        CoClustering().fit(form(X))


@pytest.mark.parametrize("value", [2, -1, np.nan, np.inf])
def test_a_wrong_value_reaches_the_caller_of_fit_with_its_place(value):
    X = np.ones((3, 3))
    X[1, 2] = value
    with pytest.raises(ValueError, match="row 1, column 2"):
        CoClustering(binarize="error").fit(X)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("teleport", 0),
        ("teleport", 1),
        ("teleport", -1e-6),
        ("teleport", float("nan")),
        ("critical_size", -1),
        ("critical_size", 2.5),
        ("critical_size", "large"),
        ("cost", "euclidean"),
        ("max_exact", 2.5),
        ("micro_clusters", 1),
        ("max_memory", -1),
        ("binarize", "median"),
        ("n_clusters", 0),
        ("n_clusters", 2.5),
    ],
)
def test_an_option_out_of_range_is_named_with_its_value(option, value):
    with pytest.raises(ValueError, match=f"{option} must.*{value}"):
        CoClustering(**{option: value}).fit(np.eye(4))


def test_a_teleport_that_vanishes_in_rounding_is_refused_and_the_smallest_that_does_not_works():
    with pytest.raises(ValueError, match="teleport=5e-324 is too small"):
        CoClustering(teleport=5e-324).fit(np.eye(4))
    for rate in (1e-300, 1e-12, 0.5, 1 - 1e-12):
        model = CoClustering(teleport=rate).fit(np.eye(4))
        assert np.isfinite(model.history_["cost"]).all()


def test_too_little_memory_is_refused_before_anything_is_built():
    X = csr_array(np.eye(50))
    needed = estimate_memory(50, 50)
    stages = []
    with pytest.raises(ValueError, match=f"max_memory={needed - 1}"):
        CoClustering(max_memory=needed - 1).fit(X, progress=lambda *stage: stages.append(stage))
    assert stages == []
    CoClustering(max_memory=needed).fit(X)


def test_what_the_progress_callback_raises_stops_the_run_and_leaves_the_last_fit_in_place():
    class CancelledError(Exception):
        pass

    def cancel(stage, done, total):
        if stage == "agglomeration":
            raise CancelledError

    model = CoClustering().fit(np.eye(4))
    with pytest.raises(CancelledError):
        model.fit(checkerboard(n=40, m=40, k=3, seed=0)[0], progress=cancel)
    assert len(model.row_labels(4)) == 4


def test_progress_reports_each_stage_in_order_up_to_its_total():
    reported = []
    X, _, _ = checkerboard(n=60, m=40, k=3, seed=0)
    CoClustering().fit(X, progress=lambda *report: reported.append(report))
    stages = ["transition", "smoothing", "agglomeration", "cut"]
    assert list(dict.fromkeys(stage for stage, _, _ in reported)) == stages
    for stage in stages:
        done = [(reached, total) for name, reached, total in reported if name == stage]
        assert [reached for reached, _ in done] == sorted(reached for reached, _ in done)
        assert len({total for _, total in done}) == 1
        assert all(reached <= total for reached, total in done)


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        ([[0, 0]], [[0, 0, 0]], r"previous.rows\[0\] must hold one label for each of 3 items"),
        ([[0, 0, 0]], [[0, 0]], r"previous.columns\[0\] must hold one label for each of 3 items"),
        ([[0, 0, 0], [0, 1, -2]], [[0, 0, 0]] * 2, r"previous.rows\[1\]\[2\] is -2"),
        ([[0.0, 0.5, 1.0]], [[0, 0, 0]], "whole numbers"),
        ([[0, 0, 0]], [[0, 0, 0]] * 2, "got 1 and 2"),
        ([], [], "at least one"),
    ],
)
def test_previous_labels_that_do_not_fit_are_named(rows, columns, message):
    with pytest.raises(ValueError, match=message):
        CoClustering().fit(np.eye(3), previous=Previous(rows, columns))


@pytest.mark.parametrize("inertia", [-0.1, 1.0, float("nan")])
def test_an_inertia_out_of_range_is_named(inertia):
    previous = Previous([[0, 0, 1]], [[0, 1, 1]])
    with pytest.raises(ValueError, match=f"inertia must lie in .* not {inertia}"):
        CoClustering().fit(np.eye(3), previous=previous, inertia=inertia)
