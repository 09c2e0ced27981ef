"""The trees of checkerboards, with what is true of them."""

from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed

from bench.cocluster.critical_size.likelihood import likeliest_cuts
from cocluster import checkerboard
from cocluster.equations.arrays import Floats, Ints, Sparse
from cocluster.equations.criterion import criterion_curves
from cocluster.equations.history import History, SideHistory, prune
from cocluster.evaluation.checkerboard import tile_rates
from cocluster.fit.components import connected_components, counted_items
from cocluster.pipeline import agglomerated, smoothed
from tagmodel import Dendrogram

ALPHA = BETA = 0.2
NS = (300, 450, 600, 800, 1000, 1400, 2000)
KS = (10, 20, 30, 40, 60, 80, 100)
LEAST_ITEMS = 8  # per cluster, on average
FIRST_SEED = 5000  # of the boards of any size


@dataclass(frozen=True)
class Case:
    """One tree of a checkerboard.

    Attributes:
        n: rows and columns that the board was drawn with.
        k: clusters that were planted.
        held: those of them that hold an item.
        labels: true cluster of each item.
        side: the tree of one side, with the information left.
        counted: the same without the items that "auto" does not count.
        clusters: of `counted`, for k = 1…n clusters of `tree`.
        parts: parts of the board that nothing connects.
        likeliest: the cut that makes the board most likely.
    """

    n: int
    k: int
    held: int
    labels: Ints
    side: SideHistory
    counted: SideHistory
    clusters: Ints
    parts: int
    likeliest: int

    @property
    def tree(self) -> Dendrogram:
        """The tree of this side."""
        return self.side.tree

    @property
    def truth(self) -> int:
        """The clusters that can be told apart."""
        return len(np.unique(self.labels))


def grid(seeds: range) -> list[tuple[int, int, int]]:
    """n, k and seed of a checkerboard for each cell that leaves enough items per cluster."""
    return [(n, k, seed) for n in NS for k in KS if n / k >= LEAST_ITEMS for seed in seeds]


def anywhere(count: int) -> list[tuple[int, int, int]]:
    """n, k and seed of checkerboards of any size between the ends of the grid, log-uniform."""
    random = np.random.default_rng(FIRST_SEED)
    cells: list[tuple[int, int, int]] = []
    while len(cells) < count:
        n, k = (round(float(np.exp(random.uniform(*np.log(ends))))) for ends in ((NS[0], NS[-1]), (KS[0], KS[-1])))
        if n / k >= LEAST_ITEMS:
            cells.append((n, k, FIRST_SEED + len(cells)))
    return cells


def cases(cells: list[tuple[int, int, int]], jobs: int) -> list[Case]:
    """Both trees of the checkerboards with these n, k and seeds."""
    pairs = Parallel(n_jobs=jobs)(delayed(checkerboard_cases)(*cell) for cell in cells)
    return [case for pair in pairs for case in pair]


def checkerboard_cases(n: int, k: int, seed: int) -> list[Case]:
    """The tree of the rows and the tree of the columns."""
    X, rows, columns = checkerboard(n=n, m=n, k=k, alpha=ALPHA, beta=BETA, seed=seed)
    rates = tile_rates(k, k, ALPHA, BETA, np.random.default_rng(seed))
    history, counted = clustered(X), counted_leaves(X)
    left = prune(history, *counted)
    parts = len(np.unique(np.concatenate(connected_components(X))))
    first = [curve.best_k for curve in criterion_curves(history, "auto", *counted)]
    likeliest = likeliest_cuts(X.toarray(), history, first, most=3 * k + 10)
    sides = zip(
        (rows, columns),
        (rates, rates.T),
        (history.rows, history.columns),
        (left.history.rows, left.history.columns),
        (left.row_clusters, left.column_clusters),
        likeliest,
        strict=True,
    )
    return [
        Case(n, k, len(np.unique(labels)), distinguishable(labels, rate), side, own, clusters, parts, cut)
        for labels, rate, side, own, clusters, cut in sides
    ]


def counted_leaves(X: Sparse) -> tuple[Ints, Ints]:
    """The items of each leaf that "auto" counts, of the trees of rows and of columns whose leaves are all items."""
    rows, columns = counted_items(*connected_components(X))
    return rows.astype(np.int64), columns.astype(np.int64)


def distinguishable(labels: Ints, rates: Floats) -> Ints:
    """The true clusters, those with proportional tile rates as one.

    KL^J compares how the mass of a cluster is spread, not how much there is: two clusters with the same single
    tile have one distribution, and differ in nothing that the method looks at.
    """
    held, members = np.unique(labels, return_inverse=True)
    spread = rates[held] / rates[held].sum(axis=1, keepdims=True)
    kinds = np.unique(np.round(spread, 9), axis=0, return_inverse=True)[1].reshape(-1)
    return kinds[members].astype(np.int64)


def clustered(X: Sparse) -> History:
    """Every merge of both sides."""

    def silent(stage: str, done: int, total: int) -> None:
        pass

    return agglomerated(smoothed(X, 1e-6, silent).matrix, "composite", joint=True, progress=silent)
