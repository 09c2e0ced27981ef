"""What a run inherits from the previous version: its dendrograms at a few levels, for the new matrix.  math.md (12)"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cocluster import Previous as PreviousClusters
from snapshot import Documents, Snapshot
from tagmodel import CriterionCurve, Dendrogram

FINER: Final = 8
"""A run inherits this many times as many document clusters as the previous cut had."""

CUT_TOLERANCE: Final = 0.02
"""A cut is near-optimal if its criterion is within this share of the best."""

CUT_REACH: Final = 0.15
"""A cut moves by at most this share of its k …"""

CUT_FAR: Final = 0.1
"""… unless the best of all is better by more than this share: the criterion has several peaks of about one height."""


@dataclass(frozen=True, eq=False)
class PreviousVersion:
    """The version that is served, from which a run inherits."""

    snapshot: Snapshot
    documents: Documents


def inheritance(previous: PreviousVersion, ids: tuple[str, ...], keys: tuple[str, ...]) -> PreviousClusters:
    """The previous clusters of the documents and tags of a new matrix.

    New documents join the nearest cluster (−1). New tags each stay alone: joined to old tags, the tags of a new topic
    would end up in old clusters.
    """
    rows = _positions(previous.documents.ids, ids)
    columns = _positions(previous.snapshot.keys, keys)
    cuts = levels(len(previous.snapshot.classifier.clusters), len(previous.snapshot.clusters))
    documents = previous.documents
    return PreviousClusters(
        rows=[np.where(rows < 0, -1, _cut(documents.tree, k)[documents.leaves][rows]) for k, _ in cuts],
        columns=[
            np.where(columns < 0, k + np.arange(len(keys)), _tag_clusters(previous.snapshot, k)[columns])
            for _, k in cuts
        ],
    )


def levels(documents: int, tags: int) -> list[tuple[int, int]]:
    """Numbers of document and tag clusters to inherit from dendrograms that were cut into `documents` and `tags`.

    Tags at their cut, as refined, since that must stay stable. Documents at a finer cut, since averaging them over the
    clusters of their cut costs V-measure and makes tags no more stable (docs/explanation/continuity.md).
    """
    return [(FINER * documents, tags)]


def steady_cut(curve: CriterionCurve, previous_k: int | None) -> int:
    """Among near-optimal k in reach, the one closest to the previous k.

    Every change of k renames clusters. If no k in reach is near the global best, choose that.
    """
    if previous_k is None:
        return curve.best_k
    reach = np.abs(curve.k - previous_k) <= max(1.0, CUT_REACH * previous_k)
    top = curve.criterion[reach].max(initial=0.0)
    if not reach.any() or top < (1.0 - CUT_FAR) * curve.criterion.max():
        return curve.best_k
    good = curve.k[reach & (curve.criterion >= (1.0 - CUT_TOLERANCE) * top)]
    return int(good[np.argmin(np.abs(good - previous_k))])


def _positions(before: tuple[str, ...], now: tuple[str, ...]) -> NDArray[np.int64]:
    index = {name: position for position, name in enumerate(before)}
    return np.array([index.get(name, -1) for name in now], dtype=np.int64)


def _tag_clusters(snapshot: Snapshot, k: int) -> NDArray[np.int64]:
    """The clusters of the tags at the cut of a version, which its tree alone does not know; those of its tree else."""
    if k == len(snapshot.clusters):
        return snapshot.partition.labels.astype(np.int64)
    return _cut(snapshot.tree, k)


def _cut(tree: Dendrogram, k: int) -> NDArray[np.int64]:
    return tree.cut(min(k, tree.leaves))
