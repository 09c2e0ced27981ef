"""Refines the tags after the cut: a tag moves to the cluster that explains it best, if that is clearly another one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.equations.arrays import Floats, Ints, Sparse

NEARER: Final = 0.1
"""A tag moves only if both divergences are smaller by at least this share: what is nearly as good stays."""

SWEEPS: Final = 10

CELLS: Final = 10_000_000
MOST_ROWS, LEAST_ROWS = 1000, 100
"""Tags are compared over so many clusters of documents, fewer if rows × tags would exceed the cells."""

NONE: Final = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Refinement:
    """The cluster of each tag, and whether it left its branch. Clusters are numbered by their smallest members."""

    labels: Ints
    moved: NDArray[np.bool_]


def rows_to_compare(tags: int, leaves: int) -> int:
    """How many clusters of documents to compare tags over."""
    return min(leaves, max(min(MOST_ROWS, CELLS // tags), LEAST_ROWS))


def refine(masses: Floats, branches: Ints, kept: Ints = NONE) -> Refinement:
    """Move tags between the branches of a cut, then let every branch of one tag join the nearest other.  math.md (16)

    Args:
        masses: M* of clusters of documents × tags.
        branches: the branch of each tag.
        kept: tags that stay alone if they are.
    """
    profiles = np.ascontiguousarray((masses / masses.sum(axis=0)).T)
    logs = np.log2(profiles)
    labels = branches.astype(np.int64)
    for _ in range(SWEEPS):
        refined = sweep(masses, profiles, logs, labels)
        if (refined == labels).all():
            break
        labels = refined
    labels = join_single_tags(masses, profiles, logs, labels, kept)
    return Refinement(_numbered(labels), labels != branches)


def sweep(masses: Floats, profiles: Floats, logs: Floats, labels: Ints) -> Ints:
    """One step: the new label of each tag, all compared with the clusters before it.

    A tag moves where KL(tag ‖ cluster) and KL^J (7) agree on the nearest cluster, and both are smaller by a tenth.
    """
    one, symmetric = divergences(masses, profiles, logs, labels)
    tags, nearest = np.arange(len(labels)), one.argmin(axis=1)
    agreed = nearest == symmetric.argmin(axis=1)
    for divergence in (one, symmetric):
        agreed &= divergence[tags, nearest] < (1.0 - NEARER) * divergence[tags, labels]
    moved: Ints = np.where(agreed, nearest, labels)
    return moved


def join_single_tags(masses: Floats, profiles: Floats, logs: Floats, labels: Ints, kept: Ints = NONE) -> Ints:
    """Every cluster of one tag joins the cluster of several that is nearest in KL^J; if none has several, all stay."""
    sizes = np.bincount(labels)
    single = sizes[labels] == 1
    single[kept] = False
    if not single.any() or not (sizes > 1).any():
        return labels
    _, symmetric = divergences(masses, profiles[single], logs[single], labels)
    symmetric[:, sizes < 2] = np.inf
    joined: Ints = labels.copy()
    joined[single] = symmetric.argmin(axis=1)
    return joined


def divergences(masses: Floats, profiles: Floats, logs: Floats, labels: Ints) -> tuple[Floats, Floats]:
    """KL(tag ‖ cluster) and KL^J of each tag and each cluster, tags × clusters; infinite for a cluster without tags."""
    k = int(labels.max()) + 1
    member: Sparse = csr_array((np.ones(len(labels)), (labels, np.arange(len(labels)))), shape=(k, len(labels)))
    sums = np.asarray(member @ masses.T)
    empty = sums.sum(axis=1) == 0
    sums[empty] = 1.0
    centres = sums / sums.sum(axis=1, keepdims=True)
    centre_logs = np.log2(centres)
    one = np.sum(profiles * logs, axis=1)[:, None] - profiles @ centre_logs.T
    other = np.sum(centres * centre_logs, axis=1) - logs @ centres.T
    one[:, empty] = other[:, empty] = np.inf
    return one, (one + other) / 2


def cut_into_groups(cut: Callable[[int], Ints], k: int, leaves: int) -> Ints:
    """The coarsest cut, of at least k clusters, in which k have several tags; the cut into k if there is none."""
    for clusters in range(k, min(2 * k, leaves) + 1):
        labels = cut(clusters)
        if np.count_nonzero(np.bincount(labels) > 1) >= k:
            return labels
    return cut(k)


def _numbered(labels: Ints) -> Ints:
    """The same clusters as 0…k−1, in the order of their smallest members."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]
