"""Lower bounds of KL^J for all pairs of one side: 32 bits a pair, in a triangle (row x holds the pairs y < x).

A bound is a non-negative float32 kept as its bits, because the bits of such floats are ordered as integers are, and
integers' minima vectorise. The two lowest bits say what the bound follows:
    COARSE  the divergence over groups of features,
    FINE    the divergence over smaller groups,
    EXACT   the divergence over the features themselves,
    FRESH   as EXACT, looked at since the last merge.
Adding features together lowers KL^J, so each is below the divergence itself; and a merge of two features of one
group leaves the divergence over groups as it is. Every store rounds down.
"""

from __future__ import annotations

import numpy as np

from cocluster.engine.kernel import Bools, Floats, Ints, Singles, bound_kernel, kernel

COARSE, FINE, EXACT, FRESH = 0, 1, 2, 3
KIND = np.int32(3)
VALUE = np.int32(-4)
INFINITE = np.int32(0x7F800000)
ZERO = np.float32(0.0)
HALF = np.float32(0.5)
FLOOR = np.float32(1e-30)  # the least bound kept; it stands for 0
EPSILON = 2.0**-24
TOGETHER = 512  # listed pairs whose bounds are read together
DOWN = np.float32(1.0 - 2.0**-21)  # pays for the rounding to float32 and for the two lowest bits
CANCELLED = np.float32(1e-13)  # pays for what sums over groups lost in float64


@kernel
def start_of(x: int) -> int:
    """Where row x of the triangle starts."""
    return x * (x - 1) // 2


@kernel
def stored(bound: float | np.float32, kind: int) -> np.int32:
    """The bits of a float32 bound rounded down, with its kind."""
    bits = np.float32(max(np.float32(bound) * DOWN, FLOOR)).view(np.int32)
    return np.int32((bits & VALUE) | np.int32(kind))


@kernel
def value(bits: np.int32) -> np.float32:
    """The float32 these bits are."""
    return np.int32(bits).view(np.float32)


@kernel
def weighted(bits: np.int32, w: np.float32) -> np.int32:
    """Bits of bound × weight."""
    return np.float32(np.int32(bits).view(np.float32) * w).view(np.int32)


@kernel
def margins(groups: int, deepest: float) -> tuple[np.float32, np.float32]:
    """(ρ, σ) such that d − ρd − σ(√d + σ) is below the grouped divergence whose float32 evaluation is d.

    With ε = 2⁻²⁴ the errors of the terms and of their sum are below ε[(15 + G)·d + 1.2(3 + max|l|)·√d]: q and l are
    rounded, and Σ|q_a − q_b| ≤ √(2 ln 2 · d) by Pinsker. `deepest` = max |l|.
    """
    return np.float32((24.0 + groups) * EPSILON), np.float32(1.5 * (3.0 + deepest) * EPSILON)


@kernel
def rounded_down(d: np.float32, relative: np.float32, root: np.float32) -> np.float32:
    """Below the grouped divergence whose float32 evaluation is d, see `margins`."""
    d = max(d, ZERO)
    return np.float32(d - relative * d - root * (np.sqrt(d) + root) - CANCELLED)


@bound_kernel
def pair_divergence(q: Singles, l: Singles, a: int, b: int) -> np.float32:
    """½ Σ (q_a − q_b)(l_a − l_b) over groups, in float32; q, l: clusters × groups."""
    total = ZERO
    for g in range(q.shape[1]):
        total += (q[a, g] - q[b, g]) * (l[a, g] - l[b, g])
    return HALF * total


@bound_kernel
def row_divergences(out: Singles, q: Singles, l: Singles, x: int, count: int) -> None:
    """½ Σ (q_x − q_y)(l_x − l_y) over groups for all y < count, in float32; q, l: groups × clusters."""
    groups = q.shape[0]
    whole = groups - groups % 4
    for y in range(count):
        out[y] = ZERO
    for g in range(0, whole, 4):
        a0, a1, a2, a3 = q[g, x], q[g + 1, x], q[g + 2, x], q[g + 3, x]
        b0, b1, b2, b3 = l[g, x], l[g + 1, x], l[g + 2, x], l[g + 3, x]
        q0, q1, q2, q3 = q[g], q[g + 1], q[g + 2], q[g + 3]
        l0, l1, l2, l3 = l[g], l[g + 1], l[g + 2], l[g + 3]
        for y in range(count):
            out[y] += HALF * (
                ((a0 - q0[y]) * (b0 - l0[y]) + (a1 - q1[y]) * (b1 - l1[y]))
                + ((a2 - q2[y]) * (b2 - l2[y]) + (a3 - q3[y]) * (b3 - l3[y]))
            )
    for g in range(whole, groups):
        a0, b0, q0, l0 = q[g, x], l[g, x], q[g], l[g]
        for y in range(count):
            out[y] += HALF * ((a0 - q0[y]) * (b0 - l0[y]))


@kernel
def fill(bounds: Ints, q: Singles, l: Singles, count: int, deepest: float) -> None:
    """COARSE bounds of all pairs that are not EXACT."""
    relative, root = margins(q.shape[0], deepest)
    d = np.empty(count, np.float32)
    for x in range(count):
        row_divergences(d, q, l, x, x)
        row = bounds[start_of(x) : start_of(x) + x]
        for y in range(x):
            coarse = stored(rounded_down(d[y], relative, root), COARSE)
            row[y] = row[y] if row[y] & KIND == EXACT else coarse


