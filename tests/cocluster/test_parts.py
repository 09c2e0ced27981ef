"""Parts of a corpus that nothing connects, and that the automatic cut looks past those too small to count."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import block_diag, csr_array

from cocluster import CoClustering, checkerboard, v_measure
from cocluster.critical_size import noise_size
from cocluster.cut import best_cut, criterion_curve, labels_at
from cocluster.history import pruned
from cocluster.incidence import binary
from cocluster.parts import connected_parts, in_large_parts
from cocluster.pipeline import agglomerated, smoothed

from .matrices import examples, incidences


def silent(stage, done, total):
    pass


def clustered(M):
    return agglomerated(smoothed(binary(M), 1e-6, silent).matrix, "composite", joint=True, progress=silent)


def with_pairs(X, pairs):
    """X, and beside it so many pairs of documents that share two tags with each other and with nobody else."""
    return csr_array(block_diag([X, *[np.ones((2, 2))] * pairs]))


def same_partition(first, second):
    return len({*zip(first, second, strict=True)}) == len({*first}) == len({*second})


def reached_from(M, row):
    """The rows and the columns that a chain of ones connects with a row."""
    rows, columns = {row}, set()
    while True:
        more_columns = {int(j) for i in rows for j in np.flatnonzero(M[i])}
        more_rows = {int(i) for j in more_columns for i in np.flatnonzero(M[:, j])}
        if more_rows == rows and more_columns == columns:
            return rows, columns
        rows, columns = more_rows, more_columns


@examples
@given(incidences())
def test_a_part_is_what_chains_of_shared_tags_connect(M):
    rows, columns = connected_parts(binary(M))
    for row in range(len(M)):
        same_rows, same_columns = reached_from(M, row)
        assert set(np.flatnonzero(rows == rows[row]).tolist()) == same_rows
        assert set(np.flatnonzero(columns == rows[row]).tolist()) == same_columns


def test_items_of_small_parts_do_not_count_in_their_leaves():
    part = np.array([0, 0, 0, 1, 2, 2, 0])
    leaf_of = np.array([0, 1, 1, 1, 2, 2, 3])
    assert in_large_parts(part, leaf_of, least=3).tolist() == [1, 2, 0, 1]
    assert in_large_parts(part, leaf_of, least=1.5).tolist() == [1, 2, 2, 1]


def test_all_items_count_when_every_part_is_small():
    assert in_large_parts(np.array([0, 0, 1, 2]), np.arange(4), least=3).tolist() == [1, 1, 1, 1]


@st.composite
def histories_with_sizes(draw):
    """A history and other sizes of its leaves, some 0, on each side not all."""
    past = clustered(draw(incidences(least=2, most=12)))
    sizes = []
    for tree in (past.rows, past.columns):
        own = draw(st.lists(st.integers(0, 3), min_size=tree.leaves, max_size=tree.leaves))
        own[draw(st.integers(0, tree.leaves - 1))] = 2
        sizes.append(np.array(own))
    return past, sizes


@examples
@given(histories_with_sizes())
def test_a_pruned_history_has_the_clusters_of_the_leaves_that_stay(drawn):
    past, sizes = drawn
    left = pruned(past, *sizes)
    for tree, own, small, clusters in (
        (past.rows, sizes[0], left.past.rows, left.row_clusters),
        (past.columns, sizes[1], left.past.columns, left.column_clusters),
    ):
        stay = own > 0
        for k in range(1, tree.leaves + 1):
            whole = labels_at(tree, k)[stay]
            assert clusters[k - 1] == len(np.unique(whole))
            assert same_partition(whole, labels_at(small, int(clusters[k - 1])))
        assert small.sizes.tolist() == own[stay].tolist()
        if small.leaves > 1:
            assert small.a_size[-1] + small.b_size[-1] == small.items
            assert (small.a < small.b).all()


@examples
@given(histories_with_sizes())
def test_the_information_of_a_pruned_history_is_what_its_own_merges_lose(drawn):
    past, sizes = drawn
    left = pruned(past, *sizes).past
    kept = [[{leaf} & set(np.flatnonzero(own).tolist()) for leaf in range(len(own))] for own in sizes]
    losses = []
    for side, a, b, loss in zip(past.merges.side, past.merges.a, past.merges.b, past.merges.loss, strict=True):
        if kept[side][a] and kept[side][b]:
            losses.append(loss)
        kept[side][a] |= kept[side][b]
    assert left.merges.loss.tolist() == losses
    assert left.rows.start == left.columns.start == pytest.approx(sum(losses), abs=1e-12)


@examples
@given(incidences(least=2, most=12))
def test_pruning_nothing_changes_nothing(M):
    past = clustered(M)
    left = pruned(past, past.rows.sizes, past.columns.sizes)
    for before, now in ((past.rows, left.past.rows), (past.columns, left.past.columns)):
        for field in fields(before):
            np.testing.assert_array_equal(getattr(before, field.name), getattr(now, field.name))
    assert left.row_clusters.tolist() == list(range(1, len(M) + 1))


@pytest.mark.parametrize("pairs", [1, 10, 30])
def test_pairs_that_nothing_connects_do_not_move_the_cut_of_the_others(pairs):
    X, _, _ = checkerboard(n=300, m=300, k=8, alpha=0.4, beta=0.4, seed=3)
    alone, beside = CoClustering().fit(X), CoClustering().fit(with_pairs(X, pairs))
    assert (beside.n_row_clusters_, beside.n_column_clusters_) == (
        alone.n_row_clusters_ + pairs,
        alone.n_column_clusters_ + pairs,
    )
    for before, now in ((alone.row_labels_, beside.row_labels_), (alone.column_labels_, beside.column_labels_)):
        assert same_partition(before, now[: len(before)])


def test_a_part_large_enough_counts():
    X, _, _ = checkerboard(n=60, m=60, k=4, alpha=0.6, beta=0.8, seed=1)
    both = csr_array(block_diag([X, X]))
    rows, _ = connected_parts(both)
    assert len(np.unique(rows)) == 2
    tree = clustered(both).rows
    counted = in_large_parts(rows, np.arange(len(rows)), noise_size(tree.items))
    assert counted.all()
    assert CoClustering().fit(both).n_row_clusters_ == best_cut(criterion_curve(tree, "auto"))


def test_a_number_for_the_critical_size_counts_every_part():
    X, _, _ = checkerboard(n=100, m=100, k=4, alpha=0.4, beta=0.4, seed=3)
    M = with_pairs(X, 10)
    model = CoClustering(critical_size=3).fit(M)
    assert model.n_row_clusters_ == best_cut(criterion_curve(clustered(M).rows, 3))


def test_sides_that_do_not_share_their_information_are_pruned_each_by_itself():
    X, rows, _ = checkerboard(n=300, m=300, k=8, alpha=0.4, beta=0.4, seed=3)
    alone = CoClustering(joint=False).fit(X)
    beside = CoClustering(joint=False).fit(with_pairs(X, 10))
    assert beside.n_row_clusters_ == alone.n_row_clusters_ + 10
    assert same_partition(alone.row_labels_, beside.row_labels_[: len(rows)])


def test_micro_clusters_are_cut_without_the_small_parts_too():
    X, rows, _ = checkerboard(n=300, m=300, k=8, alpha=0.4, beta=0.4, seed=3)
    model = CoClustering(max_exact=100, micro_clusters=120).fit(with_pairs(X, 30))
    assert model.way_.name == "micro"
    assert v_measure(rows, model.row_labels_[: len(rows)]) > 0.97
