from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cocluster.engine.bounds import all_minima
from cocluster.engine.side import EXACT_LISTED, FINE_LISTED
from cocluster.engine.duplicates import equal_rows
from cocluster.engine.preparation import COARSE_GROUPS, floor_of, make_side, regroup, renew, weigh
from cocluster.engine.steps import CROWDED, MANY_TIES, advance


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


def agglomerate(
    N: NDArray[np.float64],
    *,
    cost: Literal["composite", "divergence"] = "composite",
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
        progress: called at most about 200 times with (merges done, merges in all); what it raises ends the run.
    """
    n, m = N.shape
    size_rows = np.ones(n, np.int64) if row_sizes is None else np.array(row_sizes, np.int64)
    size_columns = np.ones(m, np.int64) if column_sizes is None else np.array(column_sizes, np.int64)
    in_all = n + m - 2
    merged = np.zeros((in_all, 3), np.int32)
    costs = np.zeros((in_all, 3))
    N, names_rows, size_rows, done = fold(np.ascontiguousarray(N), size_rows, merged, 0, 0)
    T, names_columns, size_columns, done = fold(np.ascontiguousarray(N.T), size_columns, merged, done, 1)
    N = np.ascontiguousarray(T.T)
    mass = N.sum()
    sides = []
    for matrix, size, names in ((N, size_rows, names_rows), (T, size_columns, names_columns)):
        masses = matrix.sum(axis=1)
        sides.append(make_side(matrix / masses[:, None], masses / mass, size, names,
                               float(size.sum()) if cost == "composite" else 0.0))
    docs, tags = sides
    del N, T, sides
    limits = [COARSE_GROUPS, COARSE_GROUPS]
    docs = regroup(weigh(docs), tags, joint, limits[0])
    tags = regroup(weigh(tags), docs, joint, limits[1])
    for s in (docs, tags):
        all_minima(s.bounds, s.low, s.alive, s.size_class, s.weights)
    floors = np.array([floor_of(docs.count[0]), floor_of(tags.count[0])])
    found = np.empty((4096 + 2 * max(n, m), 3), np.int64)
    figures = np.empty((len(found), 2))
    step = max(in_all // 100, 1)
    while done < in_all:
        until = min(done + step - done % step, in_all)
        done, need = advance(docs, tags, joint, done, until, floors, found, figures, merged, costs)
        if need == MANY_TIES:
            found = np.empty((2 * len(found), 3), np.int64)
            figures = np.empty((len(found), 2))
        elif need == CROWDED:
            if 2*docs.count[EXACT_LISTED]>len(docs.exact_since) or 2*docs.count[FINE_LISTED]>len(docs.fine_since):
                limits[0] = m; docs.bounds[:] &= ~3; docs.count[EXACT_LISTED]=0
                docs = regroup(docs, tags, joint, m); all_minima(docs.bounds, docs.low, docs.alive, docs.size_class, docs.weights)
            if 2*tags.count[EXACT_LISTED]>len(tags.exact_since) or 2*tags.count[FINE_LISTED]>len(tags.fine_since):
                limits[1] = n; tags.bounds[:] &= ~3; tags.count[EXACT_LISTED]=0
                tags = regroup(tags, docs, joint, n); all_minima(tags.bounds, tags.low, tags.alive, tags.size_class, tags.weights)
        elif docs.count[0] <= floors[0]:
            docs, tags = renew(docs, tags, joint, limits[0])
            floors[0] = floor_of(docs.count[0])
        elif tags.count[0] <= floors[1]:
            tags, docs = renew(tags, docs, joint, limits[1])
            floors[1] = floor_of(tags.count[0])
        if progress is not None and (done % step == 0 or done == in_all):
            progress(done, in_all)
    global COUNTS
    COUNTS=docs.count,tags.count
    return Merges(
        merged[:, 0].astype(np.int8), merged[:, 1].copy(), merged[:, 2].copy(),
        costs[:, 0].copy(), costs[:, 1].copy(), costs[:, 2].copy(),
    )
def widen(s):
    def more(a): return np.concatenate([a, np.empty_like(a)])
    return s._replace(fine_pairs=more(s.fine_pairs), fine_since=more(s.fine_since), exact_pairs=more(s.exact_pairs), exact_since=more(s.exact_since))

def fold(N, size, merged, done, side):
    leader = equal_rows(N)
    names = np.flatnonzero(leader == np.arange(len(N)))
    joining = np.flatnonzero(leader != np.arange(len(N)))
    joining = joining[np.argsort(leader[joining], kind="stable")]
    count = len(joining)
    merged[done:done+count, 0] = side
    merged[done:done+count, 1] = leader[joining]
    merged[done:done+count, 2] = joining
    if count:
        N = N.copy(); size=size.copy()
        np.add.at(N, leader[joining], N[joining])
        np.add.at(size, leader[joining], size[joining])
        N = N[names]; size=size[names]
    return N, names.astype(np.int32), size, done + count
