"""Building a side, and renewing its weights, slots and groups as its clusters become few."""

from __future__ import annotations

import numpy as np

from cocluster.engine.bounds import all_minima, start_of
from cocluster.engine.features.regrouping import LEVELS, regrouped, up_to_date
from cocluster.engine.features.shares import normalised
from cocluster.engine.kernel import Floats, Ints, Longs, kernel
from cocluster.engine.side import (
    ALIVE,
    CROSSINGS,
    EXACT_LISTED,
    FINE_LISTED,
    GROUPED,
    LOGGED,
    RATIO,
    TOTAL,
    Side,
    no_groups,
)
from cocluster.engine.weights import all_class_weights, log_ratio

REWEIGH = 0.92  # share of the clusters left at which the weights are renewed
RENUMBER = 0.7  # share of the slots in use at which they are renumbered
REGROUP = 0.6  # share of the features left at which they are grouped anew,
MANY_CROSSINGS = 40  # or merges across groups


def make_side(N: Floats, size: Longs, name: Ints, total: float) -> Side:
    """A side of single items (rows of N), without any bounds of pairs yet."""
    slots = len(N)
    q, l, mass = normalised(N)
    mass /= mass.sum()
    room = LEVELS[0].listed * slots
    return Side(
        q=q,
        l=l,
        seen=np.zeros(slots, np.int32),
        mass=mass,
        log_mass=np.log2(mass),
        size=size,
        name=name,
        alive=np.ones(slots, np.bool_),
        born=np.zeros(slots, np.int32),
        kept=np.empty(slots, np.int32),
        joined=np.empty(slots, np.int32),
        fine=no_groups(slots),
        coarse=no_groups(slots),
        bounds=np.zeros(start_of(slots), np.int32),
        low=np.empty(slots, np.int32),
        size_class=np.empty(slots, np.int32),
        class_size=np.empty(0, np.int64),
        class_members=np.empty(0, np.int32),
        weights=np.empty((0, slots), np.float32),
        fine_pairs=np.empty((room, 3), np.int32),
        exact_pairs=np.empty((room, 3), np.int32),
        u=np.zeros((slots, 4)),
        v=np.zeros((slots, 4)),
        counts=np.array([slots, 0, 0, 0, 0, 0, 0]),
        scalars=np.array([total, 1.0, -l.min(), 1.0]),
    )


def next_weighing(clusters: int) -> int:
    """Clusters left at which the weights are renewed next; 0 where nothing is left to merge."""
    return max(int(REWEIGH * clusters), 1) if clusters > 1 else 0


def reweighed(s: Side) -> Side:
    """Weights that are lower bounds until the next weighing, and the row minima with them."""
    distinct, of = np.unique(s.size[s.alive], return_inverse=True)
    most = int(np.sqrt(2.0 * s.size[s.alive].sum())) + 2  # 1 + 2 + … + c ≤ all items, so c distinct sizes at most
    class_size = np.zeros(min(s.clusters, most), np.int64)
    class_size[: len(distinct)] = distinct
    members = np.zeros(len(class_size), np.int32)
    members[: len(distinct)] = np.bincount(of)
    size_class = np.zeros(len(s.size), np.int32)
    size_class[s.alive] = of
    s.scalars[RATIO] = log_ratio(float(max(next_weighing(s.clusters) + 1, 3)))
    weights = np.empty((len(class_size), len(s.size)), np.float32)
    all_class_weights(weights, class_size, members, size_class, s.alive, s.scalars[TOTAL], s.scalars[RATIO])
    all_minima(s.bounds, s.low, s.alive, size_class, weights)
    return s._replace(weights=weights, size_class=size_class, class_size=class_size, class_members=members)


@kernel
def pack(flat: Floats, width: int, rows: Longs, columns: Longs) -> int:
    """These rows and columns of an array (its memory, and its width) moved to the front; returns their number."""
    to = 0
    for x in rows:
        for f in columns:
            flat[to] = flat[x * width + f]
            to += 1
    return to


def packed(array: Floats, rows: Longs, columns: Longs) -> Floats:
    """These rows and columns of an array, in its own memory."""
    flat = array.reshape(-1)
    return flat[: pack(flat, array.shape[1], rows, columns)].reshape(len(rows), len(columns))


@kernel
def repacked(bounds: Ints, keep: Longs) -> int:
    """The triangle of these clusters, moved to the front of the array; returns how long it is."""
    to = 0
    for x in range(keep.size):
        at = start_of(keep[x])
        for y in range(x):
            bounds[to] = bounds[at + keep[y]]
            to += 1
    return to


@kernel
def renumbered(pairs: Ints, listed: int, born: Ints, place: Longs) -> int:
    """Listed pairs in new slots; returns how many are left."""
    left = 0
    for e in range(listed):
        x, y, since = pairs[e, 0], pairs[e, 1], pairs[e, 2]
        if since >= max(born[x], born[y]):
            pairs[left, 0], pairs[left, 1], pairs[left, 2] = place[x], place[y], since
            left += 1
    return left


def fewer_slots(s: Side, o: Side, joint: bool) -> tuple[Side, Side]:
    """Side s in as many slots as it has clusters; side o over the new slots."""
    keep = np.flatnonzero(s.alive)
    place = np.cumsum(s.alive) - 1
    if joint:
        up_to_date(o, s)
        o.seen[:] = 0
        o = o._replace(
            q=packed(o.q, np.arange(len(o.q)), keep),
            l=packed(o.l, np.arange(len(o.q)), keep),
            fine=o.fine._replace(of=o.fine.of[keep]),
            coarse=o.coarse._replace(of=o.coarse.of[keep]),
        )
        s.counts[LOGGED] = 0
    s.counts[EXACT_LISTED] = renumbered(s.exact_pairs, s.counts[EXACT_LISTED], s.born, place)
    s.counts[FINE_LISTED] = renumbered(s.fine_pairs, s.counts[FINE_LISTED], s.born, place)
    fine, coarse = s.fine, s.coarse
    s = s._replace(
        q=packed(s.q, keep, np.arange(s.q.shape[1])),
        l=packed(s.l, keep, np.arange(s.q.shape[1])),
        seen=s.seen[keep],
        mass=s.mass[keep],
        log_mass=s.log_mass[keep],
        size=s.size[keep],
        name=s.name[keep],
        alive=s.alive[keep],
        born=s.born[keep],
        fine=fine._replace(sums=fine.sums[keep], q=fine.q[keep], l=fine.l[keep]),
        coarse=coarse._replace(
            sums=coarse.sums[keep],
            q=np.ascontiguousarray(coarse.q[:, keep]),
            l=np.ascontiguousarray(coarse.l[:, keep]),
        ),
        bounds=s.bounds[: repacked(s.bounds, keep)],
        low=s.low[keep],
        u=np.zeros((len(keep), 4)),
        v=np.zeros((len(keep), 4)),
    )
    return s, o


def renewed(s: Side, o: Side, joint: bool) -> tuple[Side, Side]:
    """Side s at fewer clusters: new weights; fewer slots where many are empty; new groups where they have worn out."""
    if s.clusters <= RENUMBER * len(s.low):
        s, o = fewer_slots(s, o, joint)
        live = o.counts[ALIVE] if joint else s.q.shape[1]
        if live <= REGROUP * s.counts[GROUPED] or s.counts[CROSSINGS] > MANY_CROSSINGS:
            s = regrouped(s, o, joint)
    return reweighed(s), o
