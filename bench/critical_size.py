"""How well critical_size="auto" (math.md, eq. 10) finds the number of clusters of checkerboards.

python -m bench.critical_size evaluate   # seeds the rule was not chosen on: the table of docs/math.md
python -m bench.critical_size tune       # how the numbers of SizeRange were chosen, on other seeds
python -m bench.critical_size corpora    # what it gives on samples of real corpora
"""

import argparse
import gzip
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import coo_array

from cocluster import checkerboard, incidence, v_measure
from cocluster.arrays import Floats, Ints, Sparse
from cocluster.checkerboard import tile_rates
from cocluster.critical_size import AUTOMATIC, SizeRange, averaged_entropy, fixed_entropy
from cocluster.cut import labels_at
from cocluster.history import History, Tree
from cocluster.pipeline import agglomerated, smoothed

NS = (300, 450, 600, 800, 1000, 1400, 2000)
KS = (10, 20, 30, 40, 60, 80, 100)
ALPHA = BETA = 0.2
LEAST_ITEMS = 8  # per cluster, on average
TUNING_SEEDS = range(5)
EVALUATION_SEEDS = range(2000, 2003)
CORPORA = Path(__file__).parents[2] / "shared" / "corpora"


@dataclass(frozen=True)
class Case:
    """One tree of a checkerboard with the true cluster of each item, and how many were planted and hold an item."""

    n: int
    k: int
    held: int
    labels: Ints
    tree: Tree
    likeliest: int

    @property
    def truth(self) -> int:
        """The clusters that can be told apart."""
        return len(np.unique(self.labels))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["evaluate", "tune", "corpora"])
    parser.add_argument("--jobs", type=int, default=2, choices=[1, 2])
    parser.add_argument("--steps", type=int, default=300, help="settings to try when tuning")
    parser.add_argument("--documents", type=int, default=2500, help="documents taken of each corpus")
    options = parser.parse_args()
    if options.what == "evaluate":
        report(cases(EVALUATION_SEEDS, options.jobs))
    elif options.what == "tune":
        tune(cases(TUNING_SEEDS, options.jobs), options.steps)
    else:
        corpora(options.documents)


def cases(seeds: range, jobs: int) -> list[Case]:
    """Both trees of a checkerboard for each n, k and seed."""
    grid = [(n, k, seed) for n in NS for k in KS if n / k >= LEAST_ITEMS for seed in seeds]
    pairs = Parallel(n_jobs=jobs)(delayed(checkerboard_cases)(*cell) for cell in grid)
    return [case for pair in pairs for case in pair]


def checkerboard_cases(n: int, k: int, seed: int) -> list[Case]:
    X, rows, columns = checkerboard(n=n, m=n, k=k, alpha=ALPHA, beta=BETA, seed=seed)
    rates = tile_rates(k, k, ALPHA, BETA, np.random.default_rng(seed))
    past = clustered(X)
    likeliest = likeliest_cuts(X.toarray(), past, 3 * k + 10)
    return [
        Case(n, k, len(np.unique(labels)), distinguishable(labels, rate), tree, cut)
        for labels, rate, tree, cut in zip(
            (rows, columns), (rates, rates.T), (past.rows, past.columns), likeliest, strict=True
        )
    ]


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
    def silent(stage: str, done: int, total: int) -> None:
        pass

    return agglomerated(smoothed(X, 1e-6, silent).matrix, "composite", joint=True, progress=silent)


def chosen(tree: Tree, entropy: np.ndarray[tuple[int], np.dtype[np.float64]]) -> int:
    """The argmax of H*_rel × I over k = 1…n, the fewest clusters when several are best."""
    information = np.concatenate([[tree.start], tree.information])[::-1]
    return int(np.argmax(entropy * information)) + 1


def automatic(over: SizeRange = AUTOMATIC) -> Callable[[Tree], int]:
    return lambda tree: chosen(tree, averaged_entropy(tree, over))


def fixed(critical_size: Callable[[int], int]) -> Callable[[Tree], int]:
    return lambda tree: chosen(tree, fixed_entropy(tree, critical_size(tree.items)))


def agreeing(case: Case) -> int:
    """The k at which the tree agrees best with the truth, by V-measure: what a rule that knew the truth would pick."""
    tried = range(2, min(case.tree.items, 3 * case.truth) + 1)
    return max(tried, key=lambda k: v_measure(case.labels, labels_at(case.tree, k)))


def likeliest_cuts(X: Floats, past: History, most: int) -> tuple[int, int]:
    """The cuts of both trees that make the board most likely, each in turn until both stay."""
    rule = automatic()
    rows, columns = rule(past.rows), rule(past.columns)
    for _ in range(4):
        before = rows, columns
        rows = likeliest_cut(X, past.rows, labels_at(past.columns, columns), most)
        columns = likeliest_cut(X.T, past.columns, labels_at(past.rows, rows), most)
        if (rows, columns) == before:
            break
    return rows, columns


