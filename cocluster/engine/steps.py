"""One merge after the other: find the cheapest pair over both sides, join it, let the bounds follow."""

from __future__ import annotations

import numpy as np
from numba import njit

from cocluster.engine.bounds import (
    COARSE,
    EXACT,
    FINE,
    FRESH,
    INFINITE,
    KIND,
    VALUE,
    fill_row,
    follow_all,
    follow_listed,
    in_singles,
    margins,
    pair_divergence,
    rounded_down,
    row_minimum,
    start_of,
    stored,
    value,
    weighted,
)
from cocluster.engine.shares import catch_up, divergence, mix
from cocluster.engine.side import (
    ALIVE,
    CROSSINGS,
    DEEPEST,
    EAGER,
    EXACT_LISTED,
    FINE_LISTED,
    LOGGED,
    NEVER,
    RATIO,
    TOTAL,
)
from cocluster.engine.weights import reweigh, scale, weight

TIE = 1e-11  # costs closer than this (relative) are equal, math.md (8)
NEAR_ZERO = 1e-22  # bounds below it may belong to a pair of cost 0
BLOCK = 64  # pairs looked at together

DONE, MANY_TIES, CROWDED = range(3)


@njit(cache=True, error_model="numpy")
def least_row(low):
    """Row with the least bound."""
    least = INFINITE
    for x in range(low.size):
        least = min(least, low[x])
    for x in range(low.size):
        if low[x] == least:
            return x
    return 0


@njit(cache=True, error_model="numpy")
def evaluate(s, o, x, y):
    """KL^J of the pair in float64, at the present state."""
    catch_up(s.q, s.l, s.seen, x, o.kept, o.joined, o.count[LOGGED])
    catch_up(s.q, s.l, s.seen, y, o.kept, o.joined, o.count[LOGGED])
    return divergence(s.q, s.l, x, y, s.q.shape[1])


@njit(cache=True, error_model="numpy")
def listed(pairs, since, count, x, y, now):
    """Add a pair to a list; returns its new length."""
    pairs[count, 0], pairs[count, 1], since[count] = x, y, now
    return count + 1


@njit(cache=True, error_model="numpy")
def block_minimum(row, weights, start, stop):
    """Least bound × weight of a stretch of a row."""
    least = INFINITE
    for y in range(start, stop):
        least = min(least, weighted(row[y], weights[y]))
    return least


@njit(cache=True, error_model="numpy")
def look(s, o, side, x, limit, best, now, found, figures, known):
    """Evaluate the pairs of row x whose weighted bound is at most `limit`; returns (pairs found so far, least cost).

    COARSE pairs are first evaluated over fine groups, and exactly where that does not lift them over the limit (with
    some margin, so that they are not soon looked at again). A pair that cannot cost as little as `best` is set aside
    as FRESH at infinite cost until the next merge.
    """
    row = s.bounds[start_of(x) : start_of(x) + x]
    mine = s.weights[s.size_class[x]]
    k, total = s.count[ALIVE], s.scalar[TOTAL]
    relative, root = margins(s.fine.q.shape[1], s.scalar[DEEPEST])
    eager = np.float32(value(limit) * s.scalar[EAGER]).view(np.int32)
    for start in range(0, x, BLOCK):
        stop = min(start + BLOCK, x)
        if block_minimum(row, mine, start, stop) > eager:
            continue
        for y in range(start, stop):
            kind = row[y] & KIND
            cost = weighted(row[y], mine[y])
            if cost > eager or kind == FRESH or (kind == EXACT and cost > limit):
                continue
            if kind == COARSE:
                d32 = pair_divergence(s.fine.q, s.fine.l, x, y)
                s.count[6] += 1
                bits = stored(rounded_down(d32, relative, root), FINE)
                if weighted(bits, mine[y]) > eager:
                    row[y] = bits
                    s.count[FINE_LISTED] = listed(s.fine_pairs, s.fine_since, s.count[FINE_LISTED], x, y, now)
                    continue
            w = weight(s.size[x], s.size[y], total, k)
            found[known, 0], found[known, 1], found[known, 2] = side, x, y
            figures[known, 0] = np.inf
            if kind != EXACT:
                s.count[EXACT_LISTED] = listed(s.exact_pairs, s.exact_since, s.count[EXACT_LISTED], x, y, now)
            if kind != EXACT or value(row[y]) * w <= best * (1.0 + 2.0 * TIE) + NEAR_ZERO:
                d = evaluate(s, o, x, y)
                s.count[7 if kind!=EXACT else 9] += 1
                figures[known, 0], figures[known, 1] = d * w, d
                best = min(best, d * w)
                row[y] = stored(d, FRESH)
            else:
                row[y] = (row[y] & VALUE) | np.int32(FRESH)
            known += 1
    s.low[x] = row_minimum(s.bounds, x, mine)
    return known, best


