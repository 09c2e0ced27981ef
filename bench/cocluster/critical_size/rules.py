"""Rules for the number of clusters of a tree: ours, simpler ones, and ones that know more than the tree says."""

import math
from collections.abc import Callable

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.model_selection import GroupKFold

from bench.cocluster.critical_size.boards import Case
from cocluster import v_measure
from cocluster.equations.arrays import Floats, Ints
from cocluster.equations.critical_size import AUTOMATIC, SizeRange, averaged_entropy, fixed_entropy
from cocluster.equations.history import SideHistory

FOLDS = 5
FIXED_SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30)
AROUND = (0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0, 3.0)
QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


def automatic(case: Case, over: SizeRange = AUTOMATIC) -> int:
    """critical_size="auto"."""
    counted = chosen(case.counted, averaged_entropy(case.counted.tree, over))
    return int(np.argmax(case.clusters == counted)) + 1  # the fewest clusters that hold so many


def counting_all(case: Case) -> int:
    """critical_size="auto", were the parts of the board that are too small to count not left out."""
    return chosen(case.side, averaged_entropy(case.tree))


def fixed(critical_size: Callable[[int], int]) -> Callable[[Case], int]:
    """One critical size, given the number of items."""
    return lambda case: chosen(case.side, fixed_entropy(case.tree, critical_size(case.tree.items)))


def chosen(side: SideHistory, entropy: Floats) -> int:
    """The argmax of H*_rel × I over k = 1…n, the fewest clusters when several are best."""
    return int(np.argmax(entropy * informations(side))) + 1


def informations(side: SideHistory) -> Floats:
    """I for k = 1…n clusters."""
    return np.concatenate([[side.start], side.information])[::-1]


def agreeing(case: Case) -> int:
    """The k at which the tree agrees best with the truth, by V-measure: what a rule that knew the truth would pick."""
    tried = range(2, min(case.tree.items, 3 * case.truth) + 1)
    return max(tried, key=lambda k: v_measure(case.labels, case.tree.cut(k)))


RULES: dict[str, Callable[[Case], int]] = {
    "auto": automatic,
    "r=8": fixed(lambda _: 8),
    "r=√n/4": fixed(lambda n: round(math.sqrt(n) / 4)),
    "best V": agreeing,
    "likeliest": lambda case: case.likeliest,
}


def learned(found: list[Case]) -> Ints:
    """What randomised trees make of everything that a tree shows, learned from the other boards by their truth.

    Not a rule to use: it knows from hundreds of boards how boards come out, and says nothing about a corpus.
    """
    known = np.array([features(case) for case in found])
    truth = np.log([case.truth for case in found])
    board = np.arange(len(found)) // 2
    guess = np.empty(len(found))
    for others, own in GroupKFold(FOLDS).split(known, groups=board):
        model = ExtraTreesRegressor(300, min_samples_leaf=2, random_state=0, n_jobs=2)
        guess[own] = model.fit(known[others], truth[others]).predict(known[own])
    return np.exp(guess).round().astype(np.int64)


def features(case: Case) -> list[float]:
    """n, k̂ of several rules, and around that of "auto" the information left and the sizes of the clusters."""
    side, tree, k = case.side, case.tree, automatic(case)
    left = informations(side) / side.start
    counts = [tree.items, k, counting_all(case), *(chosen(side, fixed_entropy(tree, size)) for size in FIXED_SIZES)]
    values = [math.log(count) for count in counts]
    for factor in AROUND:
        there = min(max(2, round(k * factor)), tree.leaves)
        sizes = np.bincount(tree.cut(there)) * there / tree.items
        values += [float(left[there - 1]), *np.quantile(sizes, QUANTILES).tolist()]
    return values
