"""The cluster of a document by its tags: the same bits for one document as for all of a run."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshot import Placing, nearest, posteriors
from snapshot.placing import BLOCK, scored, tag_cluster_of
from tests.snapshot.snapshots import small_placing


def random_placing(tags, clusters, seed=0):
    random = np.random.default_rng(seed)
    table = -random.random((tags, clusters), dtype=np.float32)
    return Placing(table, random.random(tags, dtype=np.float32) + 0.1, np.zeros((clusters, 1), np.float32), 1.0, ())


def flat(documents):
    starts = np.concatenate([[0], np.cumsum([len(tags) for tags in documents])]).astype(np.int64)
    return starts, np.array([tag for tags in documents for tag in tags], dtype=np.int64)


@given(st.lists(st.lists(st.integers(0, 29), unique=True, max_size=8).map(sorted), min_size=1, max_size=30))
def test_a_document_alone_gives_the_same_bits_as_among_others(documents):
    placing = random_placing(30, 7)
    together = posteriors(*flat(documents), placing)
    for document, row in zip(documents, together, strict=True):
        assert posteriors(*flat([document]), placing)[0].tobytes() == row.tobytes()


def test_blocks_decide_nothing():
    random = np.random.default_rng(1)
    documents = [np.sort(random.choice(30, random.integers(0, 6), replace=False)) for _ in range(BLOCK + 100)]
    placing = random_placing(30, 5)
    found = nearest(*flat(documents), placing)
    whole = posteriors(*flat(documents), placing)
    np.testing.assert_array_equal(found.clusters, whole.argmax(axis=1))
    for place in (0, 7, BLOCK - 1, BLOCK, BLOCK + 99):
        assert nearest(*flat([documents[place]]), placing).clusters[0] == found.clusters[place]


def test_scores_are_sums_over_sums():
    placing = random_placing(10, 4)
    found = scored(*flat([[1, 4, 7], [], [2]]), placing)
    np.testing.assert_allclose(
        found[0], placing.table[[1, 4, 7]].sum(axis=0) / placing.mass[[1, 4, 7]].sum(), rtol=1e-6
    )
    assert not found[1].any()
    np.testing.assert_allclose(found[2], placing.table[2] / placing.mass[2], rtol=1e-6)


def test_confidences_sum_to_1_and_grow_with_the_sharpness():
    placing = small_placing()
    blunt, sharp = (posteriors(*flat([[0, 1]]), replace(placing, sharpness=sharpness))[0] for sharpness in (0.5, 4.0))
    assert blunt.sum() == pytest.approx(1.0)
    assert sharp.sum() == pytest.approx(1.0)
    assert 1 / 3 < blunt[0] < sharp[0] <= 1


def test_a_document_without_a_known_tag_has_no_confidence():
    found = nearest(*flat([[], [3]]), small_placing())
    assert found.confidence[0] == 0.0
    assert (found.clusters[1], found.confidence[1] > 0.5) == (1, True)


def test_a_new_tag_goes_to_the_tags_of_its_documents():
    assert tag_cluster_of(np.array([0.9, 0.05, 0.05]), small_placing())[0] == 0
    assert tag_cluster_of(np.array([0.0, 3.0, 0.1]), small_placing())[0] == 1
    place, sure = tag_cluster_of(np.array([1.0, 1.0, 1.3]), small_placing())
    assert place == 2
    assert 1 / 3 < sure < 1
