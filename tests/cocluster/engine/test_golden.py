"""The engine against results of an independent implementation."""

import numpy as np
import pytest

from cocluster.engine import agglomerate

from . import corpora


@pytest.mark.parametrize("name", ["small", "tall", "wide"])
def test_golden_merges_in_order_with_members_cost_and_information(name):
    case, N = corpora.golden(name)
    merges = agglomerate(N)
    left = np.append(np.cumsum(merges.loss[::-1])[::-1], 0.0)
    assert left[0] == pytest.approx(case["information_at_start"], rel=1e-9)
    members = [{i: [i] for i in range(size)} for size in N.shape]
    assert len(merges.side) == len(case["merges"])
    for t, expected in enumerate(case["merges"]):
        side = int(merges.side[t])
        group = members[side]
        a, b = int(merges.a[t]), int(merges.b[t])
        assert ("documents", "tags")[side] == expected["side"], t
        assert (group[a], group[b]) == (expected["a"], expected["b"]), t
        assert merges.cost[t] == pytest.approx(expected["cost"], rel=1e-9, abs=1e-15)
        assert merges.divergence[t] == pytest.approx(expected["klj"], rel=1e-9, abs=1e-15)
        assert left[t + 1] == pytest.approx(expected["information"], rel=1e-9, abs=1e-13)
        group[a] = sorted(group[a] + group.pop(b))
