"""Profiles of tags: how the company of a tag spreads over groups of tags."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.equations.arrays import Ints, Singles, Sparse
from cocluster.equations.incidence import column_counts, row_counts
from cocluster.equations.similarity import scale_matrix

GROUPS: Final = 512
"""Groups of tags, at most: so many numbers describe the company of a tag."""

STRIPE: Final = 4096
"""Tags grouped at a time."""


def company_profiles(M: Sparse) -> tuple[NDArray[np.float16], Singles]:
    """R Z with R = C/rowsum and C = MᵀM, Z the groups of tags; and the mean profile of the documents.  documents.md (2)

    C Z = Mᵀ(M Z), so C is never built.
    """
    groups = tag_groups(M)
    Z = csr_array((np.ones(len(groups)), groups, np.arange(len(groups) + 1)), shape=(len(groups), groups.max() + 1))
    company = np.asarray((M.T @ csr_array(M @ Z)).toarray())
    profiles = (company / company.sum(axis=1, keepdims=True)).astype(np.float16)
    sizes = row_counts(M).astype(np.float64)
    weight = np.asarray(scale_matrix(M, 1.0 / sizes, np.ones(M.shape[1])).sum(axis=0)).ravel() / M.shape[0]
    return profiles, (weight @ profiles.astype(np.float64)).astype(np.float32)


def tag_groups(M: Sparse) -> Ints:
    """The group of each tag: the nearest of the GROUPS commonest tags, by C_yg/√c_g; a common tag is its own."""
    counts = column_counts(M)
    common = np.argsort(-counts, kind="stable")[:GROUPS]
    columns, norm = csr_array(M[:, common]), np.sqrt(counts[common])
    transposed = csr_array(M.T)
    groups: NDArray[np.int64] = np.concatenate(
        [
            np.argmax((transposed[start : start + STRIPE] @ columns).toarray() / norm, axis=1)
            for start in range(0, M.shape[1], STRIPE)
        ]
    )
    groups[common] = np.arange(len(common))
    return groups