@njit(cache=True, error_model="numpy")
def limit_for(best, scale):
    """Bits of the weighted bound from which on a pair costs more than `best` beyond all tolerance."""
    return np.float32((best * (1.0 + 2.0 * TIE) + NEAR_ZERO) / scale * (1.0 + 1e-6)).view(np.int32)


@njit(cache=True, error_model="numpy")
def room(s, found, known):
    """Whether the lists can take all that a look at one row could add; else which of them cannot."""
    rows = s.low.size
    if s.count[FINE_LISTED] + rows > s.fine_since.size or s.count[EXACT_LISTED] + rows > s.exact_since.size:
        return CROWDED
    return MANY_TIES if known + rows > len(found) else DONE


@njit(cache=True, error_model="numpy")
def candidates(docs, tags, now, found, figures):
    """Evaluate until every pair within TIE of the least cost is known; returns (how many were, what there was no room for).

    found[c] = side, x, y and figures[c] = cost, KL^J. A pair that is not among them costs more than the least by more
    than TIE, since its bound does.
    """
    best = np.inf
    known = 0
    scales = (scale(docs.scalar[TOTAL], docs.count[ALIVE]), scale(tags.scalar[TOTAL], tags.count[ALIVE]))
    while best == np.inf:
        x0, x1 = least_row(docs.low), least_row(tags.low)
        side = 0
        if tags.count[ALIVE] > 1:
            if docs.count[ALIVE] == 1 or value(docs.low[x0]) * scales[0] > value(tags.low[x1]) * scales[1]:
                side = 1
        s, o = (docs, tags) if side == 0 else (tags, docs)
        x = x0 if side == 0 else x1
        want = room(s, found, known)
        if want:
            return known, want
        s.count[8] += 1
        mine = s.weights[s.size_class[x]]
        s.low[x] = row_minimum(s.bounds, x, mine)
        if s.low[x] > s.low[least_row(s.low)]:
            continue
        known, best = look(s, o, side, x, s.low[x], best, now, found, figures, known)
    for side in range(2):
        s, o = (docs, tags) if side == 0 else (tags, docs)
        if s.count[ALIVE] == 1:
            continue
        for x in range(s.low.size):
            if s.low[x] > limit_for(best, scales[side]):
                continue
            want = room(s, found, known)
            if want:
                return known, want
            s.count[8] += 1
            s.low[x] = row_minimum(s.bounds, x, s.weights[s.size_class[x]])
            while s.low[x] <= limit_for(best, scales[side]):
                known, best = look(s, o, side, x, limit_for(best, scales[side]), best, now, found, figures, known)
    return known, DONE


@njit(cache=True, error_model="numpy")
def settle(docs, tags, found, known):
    """FRESH pairs are EXACT ones again, and count in their rows' minima."""
    for c in range(known):
        x, y = found[c, 1], found[c, 2]
        s = docs if found[c, 0] == 0 else tags
        at = start_of(x) + y
        s.bounds[at] = (s.bounds[at] & np.int32(-4)) | np.int32(EXACT)
        s.low[x] = min(s.low[x], weighted(s.bounds[at], s.weights[s.size_class[x], y]))


