"""Tags dealt anew, to measure concepts that mean nothing."""

import numpy as np
from scipy.sparse import csr_array

from bench.worker.meaningless import dealt_anew, measure
from snapshot.version.gain import warning


def topics():
    """Documents with four of the eight tags of one of five topics."""
    random = np.random.default_rng(0)
    M = np.zeros((300, 40))
    for row in M:
        row[8 * random.integers(5) + random.choice(8, 4, replace=False)] = 1.0
    return csr_array(M)


def test_dealing_anew_makes_no_tag_commoner_and_no_document_longer():
    before = topics()
    after = dealt_anew(before, seed=1)
    assert after.shape == before.shape
    assert (after.data == 1).all()
    assert (after.sum(axis=0) <= before.sum(axis=0)).all()
    assert (after.sum(axis=1) <= before.sum(axis=1)).all()
    assert after.nnz > 0.9 * before.nnz


def test_the_rule_tells_topics_from_tags_dealt_anew():
    before = topics()
    assert warning(measure(before)) is None
    assert warning(measure(dealt_anew(before, seed=1))) is not None
