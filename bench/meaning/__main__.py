"""Measure what is missing, then write the tables: python -m bench.meaning"""

import argparse

from bench.meaning import __doc__ as usage
from bench.meaning.parts import PARTS, Campaign
from bench.meaning.report import write_report
from bench.meaning.samples import NAMES, SEEDS, Sample
from bench.meaning.showing import show
from bench.trials import Trials


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.meaning", description=usage, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}, report, or show TAG …")
    parser.add_argument("--corpora", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--again", action="store_true", help="measure again what has a result")
    options = parser.parse_args()
    samples = [Sample(corpus, seed) for seed in options.seeds for corpus in options.corpora]
    if options.parts[:1] == ["show"]:
        show(samples, options.parts[1:])
        return
    unknown = set(options.parts) - {*PARTS, "report"}
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}, report and show")
    trials = Trials("meaning")
    for part in options.parts or PARTS:
        if part != "report":
            PARTS[part](Campaign(trials, samples, options.again))
    write_report(trials)


if __name__ == "__main__":
    main()
