"""The library and the reference against results of an independent implementation."""

import numpy as np
import pytest

from cocluster import CoClustering
from cocluster.equations.duplicates import deduplicate
from cocluster.equations.incidence import binary
from cocluster.equations.similarity import similarity_factor
from tests.cocluster import reference


def members(history, n, m):
    """(side, members of a, members of b) of each merge of a history with scipy node ids."""
    nodes = [[(i,) for i in range(n)], [(j,) for j in range(m)]]
    for step in history:
        side = nodes[step["side"]]
        a, b = side[step["a"]], side[step["b"]]
        side.append(tuple(sorted(a + b)))
        yield ("documents", "tags")[step["side"]], a, b


@pytest.fixture
def model(golden):
    return CoClustering(teleport=golden.expected["teleport"], keep_smoothed=True).fit(golden.matrix)


def test_the_library_makes_the_golden_merges_in_the_golden_order(golden, model):
    expected = golden.expected["merges"]
    merges = list(members(model.history_, *golden.matrix.shape))
    assert merges == [(step["side"], tuple(step["a"]), tuple(step["b"])) for step in expected]
    for field, name in (("cost", "cost"), ("divergence", "klj"), ("information", "information")):
        wanted = [step[name] for step in expected]
        np.testing.assert_allclose(model.history_[field], wanted, rtol=1e-9, atol=1e-14, err_msg=field)


def test_the_reference_makes_the_golden_merges_in_the_golden_order(golden):
    expected = golden.expected["merges"]
    merges = reference.agglomerate(reference.smooth(golden.matrix, golden.expected["teleport"]))
    assert [(step.side, step.a, step.b) for step in merges] == [
        (step["side"], tuple(step["a"]), tuple(step["b"])) for step in expected
    ]
    for field, name in (("cost", "cost"), ("divergence", "klj"), ("information", "information")):
        got, wanted = [getattr(step, field) for step in merges], [step[name] for step in expected]
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-14, err_msg=field)


def test_similarity_transition_and_smoothing_give_the_golden_values(golden, model):
    distinct = deduplicate(binary(golden.matrix))
    A = similarity_factor(distinct.matrix, distinct.row_sizes, distinct.column_sizes).toarray()[distinct.row_of]
    expected = golden.expected
    for got, name in (
        (A[0] @ A.T, "similarity_documents_first_row"),
        (model.column_transition_.toarray()[0], "transition_tags_first_row"),
        (model.smoothed_[0], "smoothed_first_row"),
        (model.smoothed_.sum(axis=1), "smoothed_row_sums"),
        (model.smoothed_.sum(axis=0), "smoothed_column_sums"),
        (model.smoothed_.sum(), "smoothed_mass"),
        (model.information_, "information_at_start"),
    ):
        # The similarities and transitions of the golden files are rounded to 12 decimals.
        np.testing.assert_allclose(got, expected[name], rtol=1e-10, atol=1e-12, err_msg=name)
