"""Pictures of the matrix: items in the order of the dendrograms, blocks of about one size, shades."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from cocluster import CoClustering
from cocluster.estimator.blocks import block_labels, block_sums, orders
from cocluster.evaluation.checkerboard import checkerboard
from tagmodel import Dendrogram
from worker.clustering.drawing.picture import SIDE, pictures, shades


@pytest.fixture(scope="module")
def board():
    """A checkerboard with five clusters a side, and its co-clustering."""
    M, rows, columns = checkerboard(300, 280, 5, alpha=0.4, beta=0.5, seed=3)
    shuffle = np.random.default_rng(0).permutation(M.shape[0])
    return CoClustering(keep_smoothed=True).fit(M[shuffle]), csr_array(M[shuffle]), rows[shuffle], columns


def test_an_order_keeps_every_branch_of_the_tree_together(board):
    model, M, _, _ = board
    rows, columns = orders(M, model.row_dendrogram_, model.column_dendrogram_, np.arange(M.shape[0]))
    for places, tree in ((rows, model.row_dendrogram_), (columns, model.column_dendrogram_)):
        n = len(places)
        assert sorted(places.tolist()) == list(range(n))
        members = {leaf: {leaf} for leaf in range(n)}
        for node, (a, b) in enumerate(tree.pairs.tolist(), start=n):
            members[node] = members.pop(a) | members.pop(b)
            together = places[list(members[node])]
            assert together.max() - together.min() == len(together) - 1


def test_the_ones_come_nearer_to_the_diagonal(board):
    model, M, _, _ = board
    rows, columns = orders(M, model.row_dendrogram_, model.column_dendrogram_, np.arange(M.shape[0]))
    ones = M.tocoo()

    def distance(r, c):
        return np.abs(r[ones.row] / M.shape[0] - c[ones.col] / M.shape[1]).mean()

    assert distance(rows, columns) < 0.75 * distance(np.arange(M.shape[0]), np.arange(M.shape[1]))


def test_a_picture_has_at_most_256_blocks_a_side_and_every_item_has_one(board):
    model, M, _, _ = board
    picture = pictures(M, model)
    for image in (picture.before, picture.after):
        assert image.shape == (min(M.shape[0], SIDE), min(M.shape[1], SIDE))
        assert image.dtype == np.uint8
        assert image.max() == 255
    assert (
        np.bincount(block_labels(np.arange(1000), SIDE)).tolist()
        == np.diff(np.ceil(np.arange(257) * 1000 / 256)).tolist()
    )


def test_documents_that_share_a_leaf_stay_together(board):
    """Where several documents are one leaf of the tree, as micro-clusters are, each has a place within its leaf."""
    model, M, rows, _ = board
    linkage = np.array([[0, 1, 0.1, 2], [2, 3, 0.2, 2], [5, 6, 0.3, 4], [7, 4, 0.4, 5]], dtype=float)
    places, _ = orders(M, Dendrogram(linkage), model.column_dendrogram_, rows)
    assert sorted(places.tolist()) == list(range(M.shape[0]))
    for leaf in range(5):
        mine = places[rows == leaf]
        assert mine.max() - mine.min() == len(mine) - 1


def test_smoothing_fills_the_picture(board):
    model, M, _, _ = board
    picture = pictures(M, model)
    assert (picture.before == 0).mean() > 0.5
    assert (picture.after == 0).mean() < 0.05


def test_blocks_hold_the_mass_of_the_matrix(board):
    """What the model adds up without M* is what adding up M* gives, and of M likewise."""
    model, M, _, _ = board
    random = np.random.default_rng(1)
    row_block, column_block = (block_labels(random.permutation(size), SIDE) for size in M.shape)

    def added(dense):
        sums = np.zeros((row_block.max() + 1, column_block.max() + 1))
        np.add.at(sums, (row_block[:, None], column_block[None, :]), dense)
        return sums

    np.testing.assert_allclose(model.aggregated(row_block, column_block), added(model.smoothed_), rtol=1e-9)
    np.testing.assert_allclose(block_sums(M, row_block, column_block), added(M.toarray()))


def test_a_micro_clustered_corpus_has_pictures_too(board):
    _, M, _, _ = board
    model = CoClustering(max_exact=0, micro_clusters=40).fit(M)
    assert model.row_dendrogram_.leaves < M.shape[0]
    picture = pictures(M, model)
    assert picture.after.shape == (min(M.shape[0], SIDE), min(M.shape[1], SIDE))
    assert (picture.after == 0).mean() < 0.05


def test_shades_of_nothing_are_nothing_and_the_densest_is_darkest():
    assert not shades(np.zeros((3, 3))).any()
    assert shades(np.array([[0.0, 0.25, 1.0]])).tolist() == [[0, 128, 255]]


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (2, 3)])
def test_the_smallest_matrices_have_pictures(shape):
    M = csr_array(np.ones(shape))
    picture = pictures(M, CoClustering().fit(M))
    assert picture.before.shape == shape
