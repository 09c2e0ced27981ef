"""The arrays that describe one side (documents or tags) while it is being agglomerated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NEVER = np.int32(2**31 - 1)  # birth of a dead cluster

# places in Side.count
ALIVE, LOGGED, FINE_LISTED, EXACT_LISTED, CROSSINGS, GROUPED = range(6)
# places in Side.scalar
TOTAL, RATIO, DEEPEST, EAGER = range(4)

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int32]


class Groups(NamedTuple):
    """A partition of the features and every row's shares over it."""

    of: Ints  # group of each feature
    members: Ints  # features in each group
    sums: Floats  # shares over groups, clusters × groups
    q: Singles  # the same in float32; groups × clusters for the coarse ones
    l: Singles  # log₂ of the same


class Side(NamedTuple):
    """Slots of clusters; a cluster lives in the slot of its smallest member, so slots are ordered as names are."""

    q: Floats  # shares over features, slots × features
    l: Floats  # log₂ q
    seen: Ints  # merges of the other side that have reached each row
    mass: Floats
    log_mass: Floats
    size: NDArray[np.int64]  # items in each cluster
    name: Ints  # smallest member
    alive: NDArray[np.bool_]
    born: Ints  # merges made before the cluster was formed
    kept: Ints  # own merges since the slots were last renumbered: slot that stayed
    joined: Ints  # and slot that joined it
    fine: Groups
    coarse: Groups
    bounds: Ints  # bits of lower bounds of KL^J, a triangle
    low: Ints  # bits of the least bound × weight of each row
    size_class: Ints
    class_size: NDArray[np.int64]
    class_members: Ints
    weights: Singles  # classes × slots
    fine_pairs: Ints  # pairs whose bound is FINE, and when they were listed
    fine_since: Ints
    exact_pairs: Ints
    exact_since: Ints
    u: Floats  # scratch for changes of a few features: ±½ their shares
    v: Floats  # and their logarithms
    count: NDArray[np.int64]
    scalar: Floats
