"""Makes the index by which documents are found and ranked, from the matrix of documents × tags."""

import numpy as np

from cocluster.arrays import Sparse
from cocluster.incidence import row_counts
from cocluster.lifts import NEIGHBOURS, nearest_tags
from cocluster.profiles import company_profiles
from tagmodel import DocumentIndex


def document_index(M: Sparse, neighbours: int = NEIGHBOURS) -> DocumentIndex:
    """The index of a 0/1 matrix in canonical form, documents × tags; it lists so many neighbours of a tag, at most."""
    position = narrowest(M.shape[1])
    columns = M.tocsc()
    columns.sort_indices()
    sizes = row_counts(M)
    starts, near, lifts = nearest_tags(M, neighbours)
    profiles, mean_profile = company_profiles(M)
    return DocumentIndex(
        tag_starts=columns.indptr.astype(np.int64),
        documents=columns.indices.astype(np.uint32),
        document_starts=M.indptr.astype(np.int64),
        tags=M.indices.astype(position),
        sizes=sizes.astype(narrowest(int(sizes.max()) + 1)),
        neighbour_starts=starts,
        neighbours=near.astype(position),
        lifts=lifts,
        profiles=profiles,
        mean_profile=mean_profile,
    )


def narrowest(numbers: int) -> type[np.uint16 | np.uint32]:
    """The type that holds the numbers from 0 below this one in the fewest bytes, two at least."""
    return np.uint16 if numbers <= 2**16 else np.uint32
