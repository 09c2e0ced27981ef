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
from cocluster.parts import connected_parts, counting_items
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


def test_a_part_counts_if_it_is_large_on_either_side():
    documents = np.repeat([0, 1, 2, 3], [40, 8, 3, 1])
    tags = np.repeat([0, 1, 2, 3], [40, 1, 8, 1])
    rows, columns = counting_items(documents, tags)
    assert noise_size(52) == noise_size(50) == 5.5
    assert sorted(set(documents[rows])) == sorted(set(tags[columns])) == [0, 1, 2]


@pytest.mark.parametrize(
    ("documents", "tags"),
    [
        pytest.param([2] * 20, [2] * 20, id="all are small"),
        pytest.param([6, *[2] * 20], [6, *[2] * 20], id="half of both sides would be left out"),
        pytest.param([60, *[2] * 20], [6, *[3] * 20], id="half of the tags would be left out"),
    ],
)
def test_all_items_count_unless_the_small_parts_are_the_lesser_half(documents, tags):
    rows, columns = counting_items(*(np.repeat(np.arange(len(sizes)), sizes) for sizes in (documents, tags)))
    assert rows.all()
    assert columns.all()


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
    assert len(np.unique(connected_parts(both)[0])) == 2
    assert CoClustering().fit(both).n_row_clusters_ == best_cut(criterion_curve(clustered(both).rows, "auto"))


def ones(*shape):
    return np.ones(shape)


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([ones(5, 1), *[ones(4, 1)] * 8], id="one part of many is just large enough"),
        pytest.param([ones(20, 1), *[ones(4, 1)] * 5], id="documents that are all the same"),
        pytest.param([ones(22, 4), *[np.eye(4) + np.eye(4, k=1)] * 4], id="large in documents only"),
        pytest.param([ones(8, 8), *[np.eye(4) + np.eye(4, k=1)] * 8], id="most items are in small parts"),
        pytest.param([ones(30, 30), *[ones(2, 2)] * 5], id="nothing to tell apart in the large part"),
    ],
)
def test_small_parts_are_not_left_out_where_the_rest_could_not_decide(parts):
    M = csr_array(block_diag(parts))
    model, past = CoClustering().fit(M), clustered(M)
    for found, tree in ((model.n_row_clusters_, past.rows), (model.n_column_clusters_, past.columns)):
        assert found == best_cut(criterion_curve(tree, "auto"))


def test_a_number_for_the_critical_size_counts_every_part():
    X, _, _ = checkerboard(n=100, m=100, k=4, alpha=0.4, beta=0.4, seed=3)
    M = with_pairs(X, 10)
    model = CoClustering(critical_size=3).fit(M)
    assert model.n_row_clusters_ == best_cut(criterion_curve(clustered(M).rows, 3))


def test_sides_that_do_not_share_their_information_are_pruned_each_by_itself():
    M = with_pairs(checkerboard(n=60, m=60, k=3, alpha=0.5, beta=0.6, seed=3)[0], 5)
    past = agglomerated(smoothed(binary(M), 1e-6, silent).matrix, "composite", joint=False, progress=silent)
    left = pruned(past, *(counting.astype(int) for counting in counting_items(*connected_parts(M))), joint=False).past
    for side, tree in enumerate((left.rows, left.columns)):
        assert tree.start == pytest.approx(left.merges.loss[left.merges.side == side].sum())
    model = CoClustering(joint=False).fit(M)
    counted = counting_items(*connected_parts(M))
    for curve, tree, counting in (
        (model.row_curve_, left.rows, counted[0]),
        (model.column_curve_, left.columns, counted[1]),
    ):
        assert not counting.all()
        assert curve.information[-1] == tree.start


def test_micro_clusters_are_cut_without_the_small_parts_too():
    X, rows, _ = checkerboard(n=300, m=300, k=8, alpha=0.4, beta=0.4, seed=3)
    model = CoClustering(max_exact=100, micro_clusters=120).fit(with_pairs(X, 30))
    assert model.way_.name == "micro"
    assert v_measure(rows, model.row_labels_[: len(rows)]) > 0.97
