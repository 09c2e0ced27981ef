"""Makes the index by which documents are found and ranked, from the matrix of documents × tags."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.arrays import Floats, Sparse
from cocluster.incidence import column_counts
from tagmodel import DocumentIndex

NEIGHBOURS: Final = 20
"""Neighbours listed for each tag."""

SHRINKAGE: Final = 3.0
"""δ: a pair of tags in few documents counts for less, as if so many documents spoke against it."""

STRIPE: Final = 512
"""Tags whose lifts are computed at a time, so that the counts of all pairs are never in memory at once."""


def document_index(M: Sparse) -> DocumentIndex:
    """The index of a 0/1 matrix in canonical form, documents × tags."""
    position = np.uint16 if M.shape[1] <= 2**16 else np.uint32
    columns = M.tocsc()
    columns.sort_indices()
    starts, neighbours, lifts = nearest_tags(M)
    return DocumentIndex(
        tag_starts=columns.indptr.astype(np.int64),
        documents=columns.indices.astype(np.uint32),
        document_starts=M.indptr.astype(np.int64),
        tags=M.indices.astype(position),
        neighbour_starts=starts,
        neighbours=neighbours.astype(position),
        lifts=lifts,
    )


def nearest_tags(M: Sparse) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.float32]]:
    """The NEIGHBOURS tags with the largest lift beside each tag: where its list starts, the tags, their lifts."""
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
            best = np.lexsort((near, -lift))[:NEIGHBOURS]
            tags.append(near[best])
            values.append(lift[best].astype(np.float32))
    ends = np.cumsum([0, *map(len, tags)], dtype=np.int64)
    return ends, np.concatenate(tags).astype(np.intp), np.concatenate(values)


def lifts(shared: Floats, counts: Floats, count: float, documents: int) -> Floats:
    """ℓ_kj = n C_kj²/(C_kj + δ)/(c_k c_j): how much likelier tag k is beside tag j than anywhere, few pairs shrunk."""
    lift: Floats = documents * shared**2 / (shared + SHRINKAGE) / (counts * count)
    return lift
