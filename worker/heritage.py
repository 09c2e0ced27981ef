"""What a run inherits from the version before it: its trees at a few levels, seen from the new matrix.  math.md (12)"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cocluster import Previous
from snapshot import Curve, Documents, Snapshot, labels_at

FINER: Final = 8
"""Documents are remembered in so many times the clusters they were cut into."""

CUT_TOLERANCE: Final = 0.02
"""A cut is about as good as another while its criterion is within this share of it."""

CUT_REACH: Final = 0.15
"""A cut moves by at most this share of its k …"""

CUT_FAR: Final = 0.1
"""… unless the best of all is better by more than this share: the criterion has several peaks of about one height."""


def heritage(snapshot: Snapshot, documents: Documents, ids: tuple[str, ...], keys: tuple[str, ...]) -> Previous:
    """The clusters that the documents and tags of a new matrix had before.

    New documents are marked to join the nearest (−1). New tags are each by themselves: joined to what was there, the
    tags of a new topic would be drawn into old clusters.
    """
    rows = _places(documents.ids, ids)
    columns = _places(snapshot.keys, keys)
    at = levels(int(documents.clusters.max()) + 1, len(snapshot.clusters))
    return Previous(
        rows=[np.where(rows < 0, -1, _document_cut(documents, k)[rows]) for k, _ in at],
        columns=[
            np.where(columns < 0, k + np.arange(len(keys)), _cut(snapshot.tag_linkage, k)[columns]) for _, k in at
        ],
    )


def levels(documents: int, tags: int) -> list[tuple[int, int]]:
    """Clusters a side at which trees that were cut into `documents` and `tags` are remembered.

    Tags where they were cut, since that is what must stay. Documents finer, since averaging them over the clusters of
    their cut costs V-measure and the tags are as steady without it (docs/explanation/continuity.md).
    """
    return [(FINER * documents, tags)]


def steady_cut(curve: Curve, best: int, before: int | None) -> int:
    """Where to cut: of the k in reach that are about as good as the best of them the nearest to the one before.

    Every step renames clusters. The best of all is taken when nothing in reach comes near it.
    """
    if before is None:
        return best
    reach = np.abs(curve.k - before) <= max(1.0, CUT_REACH * before)
    top = curve.criterion[reach].max(initial=0.0)
    if top < (1.0 - CUT_FAR) * curve.criterion.max():
        return best
    good = curve.k[reach & (curve.criterion >= (1.0 - CUT_TOLERANCE) * top)]
    return int(good[np.argmin(np.abs(good - before))])


def _places(before: tuple[str, ...], now: tuple[str, ...]) -> NDArray[np.int64]:
    index = {name: place for place, name in enumerate(before)}
    return np.array([index.get(name, -1) for name in now], dtype=np.int64)


def _document_cut(documents: Documents, k: int) -> NDArray[np.int64]:
    """The cluster of each document when its tree is cut into k."""
    labels = _cut(documents.linkage, k)
    return labels if documents.leaves is None else labels[documents.leaves]


def _cut(linkage: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    return labels_at(linkage, min(k, len(linkage) + 1))
