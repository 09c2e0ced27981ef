"""Building a side, and renewing it as its clusters become few."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cocluster.engine import groups
from cocluster.engine.bounds import EXACT, all_minima, fill, start_of
from cocluster.engine.shares import catch_up
from cocluster.engine.side import ALIVE, CROSSINGS, EXACT_LISTED, FINE_LISTED, LOGGED, Groups, Side
from cocluster.engine.weights import class_weights, log_ratio

FINE_GROUPS = 384
COARSE_GROUPS = 64
RENEW = 0.7  # share of the clusters left at which slots are renumbered, weights and groups renewed


def floor_of(clusters: int) -> int:
    """Clusters left at which the next renewal is due."""
    return max(int(RENEW * clusters), 1)


def make_side(q, mass, size, name, total) -> Side:
    """A side with its slots filled and nothing known about pairs yet."""
    n, features = q.shape
    listed = 4 * n + 4096
    ints = np.int32
    return Side(
        q=q, l=np.log2(q), seen=np.zeros(n, ints), mass=mass, log_mass=np.log2(mass), size=size, name=name,
        alive=np.ones(n, np.bool_), born=np.zeros(n, ints), kept=np.empty(n, ints), joined=np.empty(n, ints),
        fine=no_groups(n), coarse=no_groups(n), bounds=np.zeros(max(n * (n - 1) // 2, 1), ints),
        low=np.empty(n, ints), size_class=np.empty(n, ints), class_size=np.empty(0, np.int64),
        class_members=np.empty(0, ints), weights=np.empty((0, n), np.float32),
        fine_pairs=np.empty((listed, 2), ints), fine_since=np.empty(listed, ints),
        exact_pairs=np.empty((listed, 2), ints), exact_since=np.empty(listed, ints),
        u=np.zeros((4, n)), v=np.zeros((4, n)), count=np.array([n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        scalar=np.array([total, 1.0, -np.log2(q.min())]),
    )


def no_groups(n: int) -> Groups:
    """Groups before there are any."""
    none = np.empty(0, np.int32)
    return Groups(none, none, np.empty((n, 0)), np.empty((n, 0), np.float32), np.empty((n, 0), np.float32))


def make_groups(q, of, alive) -> Groups:
    """The rows' shares over these groups of features."""
    count = int(of.max()) + 1
    sums = groups.add_up(q, of, count)
    with np.errstate(divide="ignore"):
        logs = np.where(sums > 0, np.log2(np.where(sums > 0, sums, 1.0)), 0.0)
    members = np.bincount(of[alive], minlength=count).astype(np.int32)
    return Groups(of, members, sums, sums.astype(np.float32), logs.astype(np.float32))


def turned(g: Groups) -> Groups:
    """The same with q and l as groups × clusters."""
    return g._replace(q=np.ascontiguousarray(g.q.T), l=np.ascontiguousarray(g.l.T))


@njit(cache=True, error_model="numpy")
def catch_up_all(q, l, seen, alive, kept, joined, merges):
    """Bring all rows up to date with the other side's merges."""
    for x in range(alive.size):
        if alive[x]:
            catch_up(q, l, seen, x, kept, joined, merges)


@njit(cache=True, error_model="numpy")
def repack(bounds, keep):
    """The triangle of the clusters that are left, in place."""
    to = 0
    for x in range(keep.size):
        at = start_of(keep[x])
        for y in range(x):
            bounds[to] = bounds[at + keep[y]]
            to += 1
    return to


@njit(cache=True, error_model="numpy")
def renumber(bounds, pairs, since, listed, born, place):
    """Listed pairs in the new slots; returns how many are left."""
    left = 0
    for e in range(listed):
        x, y = pairs[e, 0], pairs[e, 1]
        if since[e] >= max(born[x], born[y]):
            pairs[left, 0], pairs[left, 1], since[left] = place[x], place[y], since[e]
            left += 1
    return left


def weigh(side: Side) -> Side:
    """Size classes and weights, lower bounds until the next renewal."""
    n = len(side.size)
    distinct, of = np.unique(side.size, return_inverse=True)
    room = min(n, int(np.sqrt(2.0 * side.size.sum())) + 2)
    class_size = np.zeros(max(room, len(distinct)), np.int64)
    class_size[: len(distinct)] = distinct
    members = np.zeros(len(class_size), np.int32)
    members[: len(distinct)] = np.bincount(of)
    size_class = of.astype(np.int32)
    side.scalar[1] = log_ratio(float(max(floor_of(n) + 1, 3)))
    weights = np.empty((len(class_size), n), np.float32)
    for c in range(len(distinct)):
        class_weights(weights, c, class_size, members, size_class, side.alive, side.scalar[0], side.scalar[1])
    return side._replace(
        weights=weights, size_class=size_class, class_size=class_size, class_members=members,
    )


def renew(s: Side, o: Side, joint: bool) -> tuple[Side, Side]:
    """Side s in as many slots as clusters, with new weights, groups and bounds; side o over s's new slots."""
    keep = np.flatnonzero(s.alive)
    catch_up_all(s.q, s.l, s.seen, s.alive, o.kept, o.joined, o.count[LOGGED])
    if joint:
        catch_up_all(o.q, o.l, o.seen, o.alive, s.kept, s.joined, s.count[LOGGED])
        o.seen[:] = 0
        o = o._replace(
            q=np.take(o.q, keep, axis=1), l=np.take(o.l, keep, axis=1),
            fine=o.fine._replace(of=o.fine.of[keep] if len(o.fine.of) else o.fine.of),
            coarse=o.coarse._replace(of=o.coarse.of[keep] if len(o.coarse.of) else o.coarse.of),
        )
        s.count[LOGGED] = 0
    place = np.cumsum(s.alive) - 1
    s.count[EXACT_LISTED] = renumber(
        s.bounds, s.exact_pairs, s.exact_since, s.count[EXACT_LISTED], s.born, place.astype(np.int32)
    )
    s = s._replace(
        q=s.q[keep], l=s.l[keep], seen=s.seen[keep], mass=s.mass[keep], size=s.size[keep], name=s.name[keep],
        born=s.born[keep], bounds=s.bounds[: repack(s.bounds, keep)], low=s.low[keep],
        u=np.zeros((4, len(keep))), v=np.zeros((4, len(keep))), log_mass=s.log_mass[keep], alive=np.ones(len(keep), np.bool_),
    )
    return regroup(weigh(s), o, joint), o


def regroup(s: Side, o: Side, joint: bool) -> Side:
    """New groups of the features of s, COARSE bounds over them; EXACT bounds stay."""
    live = np.flatnonzero(o.alive) if joint else np.arange(s.q.shape[1])
    if joint:
        profiles, mass = o.q[live], o.mass[live]
    else:
        profiles = s.q.T * s.mass
        mass = profiles.sum(axis=1)
        profiles /= mass[:, None]
    fine, coarse = groups.group_features(profiles, mass, FINE_GROUPS, COARSE_GROUPS)
    of_fine = np.zeros(s.q.shape[1], np.int32)
    of_coarse = np.zeros(s.q.shape[1], np.int32)
    of_fine[live], of_coarse[live] = fine, coarse
    s.count[FINE_LISTED] = s.count[CROSSINGS] = 0
    s = s._replace(fine=make_groups(s.q, of_fine, live), coarse=turned(make_groups(s.q, of_coarse, live)))
    fill(s.bounds, s.coarse.q, s.coarse.l, len(s.low), s.scalar[2])
    all_minima(s.bounds, s.low, s.alive, s.size_class, s.weights)
    return s
