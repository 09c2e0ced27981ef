"""Measure what is missing, then write the table and the plot: python -m bench.worker.suggest"""

import argparse
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from bench.cocluster.stability.table import machine
from bench.places import CORPORA, IMAGES, RESULTS
from bench.trials import Trials
from bench.worker.suggest import __doc__ as usage
from bench.worker.suggest.again import again_table
from bench.worker.suggest.hindsight import hindsight
from bench.worker.suggest.many import many_table
from bench.worker.suggest.measuring import our_result, rival_result
from bench.worker.suggest.plot import plot_frontier
from bench.worker.suggest.rivals import RIVALS
from bench.worker.suggest.sample import sample_table
from bench.worker.suggest.splits import NAMES, SEEDS, matrix, split
from bench.worker.suggest.table import OURS, table
from bench.worker.suggest.trials import measured_on, trial_name


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.worker.suggest", description=usage, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "what", nargs="?", choices=["measure", "report", "again", "sample", "many", "hindsight"], default="measure"
    )
    options = parser.parse_args()
    if options.what != "report" and not CORPORA.exists():
        raise SystemExit(f"{CORPORA} is not there: nothing to measure")
    trials = Trials("suggest")
    if options.what == "sample":
        (RESULTS / "suggest-sample.md").write_text(sample_table(), encoding="utf-8")
    elif options.what == "again":
        (RESULTS / "suggest-again.md").write_text(again_table(trials), encoding="utf-8")
    elif options.what == "many":
        (RESULTS / "suggest-many.md").write_text(many_table(), encoding="utf-8")
    elif options.what == "hindsight":
        (RESULTS / "suggest-hindsight.md").write_text(hindsight(trials), encoding="utf-8")
    else:
        if options.what == "measure":
            measure_all(trials)
        report(trials)


def measure_all(trials: Trials) -> None:
    """ALS takes as long as all others and comes last."""
    for slow in (False, True):
        for seed in SEEDS:
            for name in NAMES:
                measure(trials, name, seed, slow=slow)


def measure(trials: Trials, name: str, seed: int, *, slow: bool) -> None:
    """Every ranker on one split, unless its result is there; ALS only if slow ones are wanted."""
    wanted: dict[str, Callable[[Any], dict[str, Any]]] = {
        OURS["exact"]: lambda trial: our_result(trial, seed, "exact"),
        OURS["local"]: lambda trial: our_result(trial, seed, "local"),
    }
    for rival in RIVALS:
        if "implicit" in rival.name and find_spec("implicit") is None:
            print(f"{rival.name}: not installed, left out", file=sys.stderr)
        elif slow or "ALS" not in rival.name:
            wanted[rival.name] = lambda trial, rival=rival: rival_result(rival, trial, seed)  # type: ignore[misc]
    missing = {ranker: run for ranker, run in wanted.items() if trials.get(trial_name(name, seed, ranker)) is None}
    if not missing:
        return
    trial = split(matrix(name), seed)
    shape = {"documents": trial.train.shape[0], "tags": trial.train.shape[1], "asked": len(trial.documents)}
    for ranker, run in missing.items():
        began = time.perf_counter()
        trials.put(trial_name(name, seed, ranker), {**shape, "machine": machine(), **run(trial)})
        print(f"{name} {seed} {ranker}: {time.perf_counter() - began:.0f} s", flush=True)


def report(trials: Trials) -> None:
    """The table and the plot, of whatever has been measured."""
    trials.collect()
    results = measured_on(trials)
    (RESULTS / "suggest.md").write_text(table(results), encoding="utf-8")
    plot_frontier(results, IMAGES / "suggest.png")


if __name__ == "__main__":
    main()
