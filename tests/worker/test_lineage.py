import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score
from worker.heritage import heritage, steady_cut

from snapshot import Curve
from tests.snapshot.snapshots import small_documents, small_snapshot
from worker.lineage import adjusted_rand, trace

BEFORE = small_snapshot()
"""Clusters 0: payment, cash, credit card; 1: rain, snow; 2: version-control."""


def traced(labels, keys=BEFORE.keys):
    return trace(BEFORE, keys, np.array(labels, dtype=np.int32))


def test_the_same_clusters_keep_their_ids_whatever_their_order():
    found = traced([2, 2, 2, 0, 0, 1])
    assert found.ids == (1, 2, 0)
    assert set(found.kinds) == {"kept"}
    assert (found.moved, found.ari, found.gone) == (0.0, 1.0, ())


def test_a_split_cluster_leaves_its_id_to_the_larger_part():
    found = traced([0, 0, 1, 2, 2, 3])
    assert found.ids == (0, 3, 1, 2)
    assert found.kinds == ("split", "split", "kept", "kept")
    assert found.parents[1] == (0,)
    assert found.moved == pytest.approx(1 / 6)
    assert found.next_id == 4


def test_merged_clusters_take_the_id_of_the_larger_and_the_other_is_gone():
    found = traced([0, 0, 0, 0, 0, 1])
    assert found.ids == (0, 2)
    assert found.kinds == ("merged", "kept")
    assert found.parents[0] == (0, 1)
    assert found.gone == (1,)


def test_a_cluster_of_new_tags_is_new_and_never_gets_an_old_number():
    found = trace(
        small_snapshot(lineage={"next_id": 9}), (*BEFORE.keys, "sun", "moon"), np.array([0, 0, 0, 1, 1, 2, 3, 3])
    )
    assert found.ids == (0, 1, 2, 9)
    assert found.kinds[3] == "new"
    assert found.next_id == 10
    assert found.moved == 0.0


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=60))
def test_the_rand_index_is_that_of_scikit_learn(pairs):
    table = np.zeros((5, 5), dtype=np.int64)
    for one, other in pairs:
        table[one, other] += 1
    expected = adjusted_rand_score([one for one, _ in pairs], [other for _, other in pairs])
    assert adjusted_rand(table) == pytest.approx(expected, abs=1e-12)


def test_what_is_inherited_follows_names_not_places():
    previous = heritage(BEFORE, small_documents(), ("d3", "new", "d0"), ("snow", "sun", "payment", "cash"))
    assert all(labels[1] == -1 for labels in previous.rows), "a new document joins the nearest"
    assert all(np.sum(labels == labels[1]) == 1 for labels in previous.columns), "a new tag is by itself"
    coarse = previous.columns[-1]
    assert coarse[2] == coarse[3]
    assert coarse[0] != coarse[2]
    assert len(previous.rows) == len(previous.columns)


def curve_of(**peaks):
    """A criterion of 0.5 for 1…100 clusters, but for some k."""
    k = np.arange(1, 101, dtype=np.int32)
    criterion = np.full(100, 0.5)
    for name, value in peaks.items():
        criterion[int(name.removeprefix("k")) - 1] = value
    return Curve(k, criterion, criterion, criterion)


def test_the_cut_stays_while_it_is_about_as_good_as_the_best():
    curve = curve_of(k40=1.0, k41=0.99, k42=0.97)
    assert steady_cut(curve, 40, None) == 40
    assert steady_cut(curve, 40, 40) == 40
    assert steady_cut(curve, 40, 41) == 41
    assert steady_cut(curve, 40, 42) == 41, "no further than it must"


def test_the_cut_does_not_jump_to_a_far_peak_of_about_the_same_height():
    curve = curve_of(k15=1.0, k70=0.94, k72=0.95, k73=0.92)
    assert steady_cut(curve, 15, 73) == 72
    assert steady_cut(curve, 15, 72) == 72


def test_the_cut_goes_where_it_is_much_better():
    curve = curve_of(k15=1.0, k72=0.89)
    assert steady_cut(curve, 15, 72) == 15
    assert steady_cut(curve, 15, 500) == 15, "and when it is out of range"
