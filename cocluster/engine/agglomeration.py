"""Agglomerates both sides of a matrix: the loop that finds and makes one merge after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cocluster.engine.bounds import EXACT, FINE, INFINITE, fill_row, follow_all, follow_listed, in_singles
from cocluster.engine.candidates import chosen, settle, unchanged, weigh_again
from cocluster.engine.duplicates import equal_rows
from cocluster.engine.features.regrouping import regrouped, relieved
from cocluster.engine.features.shares import catch_up, transposed
from cocluster.engine.kernel import Floats, Ints, Longs
from cocluster.engine.merge import copy_groups, join_groups, join_shares, move_feature
from cocluster.engine.renewal import make_side, next_weighing, renewed, reweighed
from cocluster.engine.search import CROWDED, DONE, MANY_TIES, least_bound, search, within_tie
from cocluster.engine.side import (
    ALIVE,
    CROSSINGS,
    DEEPEST,
    EXACT_LISTED,
    FINE_LISTED,
    LOGGED,
    NEVER,
    RATIO,
    TOTAL,
    Candidates,
    Side,
    no_candidates,
)
from cocluster.engine.weights import Cost, reweigh, total_of


@dataclass(frozen=True)
class Merges:
    """One row per merge, in the order they were made; documents and tags interleaved.

    Attributes:
        side: 0 documents, 1 tags.
        a: the cluster that stays, named by its smallest member; a < b.
        b: the cluster that joins it.
        cost: D*, math.md (8).
        divergence: KL^J in bits, math.md (7).
        loss: information lost by this merge in bits, math.md (9).
    """

    side: NDArray[np.int8]
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    cost: NDArray[np.float64]
    divergence: NDArray[np.float64]
    loss: NDArray[np.float64]


class Record:
    """Collects the merges and reports progress."""

    REPORTS = 100

    def __init__(self, in_all: int, progress: Callable[[int, int], None] | None) -> None:
        self.in_all = in_all
        self.done = 0
        self.who = np.empty((in_all, 3), np.int32)
        self.figures = np.zeros((in_all, 3))
        self.progress = progress

    def add(self, side: int, a: int, b: int, cost: float, divergence: float, loss: float) -> None:
        """One more merge."""
        self.who[self.done] = side, a, b
        self.figures[self.done] = cost, divergence, loss
        self.done += 1
        if self.progress is not None and (
            self.done == self.in_all or self.done % (self.in_all // self.REPORTS + 1) == 0
        ):
            self.progress(self.done, self.in_all)

    def merges(self) -> Merges:
        """All merges as arrays."""
        side, a, b = self.who.T.copy()
        return Merges(side.astype(np.int8), a, b, *self.figures.T.copy())


def agglomerate(
    N: NDArray[np.float64],
    *,
    cost: Cost = "composite",
    joint: bool = True,
    row_sizes: NDArray[np.int64] | None = None,
    column_sizes: NDArray[np.int64] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Merges:
    """Every merge of rows and of columns of N, the cheapest over both sides first, math.md (8).

    Args:
        N: strictly positive and finite, rows × columns (M* after teleport).
        cost: KL^J × W, or KL^J alone.
        joint: whether each side is compared over the clusters of the other side or over its single items.
        row_sizes: items each row stands for, one each by default.
        column_sizes: likewise for columns.
        progress: called at most about 200 times with (merges done, merges in all); an exception from it ends the run.
    """
    unit = np.ones(max(N.shape), np.int64)
    sizes = (
        unit[: len(N)] if row_sizes is None else np.asarray(row_sizes, np.int64),
        unit[: N.shape[1]] if column_sizes is None else np.asarray(column_sizes, np.int64),
    )
    record = Record(sum(N.shape) - 2, progress)
    sides = prepared(np.ascontiguousarray(N), sizes, cost, joint, record)
    floors = [next_weighing(s.clusters) for s in sides]
    room = 4096 + 2 * max(N.shape)
    candidates = no_candidates(room)
    same = 0
    while record.done < record.in_all:
        for i in (0, 1):
            if sides[i].clusters <= floors[i]:
                sides[i], sides[1 - i] = renewed(sides[i], sides[1 - i], joint)
                floors[i] = next_weighing(sides[i].clusters)
                same = 0  # slots may have new numbers
        known, lack, i = find_candidates(sides, record.done, candidates, same)
        same = 0
        if lack == MANY_TIES:
            room *= 2
            candidates = no_candidates(room)
        elif lack == CROWDED:
            sides[i] = reweighed(relieved(sides[i], sides[1 - i], joint))
        else:
            same = merge(sides, joint, candidates, known, record)
    return record.merges()


def fold(N: Floats, size: Longs, side: int, record: Record) -> tuple[Floats, Longs, Ints]:
    """Equal rows merged at no cost, lowest ids first: the rows left, their sizes and names."""
    leader = equal_rows(N)
    own = np.arange(len(N))
    joining = np.flatnonzero(leader != own)
    if len(joining) == 0:
        return N, size.copy(), own.astype(np.int32)
    names, place = np.unique(leader, return_inverse=True)
    folded, sizes = N[names], size[names]
    for b in joining[np.argsort(leader[joining], kind="stable")]:
        folded[place[b]] += N[b]
        sizes[place[b]] += size[b]
        record.add(side, leader[b], b, 0.0, 0.0, 0.0)
    return folded, sizes, names.astype(np.int32)


def prepared(N: Floats, sizes: tuple[Longs, Longs], cost: Cost, joint: bool, record: Record) -> list[Side]:
    """Both sides with bounds for all pairs, duplicates merged."""
    totals = [total_of(cost, size) for size in sizes]
    N, row_size, rows = fold(N, sizes[0], 0, record)
    T = transposed(N)
    folded, column_size, columns = fold(T, sizes[1], 1, record)
    if folded is not T:
        N, T = transposed(folded), folded
    docs, tags = make_side(N, row_size, rows, totals[0]), make_side(T, column_size, columns, totals[1])
    del N, T, folded
    docs = reweighed(regrouped(docs, tags, joint))
    tags = reweighed(regrouped(tags, docs, joint))
    return [docs, tags]


def look_at(
    s: Side, o: Side, side: int, now: int, probe: bool, candidates: Candidates, known: int, best: float
) -> tuple[int, float, int]:
    """search.search on side s."""
    answer: tuple[int, float, int] = search(
        s.searched, o.log, candidates, probe, best=best, known=known, side=side, now=now
    )
    return answer


def find_candidates(sides: list[Side], now: int, candidates: Candidates, same: int) -> tuple[int, int, int]:
    """Find the candidates for the next merge; returns how many, what was lacking, and on which side.

    The first `same` candidates are those of the last merge that it left as they were.
    """
    least = [least_bound(s.low, s.counts, s.scalars) for s in sides]
    first = int(least[1] < least[0])
    side, order = first, [1 - first, first]
    known, best, lack = same, np.inf, DONE
    if same:
        for i, s in enumerate(sides):
            best = weigh_again(s.bounds, s.size, s.scalars[TOTAL], s.counts[ALIVE], *candidates, same, i, best)
    else:
        known, best, lack = look_at(sides[first], sides[1 - first], first, now, True, candidates, 0, np.inf)
    while lack == DONE and order:
        side, *order = order
        s = sides[side]
        if least_bound(s.low, s.counts, s.scalars) <= within_tie(best):
            known, best, lack = look_at(s, sides[1 - side], side, now, False, candidates, known, best)
    for i, s in enumerate(sides):
        settle(s.bounds, s.low, s.size_class, s.weights, candidates.pairs, known, i)
    return known, lack, side


def merge(sides: list[Side], joint: bool, candidates: Candidates, known: int, record: Record) -> int:
    """Merge the clusters of the chosen candidate and update the bounds; returns how many candidates are as before."""
    c = chosen(*candidates, known)
    side, b, a = (int(i) for i in candidates.pairs[c])
    s, o = sides[side], sides[1 - side]
    for x in (a, b):  # a candidate from before may have rows of before
        catch_up(s.q, s.l, s.seen, x, o.kept, o.joined, o.counts[LOGGED])
    share_a = s.mass[a] / (s.mass[a] + s.mass[b])
    join_groups(s.fine.sums, s.fine.q, s.fine.l, a, b, share_a)
    join_groups(s.coarse.sums, s.coarse.q.T, s.coarse.l.T, a, b, share_a)
    lost = join_shares(a, b, s.q, s.l, s.mass, s.log_mass, o.u, o.v, o.mass, o.log_mass, o.alive, joint)
    retire(s, a, b, record.done, joint)
    reweigh(
        s.weights, a, b, s.size, s.size_class, s.class_size, s.class_members, s.alive,
        s.scalars[TOTAL], s.scalars[RATIO],
    )  # fmt: skip
    fill_row(s.bounds, s.low, s.coarse.q, s.coarse.l, s.alive, s.size_class, s.weights, a, s.scalars[DEEPEST])
    if joint:
        follow(o, a, b, share_a >= 0.5)
    record.add(side, s.name[a], s.name[b], candidates.figures[c, 0], candidates.figures[c, 1], lost)
    same: int = unchanged(*candidates, known, side, a, b, o.q, o.l, joint)
    return same


def retire(s: Side, a: int, b: int, now: int, joint: bool) -> None:
    """Empty slot b, put the new cluster into slot a, and log the merge."""
    s.size[a] += s.size[b]
    s.alive[b] = False
    s.born[a], s.born[b] = now + 1, NEVER
    s.low[b] = INFINITE
    s.counts[ALIVE] -= 1
    if joint:
        s.kept[s.counts[LOGGED]], s.joined[s.counts[LOGGED]] = a, b
        s.counts[LOGGED] += 1


def follow(o: Side, a: int, b: int, b_moves: bool) -> None:
    """Update the bounds of side o after its features a and b became one (o.u, o.v hold the change)."""
    shares = o.u[:, :2].copy()
    o.counts[EXACT_LISTED] = follow_listed(
        o.bounds,
        o.low,
        o.exact_pairs,
        o.counts[EXACT_LISTED],
        EXACT,
        o.born,
        o.size_class,
        o.weights,
        o.u,
        o.v,
    )
    g = o.fine
    target, source = move_feature(a, b, b_moves, shares, g.of, g.members, g.sums, o.alive, o.u, o.v)
    if target >= 0:
        copy_groups(g.sums, g.q, g.l, target, source)
        o.counts[FINE_LISTED] = follow_listed(
            o.bounds,
            o.low,
            o.fine_pairs,
            o.counts[FINE_LISTED],
            FINE,
            o.born,
            o.size_class,
            o.weights,
            o.u,
            o.v,
        )
    g = o.coarse
    target, source = move_feature(a, b, b_moves, shares, g.of, g.members, g.sums, o.alive, o.u, o.v)
    if target >= 0:
        copy_groups(g.sums, g.q.T, g.l.T, target, source)
        follow_all(o.bounds, o.low, o.alive, o.size_class, o.weights, *in_singles(o.u, o.v, o.alive))
        o.counts[CROSSINGS] += 1
