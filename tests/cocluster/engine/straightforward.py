"""Direct agglomeration: every KL^J is kept in float64 and brought up to date after every merge.

A second reference, for sizes that the dense one cannot reach.
"""
# ruff: noqa: PLR0917 (kernels take arrays one by one)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

TIE = 1e-11  # costs closer than this (relative) are equal, math.md (8)
NOTHING = 1e-24  # a KL^J this small is the rounding of equal rows and counts as 0
LOG = np.log2(np.maximum(np.arange(10_000.0), 0.5))
SLACK = 1e-12  # what the running KL^J of a pair may have drifted by


@njit(cache=True)
def divergence(q, l, a, b, f):
    """KL^J = ½ Σ (q_a − q_b)(l_a − l_b) over features, l = log₂ q.  math.md (7)"""
    total = 0.0
    for k in range(f):
        total += (q[a, k] - q[b, k]) * (l[a, k] - l[b, k])
    total *= 0.5
    return total if total > NOTHING else 0.0


@njit(cache=True)
def weight(size_a, size_b, entropy, k):
    """W(i,j;k), 0 when negative; at k = 2 log₂ k stands in both places; entropy[s] = p log₂ p.  math.md (6)"""
    if entropy.size == 0:
        return 1.0
    below = LOG[k - 1] if k > 2 else 1.0
    w = entropy[size_a + size_b] / below - (entropy[size_a] + entropy[size_b]) / LOG[k]
    return max(w, 0.0)


@njit(cache=True)
def pair_table(q, l):
    """KL^J of all pairs."""
    n, f = q.shape
    table = np.zeros((n, n))
    for a in range(n):
        for b in range(a):
            table[a, b] = table[b, a] = divergence(q, l, a, b, f)
    return table


@njit(cache=True)
def merge_features(table, alive, q, l, i, j):
    """Features i and j become one (at i): KL^J of every pair falls, DESIGN §3."""
    n = alive.size
    for x in range(n):
        a = alive[x]
        for y in range(x):
            b = alive[y]
            table[a, b] -= 0.5 * ((q[a, i] - q[b, i]) * (l[a, i] - l[b, i]) + (q[a, j] - q[b, j]) * (l[a, j] - l[b, j]))
    for a in alive:
        q[a, i] += q[a, j]
        l[a, i] = np.log2(q[a, i])
        q[a, j] = 0.0
        l[a, j] = 0.0
    for x in range(n):
        a = alive[x]
        for y in range(x):
            b = alive[y]
            table[a, b] += 0.5 * (q[a, i] - q[b, i]) * (l[a, i] - l[b, i])
            table[b, a] = table[a, b]


@njit(cache=True)
def merge_items(table, alive, q, l, mass, size, a, b):
    """Items a and b become one (at a); returns the information lost, a mass-weighted Jensen–Shannon divergence."""
    f = q.shape[1]
    both = mass[a] + mass[b]
    lost = 0.0
    for k in range(f):
        mixed = (mass[a] * q[a, k] + mass[b] * q[b, k]) / both
        if mixed > 0.0:
            log = np.log2(mixed)
            lost += mass[a] * q[a, k] * (l[a, k] - log) + mass[b] * q[b, k] * (l[b, k] - log)
            l[a, k] = log
        q[a, k] = mixed
    mass[a] = both
    size[a] += size[b]
    for c in alive:
        if c not in (a, b):
            table[a, c] = table[c, a] = divergence(q, l, a, c, f)
    return max(lost, 0.0)


@njit(cache=True)
def cheapest(table, alive, q, l, size, entropy):
    """(least cost, and of the pairs within TIE of it the one with least KL^J, then the lowest ids: KL^J, a, b)."""
    n, f = alive.size, q.shape[1]
    least = np.inf
    for x in range(n):
        for y in range(x):
            a, b = alive[x], alive[y]
            w = weight(size[a], size[b], entropy, n)
            if max(table[a, b] - SLACK, 0.0) * w <= least * (1.0 + TIE):
                least = min(least, divergence(q, l, a, b, f) * w)
    return least, best_within(table, alive, q, l, size, entropy, least)


