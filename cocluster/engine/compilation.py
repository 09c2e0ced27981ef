"""Compiles the kernels of the engine ahead of time."""

from __future__ import annotations

import numpy as np

from cocluster.engine.agglomeration import agglomerate


def warm() -> None:
    """Compile every kernel, or load it from numba's cache, by running small inputs.

    Safe in several processes at once: numba writes each file of its cache under another name and then renames it.
    """
    random = np.random.default_rng(0)
    N = np.kron(random.random((4, 4)), np.ones((40, 30))) + 0.1 * random.random((160, 120))
    N[1] = 2.0 * N[0]
    agglomerate(N)
    agglomerate(N, cost="divergence", joint=False)
