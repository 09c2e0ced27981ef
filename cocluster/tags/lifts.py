"""Lifts: how much likelier a tag is beside another than anywhere, and the tags where it is largest."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.equations.arrays import Floats, Sparse
from cocluster.equations.incidence import column_counts
from tagmodel.index.document_index import SHRINKAGE

NEIGHBOURS: Final = 1024
"""Neighbours listed for each tag, at most."""

STRIPE: Final = 512
"""Tags whose lifts are computed at a time, so that the counts of all pairs are never in memory at once."""


def nearest_tags(M: Sparse, most: int = NEIGHBOURS) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.float32]]:
    """The tags with the largest lift beside each tag, `most` of them: where its list starts, the tags, their lifts."""
    counts = column_counts(M).astype(np.float64)
    transposed = csr_array(M.T)
    tags, values = [], []
    for start in range(0, M.shape[1], STRIPE):
        together = csr_array(transposed[start : start + STRIPE] @ M)
        for row in range(together.shape[0]):
            own = slice(together.indptr[row], together.indptr[row + 1])
            others = together.indices[own] != start + row
            near, shared = together.indices[own][others], together.data[own][others]
            lift = lifts(shared, counts[near], counts[start + row], M.shape[0])
            best = np.lexsort((near, -lift))[:most]
            tags.append(near[best])
            values.append(lift[best].astype(np.float32))
    starts = np.cumsum([0, *map(len, tags)], dtype=np.int64)
    return starts, np.concatenate(tags).astype(np.intp), np.concatenate(values)


def lifts(shared: Floats, counts: Floats, count: float | Floats, documents: int) -> Floats:
    """ℓ_kj = n C_kj²/(C_kj + δ)/(c_k c_j): how much likelier tag k is beside tag j than anywhere.  documents.md (1)"""
    lift: Floats = documents * shared**2 / (shared + SHRINKAGE) / (counts * count)
    return lift
