"""Run one of the four measurements of this package: python -m bench.cocluster.critical_size evaluate"""

import argparse

from bench.cocluster.critical_size import __doc__ as usage
from bench.cocluster.critical_size.boards import anywhere, cases, grid
from bench.cocluster.critical_size.corpora import corpora
from bench.cocluster.critical_size.report import report_anywhere, report_grid
from bench.cocluster.critical_size.tuning import tune

TUNING_SEEDS = range(5)
EVALUATION_SEEDS = range(2000, 2003)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.cocluster.critical_size",
        description=usage,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=["evaluate", "anywhere", "tune", "corpora"])
    parser.add_argument("--jobs", type=int, default=2, choices=[1, 2])
    parser.add_argument("--boards", type=int, default=500, help="how many boards of any size")
    parser.add_argument("--steps", type=int, default=300, help="settings to try when tuning")
    parser.add_argument("--documents", type=int, default=2500, help="documents taken of each corpus")
    options = parser.parse_args()
    if options.what == "evaluate":
        report_grid(cases(grid(EVALUATION_SEEDS), options.jobs))
    elif options.what == "anywhere":
        report_anywhere(cases(anywhere(options.boards), options.jobs))
    elif options.what == "tune":
        tune(cases(grid(TUNING_SEEDS), options.jobs), options.steps)
    else:
        corpora(options.documents)


if __name__ == "__main__":
    main()
