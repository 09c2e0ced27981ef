"""Compares documents by the company that their tags keep: how alike two are, also without a common tag."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tagmodel import DocumentLookup

OWN_SHARE: Final = np.float32(0.9)
"""The rest of a document's profile is the mean profile: no group is impossible."""


def likeness(index: DocumentLookup, query: Sequence[int], documents: NDArray[np.intp]) -> NDArray[np.float32]:
    """Σ_y e_y log(.1 + .9 x_y/p_y): how well the profile of a document predicts that of the query.  documents.md (2)

    x is the mean profile of the document's tags, e that of the query tags, p that of all documents. No matrix product
    is used: BLAS rounds the last rows of a block differently, and equal documents must have equal scores.
    """
    if not len(documents):
        return np.zeros(0, dtype=np.float32)
    sizes = index.sizes_of(documents).astype(np.int64)
    tags, places = np.unique(index.tags_of_all(documents), return_inverse=True)
    rows = profiles(index, tags)[places]
    x = np.add.reduceat(rows, np.cumsum(sizes) - sizes, axis=0) / sizes[:, None].astype(np.float32)
    e = profiles(index, query).mean(axis=0)
    found: NDArray[np.float32] = (np.log((1 - OWN_SHARE) + OWN_SHARE * x / index.mean_profile) * e).sum(axis=1)
    return found


def profiles(index: DocumentLookup, tags: Sequence[int] | NDArray[Any]) -> NDArray[np.float32]:
    """The profile of each tag; that of a rare tag is the mean profile of the tags beside it, or of all documents."""
    places = np.asarray(tags, dtype=np.intp)
    head = places < index.head_count
    found = np.empty((len(places), index.profiles.shape[1]), dtype=np.float32)
    found[head] = index.profiles[places[head]]
    for row in np.flatnonzero(~head).tolist():
        beside = index.tags_of_all(index.documents_of(int(places[row])).astype(np.intp))
        beside = beside[beside < index.head_count]
        found[row] = index.profiles[beside].astype(np.float32).mean(axis=0) if len(beside) else index.mean_profile
    return found
