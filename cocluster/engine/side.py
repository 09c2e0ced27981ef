"""The arrays that describe one side (documents or tags) while it is being agglomerated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cocluster.engine.kernel import Bools, Floats, Ints, Longs, Singles

NEVER = 2**31 - 1  # birth of a dead cluster

# Places in Side.counts: clusters left; own merges in the log; pairs in the two lists; merges of features across coarse
# groups, and features when the groups were made; how fine these are (regrouping.LEVELS).
ALIVE, LOGGED, FINE_LISTED, EXACT_LISTED, CROSSINGS, GROUPED, LEVEL = range(7)

# Places in Side.scalars: items in all, or a mark (weights.total_of); r of the weights; max |log₂ q|; how
# far above the limit pairs are evaluated.
TOTAL, RATIO, DEEPEST, AHEAD = range(4)


class Groups(NamedTuple):
    """A partition of the features and every cluster's shares over it."""

    of: Ints  # group of each feature
    members: Ints  # features in each group
    sums: Floats  # shares over groups, clusters × groups
    q: Singles  # the same in float32: clusters × groups for fine groups, groups × clusters for coarse ones
    l: Singles  # log₂ of the same, likewise


class Side(NamedTuple):
    """Slots of clusters; a cluster lives in the slot of its smallest member, so slots are ordered as names are.

    The features are the slots of the other side (its items, if the sides are clustered apart).
    """

    q: Floats  # shares over features, slots × features
    l: Floats  # log₂ q
    seen: Ints  # merges in the other side's log that have reached each row
    mass: Floats
    log_mass: Floats
    size: Longs  # items in each cluster
    name: Ints  # smallest member
    alive: Bools
    born: Ints  # merges made before the cluster was formed
    kept: Ints  # log of own merges since the slots were last renumbered: slot that stayed
    joined: Ints  # and slot that joined it
    fine: Groups
    coarse: Groups
    bounds: Ints  # bits of lower bounds of KL^J, a triangle (see bounds.py)
    low: Ints  # bits of a lower bound of each row's least bound × weight
    size_class: Ints
    class_size: Longs
    class_members: Ints
    weights: Singles  # size classes × slots
    fine_pairs: Ints  # pairs whose bound is FINE: x, y, merges made before
    exact_pairs: Ints  # pairs whose bound is EXACT, likewise
    u: Floats  # features that change: ±½ their shares, slots × 4 (see bounds.change)
    v: Floats  # and their logarithms
    counts: Longs
    scalars: Floats

    @property
    def searched(self) -> Searched:
        """What the search for the cheapest pair needs."""
        return Searched(
            self.q, self.l, self.seen, self.size, self.fine.q, self.fine.l, self.bounds, self.low, self.size_class,
            self.weights, self.fine_pairs, self.exact_pairs, self.counts, self.scalars,
        )  # fmt: skip

    @property
    def log(self) -> Log:
        """The merges that the other side has to follow."""
        return Log(self.kept, self.joined, self.counts[LOGGED])

    @property
    def clusters(self) -> int:
        """Clusters left."""
        return int(self.counts[ALIVE])


class Searched(NamedTuple):
    """The arrays of a side that a search for the cheapest pair reads and writes, named as there."""

    q: Floats
    l: Floats
    seen: Ints
    size: Longs
    fine_q: Singles
    fine_l: Singles
    bounds: Ints
    low: Ints
    size_class: Ints
    weights: Singles
    fine_pairs: Ints
    exact_pairs: Ints
    counts: Longs
    scalars: Floats


class Log(NamedTuple):
    """The merges of a side since its slots were last renumbered, as the other side follows them."""

    kept: Ints
    joined: Ints
    merges: int


class Candidates(NamedTuple):
    """Pairs that may be merged next, with room for more."""

    pairs: Longs  # side, x and y of each
    figures: Floats  # cost and KL^J of each


def no_groups(slots: int) -> Groups:
    """Groups before there are any."""
    none, empty = np.empty(0, np.int32), np.empty((slots, 0), np.float32)
    return Groups(none, none, np.empty((slots, 0)), empty, empty)


def no_candidates(room: int) -> Candidates:
    """Room for so many candidates."""
    return Candidates(np.empty((room, 3), np.int64), np.empty((room, 2)))
