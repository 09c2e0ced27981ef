"""Which shares rose or fell: a test that small counts cannot fool, and a size of the change by which to rank.

docs/explanation/trends.md has the formulas.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

FLOOR: Final = 15.1
"""G² of a change that chance alone makes once in ten thousand times: χ² with one degree of freedom."""

PRIOR_DOCUMENTS: Final = 200.0
"""A: the prior counts as much as so many documents, spread over the tags by their share in both spans together."""

Floats = NDArray[np.float64]


def trend_scores(recent: NDArray[Any], n: int, before: NDArray[Any], m: int) -> Floats:
    """The shrunk log-odds ratio of what changed beyond chance (G² ≥ 15.1), positive for what rose; 0 for the rest.

    `recent` of n documents and `before` of m earlier ones have each tag.

    >>> trend_scores(np.array([40, 2, 10]), 100, np.array([40, 0, 40]), 400).round(2).tolist()
    [0.84, 0.0, 0.0]
    """
    sure = np.abs(signed_g_squared(recent, n, before, m)) >= FLOOR
    return np.where(sure, shrunk_log_odds(recent, n, before, m), 0.0)


def shrunk_log_odds(recent: NDArray[Any], n: int, before: NDArray[Any], m: int) -> Floats:
    """δ = log((a + α)/(n + A − a − α)) − log((b + α)/(m + A − b − α)), α = A (a + b)/(n + m).  trends.md (2)

    The log-odds ratio with an informative Dirichlet prior (Monroe, Colaresi and Quinn 2008).
    """
    a, b = recent.astype(np.float64), before.astype(np.float64)
    alpha = np.maximum(PRIOR_DOCUMENTS * (a + b) / max(n + m, 1), 1e-9)
    rest_now = np.maximum(n + PRIOR_DOCUMENTS - a - alpha, 1e-9)
    rest_then = np.maximum(m + PRIOR_DOCUMENTS - b - alpha, 1e-9)
    delta: Floats = np.log((a + alpha) / rest_now) - np.log((b + alpha) / rest_then)
    return delta


def signed_g_squared(recent: NDArray[Any], n: int, before: NDArray[Any], m: int) -> Floats:
    """G² = 2 Σ o log(o/e) over the table of two spans × with or without, negative for what fell.  trends.md (1)

    Dunning (1993).
    """
    a, b = recent.astype(np.float64), before.astype(np.float64)
    share = (a + b) / max(n + m, 1)
    cells = ((a, n * share), (b, m * share), (n - a, n * (1 - share)), (m - b, m * (1 - share)))
    total = np.zeros(len(a))
    for observed, expected in cells:
        ratio = np.divide(observed, expected, out=np.ones_like(observed), where=(observed > 0) & (expected > 0))
        total += 2.0 * observed * np.log(ratio)
    rose = a * max(m, 1) >= b * max(n, 1)
    return np.where(rose, total, -total)
