"""The ends of every range: one item, two items, all duplicates, disconnected parts, one tag everywhere."""

from typing import get_args

import numpy as np
import pytest

from cocluster import CoClustering
from cocluster.engine.weights import Cost

ENDS = {
    "1×1": np.ones((1, 1)),
    "1×m": np.ones((1, 5)),
    "n×1": np.ones((4, 1)),
    "2×2 apart": np.eye(2),
    "2×2 alike": np.ones((2, 2)),
    "2×1": np.ones((2, 1)),
    "1×2": np.ones((1, 2)),
    "all duplicates": np.ones((6, 4)),
    "disconnected": np.kron(np.eye(3), np.array([[1, 1, 0], [0, 1, 1]])),
    "one tag in every document": np.hstack([np.ones((5, 1)), np.eye(5)]),
    "one document with every tag": np.vstack([np.ones((1, 5)), np.eye(5)]),
}


@pytest.mark.parametrize("cost", get_args(Cost))
@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("name", ENDS)
def test_every_end_is_clustered_down_to_one_cluster_a_side(name, cost, joint):
    M = ENDS[name]
    n, m = M.shape
    model = CoClustering(cost=cost, joint=joint).fit(M)
    assert len(model.history_) == n + m - 2
    assert (model.history_["side"] == 0).sum() == n - 1
    assert model.row_dendrogram_.linkage.shape == (n - 1, 4)
    assert model.column_dendrogram_.linkage.shape == (m - 1, 4)
    for k in {1, min(2, n), n}:
        assert set(model.row_labels(k)) == set(range(k))
    for k in {1, min(2, m), m}:
        assert set(model.column_labels(k)) == set(range(k))
    assert 1 <= model.n_row_clusters_ <= n
    assert len(set(model.row_labels_)) == model.n_row_clusters_
    assert model.column_transition_.shape == (m, m)
    assert np.isfinite(model.row_curve_.criterion).all()
    for field in ("cost", "divergence", "information", "row_entropy", "column_entropy"):
        assert np.isfinite(model.history_[field]).all()


def test_all_duplicates_are_one_cluster_without_information():
    model = CoClustering().fit(ENDS["all duplicates"])
    assert model.information_ == 0
    assert model.n_row_clusters_ == model.n_column_clusters_ == 1
    assert (model.history_["cost"] == 0).all()


def test_disconnected_parts_stay_apart_until_only_they_are_left():
    model = CoClustering().fit(ENDS["disconnected"])
    assert model.row_labels(3).tolist() == [0, 0, 1, 1, 2, 2]
    assert model.column_labels(3).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_nothing_is_kept_of_the_smoothed_matrix_unless_asked():
    assert CoClustering().fit(np.eye(3)).smoothed_ is None
    assert CoClustering(keep_smoothed=True).fit(np.eye(3)).smoothed_.shape == (3, 3)
