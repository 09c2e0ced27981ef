"""What is made of the trees: linkage, labels at any k, criterion curves, entropies of the history."""

import numpy as np
import pytest
from hypothesis import given
from scipy.cluster.hierarchy import fcluster, is_valid_linkage

from cocluster import CoClustering, checkerboard
from cocluster.equations.entropy import restricted_entropy
from tests.cocluster.matrices import TIED, examples, few_examples, incidences


def sides(model):
    return (
        (model.row_dendrogram_.linkage, model.row_labels, model.row_curve_),
        (model.column_dendrogram_.linkage, model.column_labels, model.column_curve_),
    )


def same_partition(first, second):
    return len({*zip(first, second, strict=True)}) == len({*first}) == len({*second})


@examples
@given(incidences(least=2))
def test_the_linkage_is_valid_for_scipy_and_heights_never_fall(M):
    for linkage, _, _ in sides(CoClustering().fit(M)):
        assert is_valid_linkage(linkage)
        assert (np.diff(linkage[:, 2]) >= 0).all()
        assert linkage[0, 2] >= 0


@examples
@given(incidences(least=2))
def test_fcluster_agrees_with_the_labels_at_every_k_that_a_height_separates(M):
    for linkage, labels, _ in sides(CoClustering().fit(M)):
        heights = linkage[:, 2]
        n = len(linkage) + 1
        for k in range(1, n):
            below, above = heights[n - k - 1], heights[n - k] if k > 1 else np.inf
            if above > below:
                assert same_partition(fcluster(linkage, below, "distance"), labels(k))


@examples
@given(incidences())
def test_labels_at_k_are_exactly_k_groups_ordered_by_smallest_member_and_nested(M):
    model = CoClustering().fit(M)
    for size, labels in zip(M.shape, (model.row_labels, model.column_labels), strict=True):
        assert labels(size).tolist() == list(range(size))
        for k in range(1, size + 1):
            groups = labels(k)
            assert [groups.tolist().index(group) for group in range(k)] == sorted(
                {groups.tolist().index(group) for group in groups}
            )
            assert set(groups.tolist()) == set(range(k))
            if k < size:
                assert len({*zip(groups, labels(k + 1), strict=True)}) == k + 1


@pytest.mark.parametrize("k", [0, -1, 7, 2.0, "3", None])
def test_a_k_out_of_range_is_refused_with_the_range(k):
    model = CoClustering().fit(TIED["identity"])
    with pytest.raises(ValueError, match="k must be a whole number between 1 and 6"):
        model.row_labels(k)


def test_labels_before_fit_say_what_to_do():
    with pytest.raises(ValueError, match="call fit"):
        CoClustering().row_labels(2)


@examples
@given(incidences(least=2))
def test_the_curve_holds_the_restricted_entropy_of_the_labels_and_the_cut_is_its_maximum(M):
    model = CoClustering(critical_size=1).fit(M)
    for (_, labels, curve), chosen in zip(sides(model), (model.n_row_clusters_, model.n_column_clusters_), strict=True):
        expected = [restricted_entropy(np.bincount(labels(k)), 1) for k in curve.k]
        np.testing.assert_allclose(curve.entropy, expected, atol=1e-13)
        np.testing.assert_array_equal(curve.criterion, curve.entropy * curve.information)
        assert curve.criterion[chosen - 1] == curve.criterion.max()
        assert len(set(labels(chosen))) == chosen


@few_examples
@given(incidences())
def test_the_history_holds_the_restricted_entropies_of_both_sides_after_each_merge(M):
    model = CoClustering(critical_size=1).fit(M)
    k = list(M.shape)
    for step in model.history_:
        k[step["side"]] -= 1
        rows, columns = model.row_labels(k[0]), model.column_labels(k[1])
        assert step["row_entropy"] == pytest.approx(restricted_entropy(np.bincount(rows), 1), abs=1e-13)
        assert step["column_entropy"] == pytest.approx(restricted_entropy(np.bincount(columns), 1), abs=1e-13)
    assert k == [1, 1]


@few_examples
@given(incidences(least=2))
def test_the_information_of_each_side_alone_ends_at_0_when_the_sides_are_independent(M):
    model = CoClustering(joint=False).fit(M)
    for side in (0, 1):
        left = model.history_["information"][model.history_["side"] == side]
        assert (np.diff(left) <= 0).all()
        assert left[-1] == 0
    assert model.row_dendrogram_.linkage[-1, 2] == pytest.approx(model.information_, abs=1e-12)
    assert model.column_dendrogram_.linkage[-1, 2] == pytest.approx(model.information_, abs=1e-12)


def test_the_two_trees_together_lose_all_the_information():
    X, _, _ = checkerboard(n=60, m=50, k=4, seed=0)
    model = CoClustering().fit(X)
    lost = model.row_dendrogram_.linkage[-1, 2] + model.column_dendrogram_.linkage[-1, 2]
    assert lost == pytest.approx(model.information_, rel=1e-12)
