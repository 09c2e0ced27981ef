import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage

from snapshot import labels_at


@given(st.integers(2, 40), st.integers(0, 10**6))
def test_a_cut_into_k_agrees_with_scipy_for_every_k(leaves, seed):
    tree = linkage(np.random.default_rng(seed).random((leaves, 3)), "average")
    for k in range(1, leaves + 1):
        labels = labels_at(tree, k)
        expected = fcluster(tree, k, "maxclust")
        assert sorted(set(labels.tolist())) == list(range(k))
        pairs = set(zip(labels.tolist(), expected.tolist(), strict=True))
        assert len(pairs) == k
        firsts = [labels.tolist().index(label) for label in range(k)]
        assert firsts == sorted(firsts)


def test_one_leaf_is_one_cluster():
    assert labels_at(np.empty((0, 4)), 1).tolist() == [0]


@pytest.mark.parametrize("k", [0, 7])
def test_k_out_of_range_is_refused(k):
    with pytest.raises(ValueError, match=f"between 1 and 6, not {k}"):
        labels_at(np.zeros((5, 4)), k)
