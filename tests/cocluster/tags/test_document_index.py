"""The document index of a matrix: the matrix both ways, and the nearest tags against plain counting."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from cocluster import document_index
from cocluster.tags.document_index import narrowest
from cocluster.tags.lifts import NEIGHBOURS, SHRINKAGE
from cocluster.tags.profiles import GROUPS, tag_groups


def random_matrix(seed, documents=60, tags=40, density=0.15):
    return (np.random.default_rng(seed).random((documents, tags)) < density).astype(float)


def plain_lift(dense, j, k):
    n, shared = len(dense), float(dense[:, j] @ dense[:, k])
    return n * shared**2 / (shared + SHRINKAGE) / (dense[:, j].sum() * dense[:, k].sum())


def test_matrix_both_ways():
    """Rows and columns of the index are those of the matrix."""
    dense = random_matrix(0)
    index = document_index(csr_array(dense))
    assert [list(index.tags_of(row)) for row in range(60)] == [list(np.flatnonzero(row)) for row in dense]
    assert [list(index.documents_of(tag)) for tag in range(40)] == [list(np.flatnonzero(column)) for column in dense.T]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("most", [NEIGHBOURS, 7])
def test_nearest_tags(seed, most):
    """A tag lists those with the largest lift beside it, largest first, with the lift of the formula."""
    dense = random_matrix(seed)
    index = document_index(csr_array(dense), neighbours=most)
    for j in range(40):
        lifts = {k: plain_lift(dense, j, k) for k in range(40) if k != j and dense[:, j] @ dense[:, k] > 0}
        expected = sorted(lifts, key=lambda k: (-lifts[k], k))[:most]
        neighbours, values = index.neighbours_of(j)
        assert list(neighbours) == expected
        assert values == pytest.approx([lifts[k] for k in expected])


def test_tag_without_company():
    """A tag that is always alone has no neighbours."""
    index = document_index(csr_array(np.array([[1.0, 0, 0], [0, 1, 1], [0, 1, 1]])))
    assert [list(index.neighbours_of(tag)[0]) for tag in range(3)] == [[], [2], [1]]


def test_narrow_types():
    """Positions of tags take two bytes while they fit."""
    assert document_index(csr_array(random_matrix(0))).tags.dtype == np.uint16
    assert [narrowest(2**16), narrowest(2**16 + 1)] == [np.uint16, np.uint32]


def test_profiles():
    """A profile is the company of a tag over groups of tags: each of the commonest is one, others join the nearest."""
    dense = random_matrix(1, documents=2000, tags=GROUPS + 50, density=0.01)
    dense[np.arange(2000), np.arange(2000) % (GROUPS + 50)] = 1.0
    matrix = csr_array(dense)
    groups = tag_groups(matrix)
    counts = dense.sum(axis=0)
    common = np.argsort(-counts, kind="stable")[:GROUPS]
    assert groups[common].tolist() == list(range(GROUPS))
    together = dense.T @ dense
    for tag in set(range(GROUPS + 50)) - set(common.tolist()):
        assert groups[tag] == np.argmax(together[tag, common] / np.sqrt(counts[common]))
    member = np.eye(GROUPS)[groups]
    plain = (together / together.sum(axis=1, keepdims=True)) @ member
    index = document_index(matrix)
    assert index.profiles == pytest.approx(plain, rel=1e-3, abs=1e-6)
    means = dense @ plain / dense.sum(axis=1, keepdims=True)
    assert index.mean_profile == pytest.approx(means.mean(axis=0), rel=1e-3)
