"""Parts of a corpus that nothing connects: no document of one has a tag of another."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from cocluster.arrays import Ints, Sparse


def connected_parts(M: Sparse) -> tuple[Ints, Ints]:
    """The part of each document and the part of each tag."""
    n, m = M.shape
    starts = np.concatenate([M.indptr, np.full(m, M.indptr[-1])])
    graph: Sparse = csr_array((M.data, M.indices + n, starts), shape=(n + m, n + m))
    part = connected_components(graph, directed=False)[1].astype(np.int64)
    return part[:n], part[n:]


def in_large_parts(part: Ints, leaf_of: Ints, least: float) -> Ints:
    """How many items of each leaf lie in a part of at least `least` items; all of them, if no part has as many."""
    large = np.bincount(part)[part] >= least
    if not large.any():
        large[:] = True
    counted: Ints = np.bincount(leaf_of, weights=large, minlength=int(leaf_of.max()) + 1).astype(np.int64)
    return counted
