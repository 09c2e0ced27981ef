"""What a run inherits from the version before it: its dendrograms at a few levels, for the new matrix.  math.md (12)"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cocluster import Previous as PreviousClusters
from snapshot import Documents, Snapshot
from tagmodel import CriterionCurve, Dendrogram

FINER: Final = 8
"""Documents are remembered in so many times the clusters they were cut into."""

CUT_TOLERANCE: Final = 0.02
"""A cut is about as good as another while its criterion is within this share of it."""

CUT_REACH: Final = 0.15
"""A cut moves by at most this share of its k …"""

CUT_FAR: Final = 0.1
"""… unless the best of all is better by more than this share: the criterion has several peaks of about one height."""


@dataclass(frozen=True, eq=False)
class Previous:
    """The version that is served, from which a run inherits."""

    snapshot: Snapshot
    documents: Documents


def inheritance(previous: Previous, ids: tuple[str, ...], keys: tuple[str, ...]) -> PreviousClusters:
    """The clusters that the documents and tags of a new matrix had before.

    New documents join the nearest cluster (−1). New tags each stay alone: joined to what was there, the tags of a new
    topic would be drawn into old clusters.
    """
    rows = _places(previous.documents.ids, ids)
    columns = _places(previous.snapshot.keys, keys)
    at = levels(len(previous.snapshot.classifier.clusters), len(previous.snapshot.clusters))
    documents, tags = previous.documents, previous.snapshot.tree
    return PreviousClusters(
        rows=[np.where(rows < 0, -1, _cut(documents.tree, k)[documents.leaves][rows]) for k, _ in at],
        columns=[np.where(columns < 0, k + np.arange(len(keys)), _cut(tags, k)[columns]) for _, k in at],
    )


def levels(documents: int, tags: int) -> list[tuple[int, int]]:
    """Clusters a side at which dendrograms that were cut into `documents` and `tags` are remembered.

    Tags where they were cut, since that is what must stay. Documents finer, since averaging them over the clusters of
    their cut costs V-measure and the tags are as steady without it (docs/explanation/continuity.md).
    """
    return [(FINER * documents, tags)]


def steady_cut(curve: CriterionCurve, previous_k: int | None) -> int:
    """Among near-optimal k in reach, the one closest to the previous k.

    Every step renames clusters. The best of all is taken when nothing in reach comes near it.
    """
    if previous_k is None:
        return curve.best_k
    reach = np.abs(curve.k - previous_k) <= max(1.0, CUT_REACH * previous_k)
    top = curve.criterion[reach].max(initial=0.0)
    if top < (1.0 - CUT_FAR) * curve.criterion.max():
        return curve.best_k
    good = curve.k[reach & (curve.criterion >= (1.0 - CUT_TOLERANCE) * top)]
    return int(good[np.argmin(np.abs(good - previous_k))])


def _places(before: tuple[str, ...], now: tuple[str, ...]) -> NDArray[np.int64]:
    index = {name: place for place, name in enumerate(before)}
    return np.array([index.get(name, -1) for name in now], dtype=np.int64)


def _cut(tree: Dendrogram, k: int) -> NDArray[np.int64]:
    return tree.cut(min(k, tree.leaves))
