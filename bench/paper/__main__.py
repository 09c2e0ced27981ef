"""Remake the paper's experiments: results to bench/results/paper, pictures to docs/images/paper.

What is already in the results is not computed again: delete a file there to redo it.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.paper.registry import EXPERIMENTS
from bench.paper.workspace import FULL, QUICK, Workspace

ROOT = Path(__file__).parents[2]
KEPT = Workspace(ROOT / "bench" / "results" / "paper", ROOT / "docs" / "images" / "paper", FULL)
TRIED = Workspace(ROOT / "bench" / "results" / "tmp" / "paper", ROOT / "bench" / "results" / "tmp" / "paper", QUICK)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.paper", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="experiment", help=f"of {', '.join(EXPERIMENTS)}; all unless named")
    parser.add_argument("--quick", action="store_true", help="tiny boards, into bench/results/tmp: does it run at all?")
    parser.add_argument("--into", type=Path, help="another folder for results and pictures")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"no experiment is called {', '.join(unknown)}; there are {', '.join(EXPERIMENTS)}")
    workspace = TRIED if options.quick else KEPT
    if options.into:
        workspace = replace(workspace, results=options.into, images=options.into)
    for name in options.names or EXPERIMENTS:
        experiment = EXPERIMENTS[name]
        print(f"\n{name}: {experiment.question}")
        table = experiment.run(workspace)
        workspace.publish(name, table)
        print(f"\n{table}")


if __name__ == "__main__":
    main()