@njit(cache=True, error_model="numpy")
def chosen(found, figures, known):
    """Of the pairs within TIE of the least cost: documents first, then the least KL^J, then the lowest ids. math.md (8)"""
    least = np.inf
    for c in range(known):
        least = min(least, figures[c, 0])
    side = 1
    for c in range(known):
        if figures[c, 0] <= least * (1.0 + TIE):
            side = min(side, found[c, 0])
    close = np.inf
    for c in range(known):
        if figures[c, 0] <= least * (1.0 + TIE) and found[c, 0] == side:
            close = min(close, figures[c, 1])
    winner = -1
    for c in range(known):
        if figures[c, 0] <= least * (1.0 + TIE) and found[c, 0] == side and figures[c, 1] <= close * (1.0 + TIE):
            if winner < 0 or (found[c, 2], found[c, 1]) < (found[winner, 2], found[winner, 1]):
                winner = c
    return winner


@njit(cache=True, error_model="numpy")
def mix_groups(sums, a, b, share_a, share_b):
    """Row a over groups becomes the mixture of rows a and b."""
    for g in range(sums.shape[1]):
        sums[a, g] = share_a * sums[a, g] + share_b * sums[b, g]


@njit(cache=True, error_model="numpy")
def mix_fine(sums, q, l, a):
    """Row a over fine groups in float32."""
    for g in range(sums.shape[1]):
        q[a, g] = sums[a, g]
        l[a, g] = np.log2(sums[a, g]) if sums[a, g] > 0.0 else 0.0


@njit(cache=True, error_model="numpy")
def feature_columns(u, v, q, l, mass, a, log_mass, other_mass, other_log_mass, alive, sign, column):
    """Column of the other side's shares of feature a, from row a: q_xa = q_ax·m_a/m_x."""
    for x in range(alive.size):
        if alive[x]:
            u[column, x] = sign * 0.5 * q[a, x] * mass[a] / other_mass[x]
            v[column, x] = l[a, x] + log_mass[a] - other_log_mass[x]


@njit(cache=True, error_model="numpy")
def regroup_feature(group, members, sums, u, v, w, alive, a, b, b_moves):
    """Features a and b become one: if their groups differ, the lighter one moves to the other's group.

    u, v: what the bounds over groups change by (see bounds.change); w: −½ the shares of a (0) and b (1).
    Returns the groups that changed, −1 for none.
    """
    here, there = group[a], group[b]
    if here == there:
        members[here] -= 1
        return -1, -1
    target, source, moved = (here, there, 1) if b_moves else (there, here, 0)
    members[source] -= 1
    group[a] = target
    for x in range(alive.size):
        if alive[x]:
            share = -2.0 * w[moved, x]
            u[0, x], v[0, x] = -0.5 * sums[x, target], np.log2(sums[x, target])
            u[1, x], v[1, x] = -0.5 * sums[x, source], np.log2(sums[x, source])
            sums[x, target] += share
            u[2, x], v[2, x] = 0.5 * sums[x, target], np.log2(sums[x, target])
            if members[source] > 0:
                sums[x, source] = max(sums[x, source] - share, 1e-20)
                u[3, x], v[3, x] = 0.5 * sums[x, source], np.log2(sums[x, source])
            else:
                sums[x, source] = 0.0
                u[3, x], v[3, x] = 0.0, 0.0
    return target, source


@njit(cache=True, error_model="numpy")
def follow(o, b_moves, a, b, now):
    """The other side's bounds after its features a and b became one; columns 0–2 of u, v: a and b before, both after."""
    w = o.u.copy()
    o.count[10] += o.count[EXACT_LISTED]
    o.count[EXACT_LISTED] = follow_listed(
        o.bounds, o.low, o.exact_pairs, o.exact_since, o.count[EXACT_LISTED], EXACT,
        o.born, o.size_class, o.weights, o.u, o.v,
    )
    g = o.fine
    target, source = regroup_feature(g.of, g.members, g.sums, o.u, o.v, w, o.alive, a, b, b_moves)
    if target >= 0:
        o.count[11] += o.count[FINE_LISTED]
        o.count[12] += 1
        for x in range(o.alive.size):
            g.q[x, target], g.l[x, target] = g.sums[x, target], o.v[2, x]
            g.q[x, source], g.l[x, source] = g.sums[x, source], o.v[3, x]
        o.count[FINE_LISTED] = follow_listed(
            o.bounds, o.low, o.fine_pairs, o.fine_since, o.count[FINE_LISTED], FINE,
            o.born, o.size_class, o.weights, o.u, o.v,
        )
    g = o.coarse
    target, source = regroup_feature(g.of, g.members, g.sums, o.u, o.v, w, o.alive, a, b, b_moves)
    if target >= 0:
        for x in range(o.alive.size):
            g.q[target, x], g.l[target, x] = g.sums[x, target], o.v[2, x]
            g.q[source, x], g.l[source, x] = g.sums[x, source], o.v[3, x]
        u32, v32, rounding = in_singles(o.u, o.v, o.alive)
        follow_all(o.bounds, o.low, o.alive, o.size_class, o.weights, u32, v32, rounding)
        o.count[CROSSINGS] += 1
        o.count[13] += 1


