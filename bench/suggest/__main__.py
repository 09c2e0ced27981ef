import argparse
import json
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from bench.stability.table import machine
from bench.suggest import __doc__ as usage
from bench.suggest.measuring import our_result, rival_result
from bench.suggest.plot import plot_frontier
from bench.suggest.rivals import RIVALS
from bench.suggest.splits import CORPORA, NAMES, SEEDS, matrix, split
from bench.suggest.table import OURS, Results, table

RESULTS: Final = Path(__file__).parents[1] / "results"
IMAGES: Final = Path(__file__).parents[2] / "docs" / "images"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.suggest", description=usage, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=["measure", "report"], default="measure")
    options = parser.parse_args()
    if options.what == "measure":
        if not CORPORA.exists():
            raise SystemExit(f"{CORPORA} is not there: nothing to measure")
        for slow in (False, True):
            for seed in SEEDS:
                for name in NAMES:
                    measure(name, seed, slow=slow)
    report()


def measure(name: str, seed: int, *, slow: bool) -> None:
    """Every ranker on one split, unless its result is there; ALS takes as long as all others and comes last."""
    wanted: dict[str, Callable[[Any], dict[str, Any]]] = {
        OURS["exact"]: lambda trial: our_result(trial, seed, "exact"),
        OURS["local"]: lambda trial: our_result(trial, seed, "local"),
    }
    for rival in RIVALS:
        if "implicit" in rival.name and find_spec("implicit") is None:
            print(f"{rival.name}: not installed, left out", file=sys.stderr)
        elif slow or "ALS" not in rival.name:
            wanted[rival.name] = lambda trial, rival=rival: rival_result(rival, trial, seed)  # type: ignore[misc]
    missing = {ranker: run for ranker, run in wanted.items() if not place(name, seed, ranker).exists()}
    if not missing:
        return
    trial = split(matrix(name), seed)
    shape = {"documents": trial.train.shape[0], "tags": trial.train.shape[1], "asked": len(trial.documents)}
    for ranker, run in missing.items():
        began = time.perf_counter()
        write(place(name, seed, ranker), {"ranker": ranker, **shape, "machine": machine(), **run(trial)})
        print(f"{name} {seed} {ranker}: {time.perf_counter() - began:.0f} s", flush=True)


def report() -> None:
    """The table and the plot, of whatever has been measured."""
    rankers = [*OURS.values(), *(rival.name for rival in RIVALS)]
    found: Results = {
        name: {
            ranker: [
                json.loads(place(name, seed, ranker).read_text(encoding="utf-8"))
                for seed in SEEDS
                if place(name, seed, ranker).exists()
            ]
            for ranker in rankers
        }
        for name in NAMES
    }
    (RESULTS / "suggest.md").write_text(table(found), encoding="utf-8")
    plot_frontier(found, IMAGES / "suggest.png")


def place(name: str, seed: int, ranker: str) -> Path:
    plain = "".join(letter if letter.isalnum() else "_" for letter in ranker.replace("√", "root "))
    return RESULTS / "suggest" / f"{name}-{seed}-{plain}.json"


def write(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
