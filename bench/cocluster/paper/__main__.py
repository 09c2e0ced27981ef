"""Remake the paper's experiments: trials to bench/results/paper.json, tables to bench/results/paper.

python -m bench.cocluster.paper                  # all of it; pictures go to docs/images/paper
python -m bench.cocluster.paper quality density  # some of it
python -m bench.cocluster.paper --quick          # tiny boards, into bench/results/cache/quick

A trial of paper.json is not computed again: delete its line there to redo it.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.cocluster.paper.registry import EXPERIMENTS
from bench.cocluster.paper.workspace import FULL, QUICK, Workspace
from bench.places import IMAGES, RESULTS
from bench.trials import CACHE, Trials

TRACKED = Workspace(Trials("paper"), RESULTS / "paper", IMAGES / "paper", FULL)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.cocluster.paper",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="experiment", help=f"of {', '.join(EXPERIMENTS)}; all unless named")
    parser.add_argument("--quick", action="store_true", help="tiny boards: does it run at all?")
    parser.add_argument("--into", type=Path, help="another folder for results and pictures")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"no experiment is called {', '.join(unknown)}; there are {', '.join(EXPERIMENTS)}")
    workspace = replace(TRACKED, scale=QUICK) if options.quick else TRACKED
    into = options.into or (RESULTS / CACHE / "quick" if options.quick else None)
    if into:
        workspace = replace(workspace, trials=Trials("paper", into), tables=into, images=into)
    for name in options.names or EXPERIMENTS:
        experiment = EXPERIMENTS[name]
        print(f"\n{name}: {experiment.question}")
        table = experiment.run(workspace)
        workspace.publish(name, table)
        print(f"\n{table}")


if __name__ == "__main__":
    main()