@njit(cache=True, error_model="numpy")
def join(s, o, a, b, now, joint):
    """Cluster b joins cluster a of side s; returns the information lost."""
    catch_up(s.q, s.l, s.seen, a, o.kept, o.joined, o.count[LOGGED])
    catch_up(s.q, s.l, s.seen, b, o.kept, o.joined, o.count[LOGGED])
    b_moves = s.mass[b] <= s.mass[a]
    both = s.mass[a] + s.mass[b]
    mix_groups(s.fine.sums, a, b, s.mass[a] / both, s.mass[b] / both)
    mix_fine(s.fine.sums, s.fine.q, s.fine.l, a)
    mix_groups(s.coarse.sums, a, b, s.mass[a] / both, s.mass[b] / both)
    mix_fine(s.coarse.sums, s.coarse.q.T, s.coarse.l.T, a)
    if joint:
        feature_columns(o.u, o.v, s.q, s.l, s.mass, a, s.log_mass, o.mass, o.log_mass, o.alive, -1.0, 0)
        feature_columns(o.u, o.v, s.q, s.l, s.mass, b, s.log_mass, o.mass, o.log_mass, o.alive, -1.0, 1)
    lost = mix(s.q, s.l, s.mass, a, b, s.q.shape[1])
    s.log_mass[a] = np.log2(s.mass[a])
    if joint:
        feature_columns(o.u, o.v, s.q, s.l, s.mass, a, s.log_mass, o.mass, o.log_mass, o.alive, 1.0, 2)
        o.u[3] = 0.0
        o.v[3] = 0.0
        s.kept[s.count[LOGGED]], s.joined[s.count[LOGGED]] = a, b
        s.count[LOGGED] += 1
        follow(o, b_moves, a, b, now)
    s.size[a] += s.size[b]
    s.alive[b] = False
    s.born[a], s.born[b] = now + 1, NEVER
    s.low[b] = INFINITE
    s.count[ALIVE] -= 1
    reweigh(
        s.weights, a, b, s.size, s.size_class, s.class_size, s.class_members, s.alive,
        s.scalar[TOTAL], s.scalar[RATIO],
    )
    fill_row(
        s.bounds, s.low, s.coarse.q, s.coarse.l, s.alive, s.size_class, s.weights, a, s.scalar[DEEPEST],
    )
    return lost


@njit(cache=True, error_model="numpy")
def advance(docs, tags, joint, first, last, floors, found, figures, merged, costs):
    """Merges number first…last−1, as long as no side needs attention; returns (merges made so far, what is needed).

    floors: clusters left at which a side's slots and weights are to be renewed.
    """
    for now in range(first, last):
        if docs.count[ALIVE] <= floors[0] or tags.count[ALIVE] <= floors[1]:
            return now, DONE
        known, want = candidates(docs, tags, now, found, figures)
        settle(docs, tags, found, known)
        if want:
            return now, want
        c = chosen(found, figures, known)
        side, b, a = found[c, 0], found[c, 1], found[c, 2]
        s, o = (docs, tags) if side == 0 else (tags, docs)
        merged[now, 0], merged[now, 1], merged[now, 2] = side, s.name[a], s.name[b]
        costs[now, 0], costs[now, 1] = figures[c, 0], figures[c, 1]
        costs[now, 2] = join(s, o, a, b, now, joint)
    return last, DONE
