"""Makes the index by which documents are found and ranked, from the matrix of documents × tags."""

import numpy as np

from cocluster.equations.arrays import Sparse
from cocluster.equations.incidence import row_counts
from cocluster.tags.lifts import NEIGHBOURS, nearest_tags
from cocluster.tags.profiles import company_profiles
from tagmodel import DocumentIndex


def document_index(M: Sparse, whole: Sparse | None = None, neighbours: int = NEIGHBOURS) -> DocumentIndex:
    """The index of a 0/1 matrix in canonical form, documents × tags; it lists so many neighbours of a tag, at most.

    Args:
        M: Documents × tags.
        whole: The same with more documents and, behind the columns of M, more tags; these have no neighbours and no
            profile. M itself by default.
        neighbours: The most neighbours that a tag gets.

    Returns:
        Which documents have which tags, both ways, and what ranks them.

    >>> from scipy.sparse import csr_array
    >>> index = document_index(csr_array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]))
    >>> type(index).__name__
    'DocumentIndex'
    """
    whole = M if whole is None else whole
    position = narrowest(whole.shape[1])
    columns = whole.tocsc()
    columns.sort_indices()
    sizes = row_counts(whole)
    starts, near, lifts = nearest_tags(M, neighbours)
    profiles, mean_profile = company_profiles(M)
    return DocumentIndex(
        tag_starts=columns.indptr.astype(np.int64),
        documents=columns.indices.astype(np.uint32),
        document_starts=whole.indptr.astype(np.int64),
        tags=whole.indices.astype(position),
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
