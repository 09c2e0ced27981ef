"""Finding the cheapest pair: look only where a bound allows it, and evaluate in float64 only what may be the least."""

from __future__ import annotations

import numpy as np

from cocluster.engine.bounds import (
    COARSE,
    EXACT,
    FINE,
    FRESH,
    INFINITE,
    KIND,
    VALUE,
    margins,
    pair_divergence,
    rounded_down,
    row_minimum,
    start_of,
    stored,
    value,
    weighted,
)
from cocluster.engine.candidates import TIE
from cocluster.engine.features.shares import catch_up, divergence
from cocluster.engine.kernel import Floats, Ints, Longs, Singles, kernel
from cocluster.engine.side import AHEAD, ALIVE, DEEPEST, EXACT_LISTED, FINE_LISTED, TOTAL, Candidates, Log, Searched
from cocluster.engine.weights import scale, weight

NEAR_ZERO = 1e-22  # bounds below it may belong to a pair of cost 0
BLOCK = 64  # pairs looked at together

DONE, MANY_TIES, CROWDED = range(3)  # what a search may lack: nothing, room for candidates, room in the lists


@kernel
def least_row(low: Ints) -> int:
    """The first row with the least bound."""
    least = INFINITE
    for x in range(low.size):
        least = min(least, low[x])
    for x in range(low.size):
        if low[x] == least:
            return x
    return 0


@kernel
def next_row(low: Ints, x: int, limit: np.int32) -> int:
    """The first row from x on whose bound is at most `limit`; low.size when there is none."""
    while x < low.size and low[x] > limit:
        x += 1
    return x


@kernel
def least_bound(low: Ints, counts: Longs, scalars: Floats) -> float:
    """What any pair of a side costs at least."""
    if counts[ALIVE] == 1:
        return np.inf
    return float(value(low[least_row(low)])) * scale(scalars[TOTAL], counts[ALIVE])


@kernel
def within_tie(best: float) -> float:
    """A pair whose bound is above this costs more than `best`, beyond the tolerance and all rounding."""
    return best * (1.0 + 2.0 * TIE) + NEAR_ZERO


@kernel
def limit_for(best: float, factor: float) -> np.int32:
    """Bits of the weighted bound above which a pair costs more than `best` beyond all tolerance."""
    return np.float32(within_tie(best) / factor * (1.0 + 1e-6)).view(np.int32)


@kernel
def block_minimum(row: Ints, weights: Singles, start: int, stop: int) -> np.int32:
    """Least bound × weight of a stretch of a row."""
    least = INFINITE
    for y in range(start, stop):
        least = min(least, weighted(row[y], weights[y]))
    return least


@kernel
def listed(pairs: Ints, count: int, x: int, y: int, now: int) -> int:
    """Add a pair to a list; returns its new length."""
    pairs[count, 0], pairs[count, 1], pairs[count, 2] = x, y, now
    return count + 1


@kernel
def look(
    s: Searched, other: Log, found: Candidates, x: int, limit: np.int32, best: float, known: int, side: int, now: int
) -> tuple[int, float]:
    """Evaluate the pairs of row x whose weighted bound is at most `limit`; returns (candidates so far, least cost).

    COARSE pairs are first evaluated over fine groups, and exactly where that does not lift them over the limit (with
    some margin, so that they are not soon looked at again). A pair that cannot cost as little as `best` is set aside
    until the next merge: FRESH, a candidate of infinite cost.
    """
    row, weights, counts = s.bounds[start_of(x) : start_of(x) + x], s.weights[s.size_class[x]], s.counts
    total, left = s.scalars[TOTAL], counts[ALIVE]
    relative, root = margins(s.fine_q.shape[1], s.scalars[DEEPEST])
    eager = np.float32(value(limit) * s.scalars[AHEAD]).view(np.int32)
    for start in range(0, x, BLOCK):
        stop = min(start + BLOCK, x)
        if block_minimum(row, weights, start, stop) > eager:
            continue
        for y in range(start, stop):
            kind = row[y] & KIND
            bound = weighted(row[y], weights[y])
            if bound > eager or kind == FRESH or (kind == EXACT and bound > limit):
                continue
            if kind == COARSE:
                d32 = pair_divergence(s.fine_q, s.fine_l, x, y)
                bits = stored(rounded_down(d32, relative, root), FINE)
                if weighted(bits, weights[y]) > eager:
                    row[y] = bits
                    counts[FINE_LISTED] = listed(s.fine_pairs, counts[FINE_LISTED], x, y, now)
                    continue
            if kind != EXACT:
                counts[EXACT_LISTED] = listed(s.exact_pairs, counts[EXACT_LISTED], x, y, now)
            w = weight(s.size[x], s.size[y], total, left)
            found.pairs[known, 0], found.pairs[known, 1], found.pairs[known, 2] = side, x, y
            if kind != EXACT or value(row[y]) * w <= within_tie(best):
                catch_up(s.q, s.l, s.seen, x, other.kept, other.joined, other.merges)
                catch_up(s.q, s.l, s.seen, y, other.kept, other.joined, other.merges)
                d = divergence(s.q, s.l, x, y)
                found.figures[known, 0], found.figures[known, 1] = d * w, d
                best = min(best, d * w)
                row[y] = stored(d, FRESH)
            else:
                found.figures[known, 0] = np.inf
                row[y] = (row[y] & VALUE) | np.int32(FRESH)
            known += 1
    return known, best


@kernel
def search(
    s: Searched, other: Log, found: Candidates, probe: bool, best: float, known: int, side: int, now: int
) -> tuple[int, float, int]:
    """Evaluate the pairs of a side that may cost as little as `best`; returns (candidates so far, least cost, lack).

    As a probe: stop as soon as any pair, one with the least bound, is evaluated. Otherwise, when nothing is lacking,
    every pair of the side within TIE of the least cost is a candidate: one that is not costs more, as its bound does.
    """
    low, counts = s.low, s.counts
    if counts[ALIVE] == 1:
        return known, best, DONE
    factor = scale(s.scalars[TOTAL], counts[ALIVE])
    x = -1
    while True:
        x = least_row(low) if probe else next_row(low, x + 1, limit_for(best, factor))
        if x == low.size:
            return known, best, DONE
        if max(counts[FINE_LISTED], counts[EXACT_LISTED]) + low.size > len(s.exact_pairs):
            return known, best, CROWDED
        if known + low.size > len(found.pairs):
            return known, best, MANY_TIES
        mine = s.weights[s.size_class[x]]
        low[x] = row_minimum(s.bounds, x, mine)
        if probe and low[x] > low[least_row(low)]:
            continue
        limit = low[x] if probe else limit_for(best, factor)
        if low[x] <= limit:
            known, best = look(s, other, found, x, limit, best=best, known=known, side=side, now=now)
            low[x] = row_minimum(s.bounds, x, mine)
        if probe and best < np.inf:
            return known, best, DONE
