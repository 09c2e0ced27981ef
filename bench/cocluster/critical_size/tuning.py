"""How the numbers of SizeRange were chosen."""

from dataclasses import replace

import numpy as np

from bench.cocluster.critical_size.boards import Case
from bench.cocluster.critical_size.rules import automatic
from cocluster.equations.critical_size import AUTOMATIC, SizeRange


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
    off = np.array([abs(automatic(case, over) - case.truth) for case in found])
    truth = np.array([case.truth for case in found])
    return float(off.mean() + 10 * np.mean(off > 0.25 * truth))
