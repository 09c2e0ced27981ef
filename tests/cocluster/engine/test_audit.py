"""No stored bound is ever above the exact value."""

from typing import get_args

import numpy as np
import pytest

from cocluster.engine import agglomerate, agglomeration, renewal
from cocluster.engine.bounds import EXACT, FRESH, start_of
from cocluster.engine.features import regrouping
from cocluster.engine.features.shares import catch_up_all
from cocluster.engine.side import LOGGED, TOTAL
from cocluster.engine.weights import Cost, scale, weight

from . import corpora


def divergences(s, o):
    """KL^J of all pairs of slots, from up-to-date copies of the rows."""
    q, l, seen = s.q.copy(), s.l.copy(), s.seen.copy()
    catch_up_all(q, l, seen, s.alive, o.kept, o.joined, o.counts[LOGGED])
    return np.array([0.5 * ((q[x] - q) * (l[x] - l)).sum(axis=1) for x in range(len(q))])


def audit(s, o):
    """Bounds, weights and row minima of one side against exact figures; returns how many pairs were checked."""
    D = divergences(s, o)
    factor = scale(s.scalars[TOTAL], s.clusters) if s.clusters > 1 else 1.0
    checked = 0
    for x in np.flatnonzero(s.alive):
        bits = s.bounds[start_of(x) : start_of(x) + x]
        others = np.flatnonzero(s.alive[:x])
        bound = bits.view(np.float32)[others].astype(float)
        assert (bits & 3 <= EXACT).all(), "a pair stayed FRESH after its merge"
        assert (bound <= np.maximum(D[x, others], 1e-24)).all()
        w = np.array([weight(s.size[x], s.size[y], s.scalars[TOTAL], s.clusters) for y in others])
        assert (s.weights[s.size_class[x], others] * factor <= np.maximum(w * (1 + 1e-12), 0)).all()
        low = s.low[x : x + 1].view(np.float32)[0] * factor
        assert len(others) == 0 or low <= np.min(D[x, others] * w) * (1 + 1e-12) + 1e-24
        checked += len(others)
    assert (s.bounds & 3 != FRESH).all()
    return checked


RANDOM = np.random.default_rng(0)
CASES = {
    "blocks": np.kron(RANDOM.random((6, 5)), np.ones((12, 14))) * (0.5 + RANDOM.random((72, 70))) + 1e-5,
    "noise": RANDOM.random((60, 70)) + 0.01,
    "steep": RANDOM.random((50, 60)) ** 8 + 1e-9,
    "golden": corpora.golden("tall")[1],
}


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("cost", get_args(Cost))
@pytest.mark.parametrize("name", CASES)
def test_no_bound_is_above_the_exact_value_at_any_state(monkeypatch, name, cost, joint):
    steps = regrouping.Level(6, 20, 3), regrouping.Level(12, 30, 6), regrouping.LEVELS[-1]
    monkeypatch.setattr(regrouping, "LEVELS", steps)
    monkeypatch.setattr(renewal, "LEVELS", steps)
    checked = 0
    original = agglomeration.find_candidates

    def audited(sides, *rest):
        nonlocal checked
        if sides[0].clusters % 3 == 0:
            checked += sum(audit(sides[i], sides[1 - i]) for i in range(2))
        return original(sides, *rest)

    monkeypatch.setattr(agglomeration, "find_candidates", audited)
    agglomerate(CASES[name], cost=cost, joint=joint)
    assert checked > 10_000
