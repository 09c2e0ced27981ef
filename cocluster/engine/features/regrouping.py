"""Groups the features of a side: at first, anew when groups have worn out, more finely when they hide too much."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cocluster.engine.bounds import VALUE, fill
from cocluster.engine.features.groups import ROUGH, THOROUGH, add_up, group_features
from cocluster.engine.features.shares import catch_up_all
from cocluster.engine.kernel import Floats, Ints, Longs, Singles
from cocluster.engine.side import (
    AHEAD,
    CROSSINGS,
    DEEPEST,
    EXACT_LISTED,
    FINE_LISTED,
    GROUPED,
    LEVEL,
    LOGGED,
    Groups,
    Side,
)


class Level(NamedTuple):
    """How finely the features of a side are grouped, and the room of its lists."""

    coarse: int  # groups, at most
    fine: int
    listed: int  # pairs in a list, per slot


LEVELS = (Level(48, 384, 32), Level(192, 768, 256), Level(2**31, 2**31, 256))
"""A side begins at the first. When a list is full, groups hide too much, and the side takes the next. At the last,
every feature is its own group."""

FEW = 1500  # features that are grouped roughly at the first level: with clear blocks that is good enough, and quick
LOOK_AHEAD = 1.3  # pairs up to this factor above the limit are evaluated too, where groups hide their divergence


def up_to_date(s: Side, o: Side) -> None:
    """All rows of s over the features o has now."""
    catch_up_all(s.q, s.l, s.seen, s.alive, o.kept, o.joined, o.counts[LOGGED])


def shares_over_groups(q: Floats, of: Ints, live: Longs) -> Groups:
    """The rows' shares over these groups of features."""
    count = int(of.max()) + 1
    sums = add_up(q, of, count)
    logs = np.log2(np.where(sums > 0, sums, 1.0))
    members = np.bincount(of[live], minlength=count).astype(np.int32)
    return Groups(of, members, sums, sums.astype(np.float32), logs.astype(np.float32))


def turned(groups: Groups) -> Groups:
    """The same with q and l as groups × clusters."""
    q: Singles = np.ascontiguousarray(groups.q.T)
    l: Singles = np.ascontiguousarray(groups.l.T)
    return groups._replace(q=q, l=l)


def regrouped(s: Side, o: Side, joint: bool) -> Side:
    """New groups of the features of s, as fine as its level says, and COARSE bounds over them; EXACT bounds stay."""
    level = LEVELS[s.counts[LEVEL]]
    up_to_date(s, o)
    if joint:
        up_to_date(o, s)
        live, profiles, mass = np.flatnonzero(o.alive), o.q, o.mass[o.alive]
    else:
        live, profiles = np.arange(s.q.shape[1]), s.q.T * s.mass
        mass = profiles.sum(axis=1)
        profiles /= mass[:, None]
    of_fine, of_coarse = np.zeros((2, s.q.shape[1]), np.int32)
    precision = ROUGH if s.counts[LEVEL] == 0 and len(live) <= FEW else THOROUGH
    of_fine[live], of_coarse[live] = group_features(profiles, live, mass, level.fine, level.coarse, precision)
    s.counts[FINE_LISTED] = s.counts[CROSSINGS] = 0
    s.counts[GROUPED] = len(live)
    s.scalars[AHEAD] = LOOK_AHEAD if len(live) > level.coarse else 1.0
    s = s._replace(fine=shares_over_groups(s.q, of_fine, live), coarse=turned(shares_over_groups(s.q, of_coarse, live)))
    fill(s.bounds, s.coarse.q, s.coarse.l, len(s.low), s.scalars[DEEPEST])
    return s


def with_room(s: Side, room: int) -> Side:
    """Side s with room for so many pairs in each list."""
    lists = [np.empty((room, 3), np.int32) for _ in range(2)]
    for new, old, listed in zip(lists, (s.fine_pairs, s.exact_pairs), (FINE_LISTED, EXACT_LISTED), strict=True):
        new[: s.counts[listed]] = old[: s.counts[listed]]
    return s._replace(fine_pairs=lists[0], exact_pairs=lists[1])


def relieved(s: Side, o: Side, joint: bool) -> Side:
    """A side whose lists are full: finer groups and more room; at the last level, where nothing is hidden, room alone.

    There, every feature is its own group: all bounds are COARSE and follow every merge.
    """
    if s.counts[LEVEL] == len(LEVELS) - 1:
        return with_room(s, 2 * len(s.exact_pairs))
    s.counts[LEVEL] += 1
    s.counts[FINE_LISTED] = 0
    if s.counts[LEVEL] == len(LEVELS) - 1:
        s.bounds[:] &= VALUE
        s.counts[EXACT_LISTED] = 0
    room = max(LEVELS[s.counts[LEVEL]].listed * len(s.low), 2 * s.counts[EXACT_LISTED])
    return regrouped(with_room(s, room), o, joint)
