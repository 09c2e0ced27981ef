"""Connected components of a corpus, and that the automatic cut ignores those too small to count."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import block_diag, csr_array

from cocluster import CoClustering, checkerboard, v_measure
from cocluster.engine import Merges
from cocluster.equations.criterion import criterion_curve
from cocluster.equations.critical_size import noise_size
from cocluster.equations.history import prune
from cocluster.equations.incidence import binary
from cocluster.fit.components import connected_components, counted_items
from cocluster.pipeline import agglomerated, smoothed
from tests.cocluster.matrices import examples, incidences


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
def test_a_component_is_what_chains_of_shared_tags_connect(M):
    rows, columns = connected_components(binary(M))
    for row in range(len(M)):
        same_rows, same_columns = reached_from(M, row)
        assert set(np.flatnonzero(rows == rows[row]).tolist()) == same_rows
        assert set(np.flatnonzero(columns == rows[row]).tolist()) == same_columns


def test_a_component_counts_if_it_is_large_on_either_side():
    documents = np.repeat([0, 1, 2, 3], [40, 8, 3, 1])
    tags = np.repeat([0, 1, 2, 3], [40, 1, 8, 1])
    rows, columns = counted_items(documents, tags)
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
def test_all_items_count_unless_the_small_components_are_the_lesser_half(documents, tags):
    rows, columns = counted_items(*(np.repeat(np.arange(len(sizes)), sizes) for sizes in (documents, tags)))
    assert rows.all()
    assert columns.all()


@st.composite
def histories_with_sizes(draw):
    """A history and other sizes of its leaves, some 0, on each side not all."""
    history = clustered(draw(incidences(least=2, most=12)))
    sizes = []
    for side in (history.rows, history.columns):
        leaves = side.tree.leaves
        own = draw(st.lists(st.integers(0, 3), min_size=leaves, max_size=leaves))
        own[draw(st.integers(0, leaves - 1))] = 2
        sizes.append(np.array(own))
    return history, sizes


@examples
@given(histories_with_sizes())
def test_a_pruned_history_has_the_clusters_of_the_leaves_that_stay(drawn):
    history, sizes = drawn
    left = prune(history, *sizes)
    for tree, own, small, clusters in (
        (history.rows.tree, sizes[0], left.history.rows.tree, left.row_clusters),
        (history.columns.tree, sizes[1], left.history.columns.tree, left.column_clusters),
    ):
        stay = own > 0
        for k in range(1, tree.leaves + 1):
            labels = tree.cut(k)[stay]
            assert clusters[k - 1] == len(np.unique(labels))
            assert same_partition(labels, small.cut(int(clusters[k - 1])))
        assert small.sizes.tolist() == own[stay].tolist()
        assert small.node_sizes[small.root] == small.items == own.sum()
        if small.leaves > 1:
            assert small.node_sizes[small.pairs[-1]].sum() == small.items
    assert (left.history.merges.a < left.history.merges.b).all()


@examples
@given(histories_with_sizes())
def test_the_information_of_a_pruned_history_is_what_its_own_merges_lose(drawn):
    history, sizes = drawn
    left = prune(history, *sizes).history
    members = [[{leaf} & set(np.flatnonzero(own).tolist()) for leaf in range(len(own))] for own in sizes]
    losses = []
    merges = history.merges
    for side, a, b, loss in zip(merges.side, merges.a, merges.b, merges.loss, strict=True):
        if members[side][a] and members[side][b]:
            losses.append(loss)
        members[side][a] |= members[side][b]
    assert left.merges.loss.tolist() == losses
    assert left.rows.start == left.columns.start == pytest.approx(sum(losses), abs=1e-12)


@examples
@given(incidences(least=2, most=12))
def test_pruning_nothing_changes_nothing(M):
    history = clustered(M)
    left = prune(history, history.rows.tree.sizes, history.columns.tree.sizes)
    for before, now in ((history.rows, left.history.rows), (history.columns, left.history.columns)):
        np.testing.assert_array_equal(before.tree.linkage, now.tree.linkage)
        np.testing.assert_array_equal(before.tree.sizes, now.tree.sizes)
        np.testing.assert_array_equal(before.information, now.information)
        assert before.start == now.start
    for field in fields(Merges):
        np.testing.assert_array_equal(getattr(history.merges, field.name), getattr(left.history.merges, field.name))
    assert left.row_clusters.tolist() == list(range(1, len(M) + 1))
    assert left.column_clusters.tolist() == list(range(1, M.shape[1] + 1))


@pytest.mark.parametrize("pairs", [1, 10, 30])
def test_pairs_that_nothing_connects_do_not_move_the_cut_of_the_others(pairs):
    X, _, _ = checkerboard(n=300, m=300, k=8, alpha=0.4, beta=0.4, seed=3)
    alone, paired = CoClustering().fit(X), CoClustering().fit(with_pairs(X, pairs))
    assert (paired.n_row_clusters_, paired.n_column_clusters_) == (
        alone.n_row_clusters_ + pairs,
        alone.n_column_clusters_ + pairs,
    )
    for before, now in ((alone.row_labels_, paired.row_labels_), (alone.column_labels_, paired.column_labels_)):
        assert same_partition(before, now[: len(before)])


def test_a_component_large_enough_counts():
    X, _, _ = checkerboard(n=60, m=60, k=4, alpha=0.6, beta=0.8, seed=1)
    both = csr_array(block_diag([X, X]))
    assert len(np.unique(connected_components(both)[0])) == 2
    assert CoClustering().fit(both).n_row_clusters_ == criterion_curve(clustered(both).rows, "auto").best_k


def ones(*shape):
    return np.ones(shape)


@pytest.mark.parametrize(
    "components",
    [
        pytest.param([ones(5, 1), *[ones(4, 1)] * 8], id="one component of many is just large enough"),
        pytest.param([ones(20, 1), *[ones(4, 1)] * 5], id="documents that are all the same"),
        pytest.param([ones(22, 4), *[np.eye(4) + np.eye(4, k=1)] * 4], id="large in documents only"),
        pytest.param([ones(8, 8), *[np.eye(4) + np.eye(4, k=1)] * 8], id="most items are in small components"),
        pytest.param([ones(30, 30), *[ones(2, 2)] * 5], id="nothing to tell apart in the large component"),
    ],
)
def test_small_components_are_not_left_out_where_the_rest_could_not_decide(components):
    M = csr_array(block_diag(components))
    model, history = CoClustering().fit(M), clustered(M)
    for k, side in ((model.n_row_clusters_, history.rows), (model.n_column_clusters_, history.columns)):
        assert k == criterion_curve(side, "auto").best_k


def test_a_number_for_the_critical_size_counts_every_component():
    X, _, _ = checkerboard(n=100, m=100, k=4, alpha=0.4, beta=0.4, seed=3)
    M = with_pairs(X, 10)
    model = CoClustering(critical_size=3).fit(M)
    assert model.n_row_clusters_ == criterion_curve(clustered(M).rows, 3).best_k


def test_sides_that_do_not_share_their_information_are_pruned_each_by_itself():
    M = with_pairs(checkerboard(n=60, m=60, k=3, alpha=0.5, beta=0.6, seed=3)[0], 5)
    history = agglomerated(smoothed(binary(M), 1e-6, silent).matrix, "composite", joint=False, progress=silent)
    counted = counted_items(*connected_components(M))
    left = prune(history, *(own.astype(int) for own in counted), joint=False).history
    for number, side in enumerate((left.rows, left.columns)):
        assert side.start == pytest.approx(left.merges.loss[left.merges.side == number].sum())
    model = CoClustering(joint=False).fit(M)
    for curve, side, own in (
        (model.row_curve_, left.rows, counted[0]),
        (model.column_curve_, left.columns, counted[1]),
    ):
        assert not own.all()
        assert curve.information[-1] == side.start


def test_micro_clusters_are_cut_without_the_small_components_too():
    X, rows, _ = checkerboard(n=300, m=300, k=8, alpha=0.4, beta=0.4, seed=3)
    model = CoClustering(max_exact=100, micro_clusters=120).fit(with_pairs(X, 30))
    assert model.plan_.name == "micro"
    assert v_measure(rows, model.row_labels_[: len(rows)]) > 0.97
