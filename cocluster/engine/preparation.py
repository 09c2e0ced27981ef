"""Building a side, and renewing it as its clusters become few."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cocluster.engine import groups
from cocluster.engine.bounds import EXACT, all_minima, fill, start_of
from cocluster.engine.shares import catch_up
from cocluster.engine.side import ALIVE, CROSSINGS, EXACT_LISTED, FINE_LISTED, GROUPED, LOGGED, Groups, Side
from cocluster.engine.weights import class_weights, log_ratio

FINE_GROUPS = 384
COARSE_GROUPS = 64
RENEW = 0.97  # share of the clusters left at which weights are renewed
SLOTS = 0.7 # and slots renumbered
REGROUP = 0.7
AHEAD = 1.3


def floor_of(clusters: int) -> int:
    """Clusters left at which the next renewal is due."""
    return max(int(RENEW * clusters - 0.01), 1) if clusters > 1 else 0


def make_side(q, mass, size, name, total) -> Side:
    """A side with its slots filled and nothing known about pairs yet."""
    n, features = q.shape
    listed = 32 * n + 4096
    ints = np.int32
    return Side(
        q=q, l=np.log2(q), seen=np.zeros(n, ints), mass=mass, log_mass=np.log2(mass), size=size, name=name,
        alive=np.ones(n, np.bool_), born=np.zeros(n, ints), kept=np.empty(n, ints), joined=np.empty(n, ints),
        fine=no_groups(n), coarse=no_groups(n), bounds=np.zeros(max(n * (n - 1) // 2, 1), ints),
        low=np.empty(n, ints), size_class=np.empty(n, ints), class_size=np.empty(0, np.int64),
        class_members=np.empty(0, ints), weights=np.empty((0, n), np.float32),
        fine_pairs=np.empty((listed, 2), ints), fine_since=np.empty(listed, ints),
        exact_pairs=np.empty((listed, 2), ints), exact_since=np.empty(listed, ints),
        u=np.zeros((4, n)), v=np.zeros((4, n)), count=np.array([n]+[0]*15),
        scalar=np.array([total, 1.0, -np.log2(q.min()), 1.0]),
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
def renumber(pairs, since, listed, born, place):
    """Listed pairs in the new slots; returns how many are left."""
    left = 0
    for e in range(listed):
        x, y = pairs[e, 0], pairs[e, 1]
        if since[e] >= max(born[x], born[y]):
            pairs[left, 0], pairs[left, 1], since[left] = place[x], place[y], since[e]
            left += 1
    return left


def weigh(side: Side) -> Side:
    """Size classes and weights, lower bounds until the next renewal, and the row minima with them."""
    n = len(side.size)
    distinct, of = np.unique(side.size[side.alive], return_inverse=True)
    room = min(n, int(np.sqrt(2.0 * side.size[side.alive].sum())) + 2)
    class_size = np.zeros(max(room, len(distinct)), np.int64)
    class_size[: len(distinct)] = distinct
    members = np.zeros(len(class_size), np.int32)
    members[: len(distinct)] = np.bincount(of)
    size_class = np.zeros(n, np.int32)
    size_class[side.alive] = of
    side.scalar[1] = log_ratio(float(max(floor_of(side.count[ALIVE]) + 1, 3)))
    weights = np.empty((len(class_size), n), np.float32)
    for c in range(len(distinct)):
        class_weights(weights, c, class_size, members, size_class, side.alive, side.scalar[0], side.scalar[1])
    return side._replace(
        weights=weights, size_class=size_class, class_size=class_size, class_members=members,
    )


@njit(cache=True, error_model="numpy")
def columns(array, keep):
    """These columns of an array."""
    out = np.empty((array.shape[0], keep.size), array.dtype)
    for x in range(array.shape[0]):
        for f in range(keep.size):
            out[x, f] = array[x, keep[f]]
    return out


def renew(s: Side, o: Side, joint: bool, limit: int) -> tuple[Side, Side]:
    """Side s at fewer clusters: new weights; and once slots have emptied, fewer slots and new groups."""
    if s.count[ALIVE] > SLOTS * len(s.low):
        s = weigh(s)
    else:
        s, o = fewer_slots(s, o, joint)
        s = weigh(s)
        live = o.count[ALIVE] if joint else s.q.shape[1]
        if live < REGROUP * s.count[GROUPED] or s.count[CROSSINGS] > 30:
            s = regroup(s, o, joint, limit)
    all_minima(s.bounds, s.low, s.alive, s.size_class, s.weights)
    return s, o


def fewer_slots(s: Side, o: Side, joint: bool) -> tuple[Side, Side]:
    """Side s in as many slots as it has clusters; side o over the new slots."""
    keep = np.flatnonzero(s.alive)
    catch_up_all(s.q, s.l, s.seen, s.alive, o.kept, o.joined, o.count[LOGGED])
    if joint:
        catch_up_all(o.q, o.l, o.seen, o.alive, s.kept, s.joined, s.count[LOGGED])
        o.seen[:] = 0
        o = o._replace(q=columns(o.q, keep), l=columns(o.l, keep),
            fine=o.fine._replace(of=o.fine.of[keep]), coarse=o.coarse._replace(of=o.coarse.of[keep]),
        )
        s.count[LOGGED] = 0
    place = (np.cumsum(s.alive) - 1).astype(np.int32)
    s.count[EXACT_LISTED] = renumber(s.exact_pairs, s.exact_since, s.count[EXACT_LISTED], s.born, place)
    s.count[FINE_LISTED] = renumber(s.fine_pairs, s.fine_since, s.count[FINE_LISTED], s.born, place)
    f, c = s.fine, s.coarse
    s = s._replace(
        q=s.q[keep], l=s.l[keep], seen=s.seen[keep], mass=s.mass[keep], size=s.size[keep], name=s.name[keep],
        born=s.born[keep], bounds=s.bounds[: repack(s.bounds, keep)], low=s.low[keep],
        u=np.zeros((4, len(keep))), v=np.zeros((4, len(keep))), log_mass=s.log_mass[keep], alive=np.ones(len(keep), np.bool_),
        fine=f._replace(sums=f.sums[keep], q=f.q[keep], l=f.l[keep]),
        coarse=c._replace(sums=c.sums[keep], q=columns(c.q, keep), l=columns(c.l, keep)),
    )
    return s, o


def regroup(s: Side, o: Side, joint: bool, limit: int) -> Side:
    """New groups of the features of s, COARSE bounds over them; EXACT bounds stay."""
    catch_up_all(s.q, s.l, s.seen, s.alive, o.kept, o.joined, o.count[LOGGED])
    if joint:
        live = np.flatnonzero(o.alive)
        catch_up_all(o.q, o.l, o.seen, o.alive, s.kept, s.joined, s.count[LOGGED])
        profiles, mass = o.q, o.mass[live]
    else:
        live = np.arange(s.q.shape[1])
        profiles = s.q.T * s.mass
        mass = profiles.sum(axis=1)
        profiles /= mass[:, None]
    fine, coarse = groups.group_features(profiles, live, mass, max(FINE_GROUPS, limit), limit)
    of_fine = np.zeros(s.q.shape[1], np.int32)
    of_coarse = np.zeros(s.q.shape[1], np.int32)
    of_fine[live], of_coarse[live] = fine, coarse
    s.count[FINE_LISTED] = s.count[CROSSINGS] = 0
    s.count[GROUPED] = len(live)
    s.scalar[3] = AHEAD if len(live) > limit else 1.0
    s = s._replace(fine=make_groups(s.q, of_fine, live), coarse=turned(make_groups(s.q, of_coarse, live)))
    fill(s.bounds, s.coarse.q, s.coarse.l, len(s.low), s.scalar[2])
    return s
