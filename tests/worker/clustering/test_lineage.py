"""Cluster ids that last from run to run, what a run inherits, and cuts that hold still."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from snapshot import ClusterLineage
from tagmodel import CriterionCurve, Partition
from tests.clustered import clustered
from worker.clustering.continuity.inheritance import PreviousVersion, inheritance, steady_cut
from worker.clustering.continuity.lineage import adjusted_rand, trace

KEYS = ("payment", "cash", "credit card", "rain", "snow", "version-control")


def previous_snapshot(next_id=3):
    """Clusters 0: payment, cash, credit card; 1: rain, snow; 2: version-control."""
    snapshot, _ = clustered()
    partition = Partition.from_ids(np.array([0, 0, 0, 1, 1, 2]))
    return replace(snapshot, keys=KEYS, partition=partition, lineage=replace(snapshot.lineage, next_id=next_id))


def traced(labels, keys=KEYS, next_id=3):
    """The ids by position, how each cluster came about by position, and the lineage."""
    ids, lineage = trace(previous_snapshot(next_id), keys, Partition.from_ids(np.array(labels)))
    assert lineage.clusters.keys() == set(ids)
    return ids, [lineage.clusters[cluster] for cluster in ids], lineage


def test_a_first_run_gives_ids_by_falling_size():
    ids, lineage = trace(None, KEYS, Partition.from_ids(np.array([0, 1, 1, 2, 2, 2])))
    assert ids == (2, 1, 0)
    assert set(lineage.clusters.values()) == {ClusterLineage((), "new")}
    assert (lineage.previous, lineage.next_id, lineage.moved, lineage.gone) == (None, 3, 0.0, ())


def test_the_same_clusters_keep_their_ids_whatever_their_order():
    ids, origins, lineage = traced([2, 2, 2, 0, 0, 1])
    assert ids == (1, 2, 0)
    assert {origin.kind for origin in origins} == {"kept"}
    assert (lineage.moved, lineage.ari, lineage.gone) == (0.0, 1.0, ())
    assert lineage.previous == previous_snapshot().version


def test_a_split_cluster_leaves_its_id_to_the_larger_part():
    ids, origins, lineage = traced([0, 0, 1, 2, 2, 3])
    assert ids == (0, 3, 1, 2)
    assert [origin.kind for origin in origins] == ["split", "split", "kept", "kept"]
    assert origins[1].parents == (0,)
    assert lineage.moved == pytest.approx(1 / 6, abs=1e-4)
    assert lineage.next_id == 4


def test_merged_clusters_take_the_id_of_the_larger_and_the_other_is_gone():
    ids, origins, lineage = traced([0, 0, 0, 0, 0, 1])
    assert ids == (0, 2)
    assert [origin.kind for origin in origins] == ["merged", "kept"]
    assert origins[0].parents == (0, 1)
    assert lineage.gone == (1,)


def test_a_cluster_of_new_tags_is_new_and_never_gets_an_old_number():
    ids, origins, lineage = traced([0, 0, 0, 1, 1, 2, 3, 3], (*KEYS, "sun", "moon"), next_id=9)
    assert ids == (0, 1, 2, 9)
    assert origins[3].kind == "new"
    assert lineage.next_id == 10
    assert lineage.moved == 0.0


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=60))
def test_the_rand_index_is_that_of_scikit_learn(pairs):
    table = np.zeros((5, 5), dtype=np.int64)
    for one, other in pairs:
        table[one, other] += 1
    expected = adjusted_rand_score([one for one, _ in pairs], [other for _, other in pairs])
    assert adjusted_rand(table) == pytest.approx(expected, abs=1e-12)


def test_what_is_inherited_follows_names_not_places():
    previous = inheritance(PreviousVersion(*clustered()), ("d3", "new", "d0"), ("snow", "moon", "payment", "cash"))
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
    return CriterionCurve(k, criterion, criterion, criterion)


def test_the_cut_stays_while_it_is_about_as_good_as_the_best():
    curve = curve_of(k40=1.0, k41=0.99, k42=0.97)
    assert steady_cut(curve, None) == 40
    assert steady_cut(curve, 4000) == 40, "none is in reach, as after shrinking"
    assert steady_cut(curve, 40) == 40
    assert steady_cut(curve, 41) == 41
    assert steady_cut(curve, 42) == 41, "no further than it must"


def test_the_cut_does_not_jump_to_a_far_peak_of_about_the_same_height():
    curve = curve_of(k15=1.0, k70=0.94, k72=0.95, k73=0.92)
    assert steady_cut(curve, 73) == 72
    assert steady_cut(curve, 72) == 72


def test_the_cut_goes_where_it_is_much_better():
    curve = curve_of(k15=1.0, k72=0.89)
    assert steady_cut(curve, 72) == 15
    assert steady_cut(curve, 500) == 15, "and when it is out of range"