def likeliest_cut(X: Floats, tree: Tree, others: Ints, most: int) -> int:
    """The cut that makes the board most likely as what it is, blocks of coin tosses, given the other side's clusters.

    What the blocks and the memberships cost to tell counts against it (integrated completed likelihood).
    """
    member = np.eye(others.max() + 1)[others]
    counts, sizes = X @ member, member.sum(axis=0)
    tried = range(2, min(len(X) // 3, most))
    return max(tried, key=lambda k: completed_likelihood(counts, labels_at(tree, k), sizes))


def completed_likelihood(counts: Floats, labels: Ints, others: Floats) -> float:
    """Log P(board, memberships) with a Beta(1, 1) on each block, by Stirling: BIC's penalty block by block."""
    member = np.eye(labels.max() + 1)[labels]
    sizes = member.sum(axis=0)
    cells = np.outer(sizes, others)
    p = np.clip(member.T @ counts / cells, 1e-12, 1 - 1e-12)
    likelihood = np.sum(cells * (p * np.log(p) + (1 - p) * np.log1p(-p))) - 0.5 * np.sum(np.log(cells))
    return float(likelihood + np.sum(sizes * np.log(sizes / sizes.sum())))


def report(found: list[Case]) -> None:
    """For each n and k: what was found, and how far off it and other rules are.

    Two are simpler; "best V" knows the truth; "likeliest" knows the model that made the board.
    """
    rules = {
        "auto": automatic(),
        "r=8": fixed(lambda _: 8),
        "r=√n/4": fixed(lambda n: round(math.sqrt(n) / 4)),
    }
    guesses = {name: np.array([rule(case.tree) for case in found]) for name, rule in rules.items()}
    guesses["best V"] = np.array([agreeing(case) for case in found])
    guesses["likeliest"] = np.array([case.likeliest for case in found])
    truth = np.array([case.truth for case in found])
    others = {"all that hold an item": [case.held for case in found], "all planted": [case.k for case in found]}
    errors = {name: np.abs(guess - truth) for name, guess in guesses.items()}
    print(f"{'n':>5} {'k':>4}  " + "".join(f"{name:>10}" for name in guesses) + "  >25%  true:found by auto")
    for n, k in dict.fromkeys((case.n, case.k) for case in found):
        cell = np.array([case.n == n and case.k == k for case in found])
        means = "".join(f"{errors[name][cell].mean():10.2f}" for name in guesses)
        far = int(np.sum(errors["auto"][cell] > 0.25 * truth[cell]))
        pairs = " ".join(f"{t}:{g}" for t, g in zip(truth[cell], guesses["auto"][cell], strict=True))
        print(f"{n:5d} {k:4d}  {means}  {far:4d}  {pairs}")
    sizes = np.array([case.n for case in found])
    parts = {f"n ≥ {least}": sizes >= least for least in (300, 600, 1000)} | {"n ≤ 450": sizes <= 450}
    for which, part in parts.items():
        print(f"{which}, {part.sum()} trees:")
        for name, guess in guesses.items():
            far = np.sum(errors[name][part] > 0.25 * truth[part])
            against = ", ".join(
                f"{np.abs(guess - other)[part].mean():.2f} against {of}" for of, other in others.items()
            )
            print(f"  {name:9} mean |k̂−k| {errors[name][part].mean():5.2f} ({against}), off by >25 %: {far}")
    missed = errors["auto"] > 0.25 * truth
    print(f"the {missed.sum()} trees that auto misses, n true: found by {', '.join(guesses)}; V at true k and auto's")
    for number in np.flatnonzero(missed):
        case, true = found[number], int(truth[number])
        at_truth, at_auto = (
            v_measure(case.labels, labels_at(case.tree, k)) for k in (true, int(guesses["auto"][number]))
        )
        by_all = ", ".join(str(guess[number]) for guess in guesses.values())
        print(f"  {case.n:5d} {true:4d}: {by_all}; {at_truth:.3f}, {at_auto:.3f}")


def tune(found: list[Case], steps: int) -> None:
    """A random climb from the numbers in use; every improvement is printed."""
    random = np.random.default_rng(0)
    best, least = AUTOMATIC, loss(found, AUTOMATIC)
    print(f"{least:.3f}  {best}  (in use)")
    scale = {"least": 0.4, "share": 0.0005, "spread": 0.2, "low": 0.08, "high": 0.1, "penalty": 0.1}
    for _ in range(steps):
        changed = {
            name: getattr(best, name) + random.normal() * width
            for name, width in scale.items()
            if random.random() < 0.5
        }
        trial = replace(best, **changed)
        if not (trial.spread > 1.05 and 0.02 < trial.low < trial.high - 0.02 and trial.penalty >= 0):
            continue
        now = loss(found, trial)
        if now < least:
            best, least = trial, now
            print(f"{least:.3f}  {best}", flush=True)


def loss(found: list[Case], over: SizeRange) -> float:
    """Mean |k̂−k| over the cells, and a fine for each tree that is off by more than 25 %."""
    rule = automatic(over)
    off = np.array([abs(rule(case.tree) - case.truth) for case in found])
    truth = np.array([case.truth for case in found])
    return float(off.mean() + 10 * np.mean(off > 0.25 * truth))


def corpora(documents: int) -> None:
    """The number of clusters "auto" gives on samples of the real corpora."""
    if not CORPORA.exists():
        print(f"{CORPORA} is not there: nothing to measure")
        return
    for path in sorted(CORPORA.glob("*.jsonl.gz")):
        X = incidence(read(path, documents)).matrix
        past = clustered(X)
        rule = automatic()
        print(
            f"{path.name.split('.')[0]:16} {X.shape[0]:5d} documents in {rule(past.rows):4d} clusters, "
            f"{X.shape[1]:5d} tags in {rule(past.columns):4d}",
            flush=True,
        )


def read(path: Path, documents: int) -> Sparse:
    """Documents × tags of the first documents of a corpus."""
    names: dict[str, int] = {}

    def places() -> Iterator[tuple[int, int]]:
        with gzip.open(path, "rt") as lines:
            for row, line in enumerate(lines):
                if row == documents:
                    return
                yield from ((row, names.setdefault(tag, len(names))) for tag in set(json.loads(line)["tags"]))

    rows, columns = zip(*places(), strict=True)
    X: Sparse = coo_array((np.ones(len(rows)), (rows, columns))).tocsr()
    return X


if __name__ == "__main__":
    main()
