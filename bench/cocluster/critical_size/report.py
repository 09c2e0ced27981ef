"""The tables: how far off each rule is, and on which trees."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from bench.cocluster.critical_size.boards import Case
from bench.cocluster.critical_size.rules import RULES, counting_all, learned
from cocluster import v_measure
from cocluster.equations.arrays import Floats, Ints

FAR = 0.25  # a miss: off by more than this share of the true number

Guesses = Mapping[str, Ints]


def report_grid(found: list[Case]) -> None:
    """For each n and k: what was found, and how far off it and other rules are; then by size, then every miss."""
    guesses = guessed(found)
    by_cell(found, guesses)
    sizes = np.array([case.n for case in found])
    shares = {f"n ≥ {least}": sizes >= least for least in (300, 600, 1000)} | {"n ≤ 450": sizes <= 450}
    for which, share in shares.items():
        if share.any():
            by_rule(which, found, guesses, share)
    misses(found, guesses)


def report_anywhere(found: list[Case]) -> None:
    """How far off each rule is on boards in one part and on others, and how good the cuts are."""
    guesses = {**guessed(found), "all items": _each(counting_all(case) for case in found), "learned": learned(found)}
    parts = np.array([case.parts for case in found])
    left_out = np.array([case.counted.tree.items < case.tree.items for case in found])
    cuts = {"true k": truths(found), "auto": guesses["auto"], "all items": guesses["all items"]}
    agreed = {name: agreements(found, ks) for name, ks in cuts.items()}
    shares = {
        "all": parts > 0,
        "boards in one part": parts == 1,
        "in several parts": parts > 1,
        "with parts too small to count": left_out,
    }
    for which, share in shares.items():
        if share.any():
            by_rule(which, found, guesses, share)
            print("  mean V at " + ", ".join(f"{name} {v[share].mean():.4f}" for name, v in agreed.items()))
    misses(found, guesses)


def guessed(found: list[Case]) -> dict[str, Ints]:
    """What each rule finds. "best V" knows the truth; "likeliest" knows the model that made the board."""
    return {name: _each(rule(case) for case in found) for name, rule in RULES.items()}


def by_cell(found: list[Case], guesses: Guesses) -> None:
    """A line for each n and k."""
    truth = truths(found)
    print(f"{'n':>5} {'k':>4}  " + "".join(f"{name:>10}" for name in guesses) + "  >25%  true:found by auto")
    for n, k in dict.fromkeys((case.n, case.k) for case in found):
        cell = np.array([case.n == n and case.k == k for case in found])
        means = "".join(f"{np.abs(guess - truth)[cell].mean():10.2f}" for guess in guesses.values())
        pairs = " ".join(f"{t}:{g}" for t, g in zip(truth[cell], guesses["auto"][cell], strict=True))
        print(f"{n:5d} {k:4d}  {means}  {far(guesses['auto'], truth)[cell].sum():4d}  {pairs}")


def by_rule(which: str, found: list[Case], guesses: Guesses, share: NDArray[np.bool_]) -> None:
    """A line for each rule, over a share of the trees."""
    truth = truths(found)
    held, planted = (np.array(values) for values in zip(*((case.held, case.k) for case in found), strict=True))
    print(f"{which}, {share.sum()} trees:")
    for name, guess in guesses.items():
        mean, of_held, of_planted = (np.abs(guess - other)[share].mean() for other in (truth, held, planted))
        print(
            f"  {name:9} mean |k̂−k| {mean:5.2f} ({of_held:.2f} against all that hold an item, {of_planted:.2f} against "
            f"all planted), off by >25 %: {far(guess, truth)[share].sum()}"
        )


def misses(found: list[Case], guesses: Guesses) -> None:
    """Every tree that "auto" misses, with what each rule finds there and how good the cuts are."""
    truth = truths(found)
    missed = np.flatnonzero(far(guesses["auto"], truth))
    at_truth, at_auto = (agreements(found, k) for k in (truth, guesses["auto"]))
    print(f"the {len(missed)} trees that auto misses, n true: found by {', '.join(guesses)}; V at true k and auto's")
    for number in missed:
        by_all = ", ".join(str(guess[number]) for guess in guesses.values())
        print(f"  {found[number].n:5d} {truth[number]:4d}: {by_all}; {at_truth[number]:.3f}, {at_auto[number]:.3f}")
    better = int(np.sum(at_auto[missed] > at_truth[missed]))
    print(f"the cut of auto agrees better than the one at the true k on {better} of them")


def far(guess: Ints, truth: Ints) -> NDArray[np.bool_]:
    """Which guesses are off by more than a quarter."""
    off: NDArray[np.bool_] = np.abs(guess - truth) > FAR * truth
    return off


def truths(found: list[Case]) -> Ints:
    """The true number of clusters of each tree."""
    return _each(case.truth for case in found)


def agreements(found: list[Case], ks: Ints) -> Floats:
    """V-measure of each tree cut into so many clusters."""
    return np.array([v_measure(case.labels, case.tree.cut(int(k))) for case, k in zip(found, ks, strict=True)])


def _each(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int64)