@kernel
def fill_row(
    bounds: Ints,
    low: Ints,
    q: Singles,
    l: Singles,
    alive: Bools,
    size_class: Ints,
    weights: Singles,
    a: int,
    deepest: float,
) -> None:
    """COARSE bounds of cluster a against all others, and the row minima with them."""
    relative, root = margins(q.shape[0], deepest)
    count = alive.size
    d = np.empty(count, np.float32)
    row_divergences(d, q, l, a, count)
    mine = weights[size_class[a]]
    row = bounds[start_of(a) : start_of(a) + a]
    least = INFINITE
    for y in range(a):
        row[y] = stored(rounded_down(d[y], relative, root), COARSE)
        least = min(least, weighted(row[y], mine[y]))
    low[a] = least
    for x in range(a + 1, count):
        if alive[x]:
            bits = stored(rounded_down(d[x], relative, root), COARSE)
            bounds[start_of(x) + a] = bits
            low[x] = min(low[x], weighted(bits, mine[x]))


@kernel
def row_minimum(bounds: Ints, x: int, weights: Singles) -> np.int32:
    """Least bound × weight of row x, FRESH pairs aside."""
    row = bounds[start_of(x) : start_of(x) + x]
    least = INFINITE
    for y in range(x):
        cost = weighted(row[y], weights[y])
        least = min(least, INFINITE if row[y] & KIND == FRESH else cost)
    return least


@kernel
def all_minima(bounds: Ints, low: Ints, alive: Bools, size_class: Ints, weights: Singles) -> None:
    """Row minima of all rows."""
    for x in range(alive.size):
        low[x] = row_minimum(bounds, x, weights[size_class[x]]) if alive[x] else INFINITE


@kernel
def change(u: Floats, v: Floats, x: int, y: int) -> float:
    """Δ KL^J = Σ_c (u_x − u_y)(v_x − v_y) over the columns that go (u = −½ q, v = log₂ q) and that come (u = ½ q)."""
    total: float = (
        (u[x, 0] - u[y, 0]) * (v[x, 0] - v[y, 0])
        + (u[x, 1] - u[y, 1]) * (v[x, 1] - v[y, 1])
        + (u[x, 2] - u[y, 2]) * (v[x, 2] - v[y, 2])
        + (u[x, 3] - u[y, 3]) * (v[x, 3] - v[y, 3])
    )
    return total


@kernel
def in_singles(u: Floats, v: Floats, alive: Bools) -> tuple[Singles, Singles, Singles]:
    """u, v in float32, v centred; and per row what the rounding of `change` can amount to, 10ε Σ_c |u_c|·range(v_c)."""
    count, columns = u.shape
    u32, v32 = np.zeros((columns, count), np.float32), np.zeros((columns, count), np.float32)
    lost = np.zeros(count, np.float32)
    for c in range(columns):
        low, high = np.inf, -np.inf
        for x in range(count):
            if alive[x]:
                low, high = min(low, v[x, c]), max(high, v[x, c])
        for x in range(count):
            if alive[x]:
                u32[c, x], v32[c, x] = u[x, c], v[x, c] - 0.5 * (low + high)
                lost[x] += 10.0 * EPSILON * abs(u[x, c]) * (high - low)
    return u32, v32, lost


@bound_kernel
def follow_all(
    bounds: Ints,
    low: Ints,
    alive: Bools,
    size_class: Ints,
    weights: Singles,
    u: Singles,
    v: Singles,
    lost: Singles,
) -> None:
    """Apply a change of the coarse groups to every COARSE bound; row minima anew."""
    u0, u1, u2, u3 = u[0], u[1], u[2], u[3]
    v0, v1, v2, v3 = v[0], v[1], v[2], v[3]
    for x in range(alive.size):
        if not alive[x]:
            continue
        row = bounds[start_of(x) : start_of(x) + x]
        mine = weights[size_class[x]]
        a0, a1, a2, a3, mine_lost = u0[x], u1[x], u2[x], u3[x], lost[x]
        b0, b1, b2, b3 = v0[x], v1[x], v2[x], v3[x]
        least = INFINITE
        for y in range(x):
            bits = row[y]
            delta = ((a0 - u0[y]) * (b0 - v0[y]) + (a1 - u1[y]) * (b1 - v1[y])) + (
                (a2 - u2[y]) * (b2 - v2[y]) + (a3 - u3[y]) * (b3 - v3[y])
            )
            coarse = stored(value(bits) + (delta - (mine_lost + lost[y])), COARSE)
            bits = coarse if bits & KIND == COARSE else bits
            row[y] = bits
            least = min(least, weighted(bits, mine[y]))
        low[x] = least


@kernel
def follow_listed(
    bounds: Ints,
    low: Ints,
    pairs: Ints,
    listed: int,
    kind: int,
    born: Ints,
    size_class: Ints,
    weights: Singles,
    u: Floats,
    v: Floats,
) -> int:
    """Apply a change to the listed pairs of this kind; forget those that are gone. Returns how many are left.

    The bounds lie scattered in memory. Reading many of them in a loop of its own lets the processor wait for all of
    them at once.
    """
    left = 0
    kinds = np.empty(TOGETHER, np.int32)
    for start in range(0, listed, TOGETHER):
        stop = min(start + TOGETHER, listed)
        for e in range(start, stop):
            kinds[e - start] = bounds[start_of(pairs[e, 0]) + pairs[e, 1]] & KIND
        for e in range(start, stop):
            x, y = pairs[e, 0], pairs[e, 1]
            if pairs[e, 2] < max(born[x], born[y]) or kinds[e - start] != kind:
                continue
            at = start_of(x) + y
            bits = stored(value(bounds[at]) + change(u, v, x, y), kind)
            bounds[at] = bits
            low[x] = min(low[x], weighted(bits, weights[size_class[x], y]))
            pairs[left, 0], pairs[left, 1], pairs[left, 2] = x, y, pairs[e, 2]
            left += 1
    return left
