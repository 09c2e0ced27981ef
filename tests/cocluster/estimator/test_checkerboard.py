"""Matrices with known clusters."""

import numpy as np
import pytest

from cocluster import checkerboard


def test_the_standard_checkerboard_is_about_2_percent_filled_with_equal_parts():
    X, rows, columns = checkerboard(n=1000, m=1000, k=20, seed=5)
    assert 0.015 < X.nnz / 1e6 < 0.025
    assert X.shape == (len(rows), len(columns))
    assert np.bincount(rows).max() <= 50
    assert set(X.data) == {1.0}


def test_no_row_or_column_is_empty_and_the_truth_follows_what_was_dropped():
    X, rows, columns = checkerboard(n=120, m=80, k=(6, 4), alpha=0.3, beta=0.1, seed=1)
    assert X.shape[0] < 120
    assert (X.sum(axis=1) > 0).all()
    assert (X.sum(axis=0) > 0).all()
    assert (np.diff(rows) >= 0).all()
    assert set(columns) <= set(range(4))


def test_an_unfilled_tile_holds_nothing():
    X, rows, columns = checkerboard(n=200, m=200, k=5, alpha=0.5, beta=1.0, seed=0)
    tiles = np.zeros((5, 5))
    np.add.at(tiles, (rows[X.tocoo().row], columns[X.tocoo().col]), 1)
    assert 3 <= (tiles == 0).sum() <= 22


def test_the_same_seed_gives_the_same_matrix_and_another_seed_another():
    first, second, other = (checkerboard(n=50, m=50, k=4, seed=seed)[0] for seed in (7, 7, 8))
    assert (first != second).nnz == 0
    assert first.shape != other.shape or (first != other).nnz > 0


@pytest.mark.parametrize("k", [0, 51, (4, 60)])
def test_more_clusters_than_items_are_refused(k):
    with pytest.raises(ValueError, match="do not fit 50 rows × 50 columns"):
        checkerboard(n=50, m=50, k=k)
