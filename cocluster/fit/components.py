"""Connected components of a corpus: no document of one has a tag of another."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph, csr_array

from cocluster.equations.arrays import Ints, Sparse
from cocluster.equations.critical_size import noise_size


def connected_components(M: Sparse) -> tuple[Ints, Ints]:
    """The component of each document and of each tag."""
    n, m = M.shape
    starts = np.concatenate([M.indptr, np.full(m, M.indptr[-1])])
    graph: Sparse = csr_array((M.data, M.indices + n, starts), shape=(n + m, n + m))
    component = csgraph.connected_components(graph, directed=False)[1].astype(np.int64)
    return component[:n], component[n:]


def counted_items(documents: Ints, tags: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which documents and which tags count where the trees are cut, given the component of each.  math.md (10)

    Items of components that are large enough on either side. All count if this would leave out half of a side.
    """
    sides = (documents, tags)
    components = 1 + max(int(side.max()) for side in sides)
    sizes = [np.bincount(side, minlength=components) for side in sides]
    large = (sizes[0] >= noise_size(len(documents))) | (sizes[1] >= noise_size(len(tags)))
    rows, columns = large[documents], large[tags]
    if min(np.mean(rows), np.mean(columns)) <= 0.5:
        return np.ones_like(rows), np.ones_like(columns)
    return rows, columns