@njit(cache=True)
def best_within(table, alive, q, l, size, entropy, least):
    """Of the pairs whose cost is at most least·(1 + TIE): (cost, KL^J, a, b) by the rule of math.md (8)."""
    n, f = alive.size, q.shape[1]
    found = (np.inf, np.inf, -1, -1)
    low = np.inf
    for final in (False, True):
        for x in range(n):
            for y in range(x + 1, n):
                a, b = alive[x], alive[y]
                w = weight(size[a], size[b], entropy, n)
                if max(table[a, b] - SLACK, 0.0) * w > least * (1.0 + TIE):
                    continue
                d = divergence(q, l, a, b, f)
                if d * w > least * (1.0 + TIE):
                    continue
                if not final:
                    low = min(low, d)
                elif found[2] < 0 and d <= low * (1.0 + TIE):
                    found = (d * w, d, a, b)
    return found


def plogp(total: int) -> NDArray[np.float64]:
    """p log₂ p for p = s/total, s = 0…total."""
    p = np.arange(total + 1) / total
    return p * np.log2(np.where(p > 0, p, 1.0))


def run(
    N: NDArray[np.float64],
    sizes: tuple[NDArray[np.int64], NDArray[np.int64]],
    composite: bool,
    joint: bool,
    progress: Callable[[int, int], None] | None,
) -> tuple[Any, ...]:
    """The columns of Merges."""
    sides: list[dict[str, Any]] = []
    for matrix, size in ((N, sizes[0]), (N.T, sizes[1])):
        mass = matrix.sum(axis=1)
        q = np.ascontiguousarray(matrix / mass[:, None])
        l = np.log2(q)
        alive = np.arange(len(matrix))
        sides.append(
            {
                "q": q,
                "l": l,
                "mass": mass / mass.sum(),
                "size": size.copy(),
                "alive": alive,
                "table": pair_table(q, l),
                "entropy": plogp(size.sum()) if composite else np.empty(0),
            }
        )
    in_all = sum(N.shape) - 2
    step = max(in_all // 100, 1)
    rows: list[tuple[int, int, int, float, float, float]] = []

    def merge(which: int, a: int, b: int, price: float, klj: float) -> None:
        s, other = sides[which], sides[1 - which]
        s["alive"] = s["alive"][s["alive"] != b]
        lost = merge_items(s["table"], s["alive"], s["q"], s["l"], s["mass"], s["size"], a, b)
        if joint:
            merge_features(other["table"], other["alive"], other["q"], other["l"], a, b)
        rows.append((which, a, b, price, klj, lost))
        if progress is not None and len(rows) % step == 0:
            progress(len(rows), in_all)

    for which, s in enumerate(sides):
        for a in range(len(s["alive"])):
            for b in range(a + 1, s["q"].shape[0]):
                if (
                    a in s["alive"]
                    and b in s["alive"]
                    and s["table"][a, b] <= SLACK
                    and (divergence(s["q"], s["l"], a, b, s["q"].shape[1]) == 0.0)
                ):
                    merge(which, a, b, 0.0, 0.0)
    while len(rows) < in_all:
        found = [
            cheapest(s["table"], s["alive"], s["q"], s["l"], s["size"], s["entropy"])
            if len(s["alive"]) > 1
            else (np.inf, (np.inf, np.inf, -1, -1))
            for s in sides
        ]
        which = 0 if found[0][0] <= found[1][0] * (1.0 + TIE) else 1
        least = min(found[0][0], found[1][0])
        s = sides[which]
        price, klj, a, b = best_within(s["table"], s["alive"], s["q"], s["l"], s["size"], s["entropy"], least)
        merge(which, int(a), int(b), float(price), float(klj))
    columns = list(zip(*rows, strict=True)) if rows else [()] * 6
    kinds = (np.int8, np.int32, np.int32, np.float64, np.float64, np.float64)
    return tuple(np.array(c, k) for c, k in zip(columns, kinds, strict=True))
