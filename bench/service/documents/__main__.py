"""Measure what is missing, then write the table and the plot: python -m bench.service.documents"""

import argparse

from bench.cocluster.stability.table import machine
from bench.places import CORPORA, IMAGES, RESULTS
from bench.service.documents import __doc__ as usage
from bench.service.documents import cost
from bench.service.documents.measuring import measure
from bench.service.documents.plot import plot
from bench.service.documents.postings import compare
from bench.service.documents.table import table
from bench.trials import Trials


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.service.documents",
        description=usage,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "what", nargs="?", choices=["measure", "cost", "shortcuts", "postings", "report"], default="measure"
    )
    options = parser.parse_args()
    if options.what != "report" and not CORPORA.exists():
        raise SystemExit(f"{CORPORA} is not there: nothing to measure")
    trials = Trials("documents")
    if options.what == "measure":
        trials.put("machine", machine())
        measure(trials)
    if options.what in {"measure", "cost"}:
        for name in (cost.DEMO, cost.LARGE):
            trials.measured(f"cost {name}", lambda name=name: cost.measure(name))  # type: ignore[misc]
    if options.what in {"measure", "shortcuts"}:
        for name in (cost.DEMO, cost.LARGE):
            trials.measured(f"shortcuts {name}", lambda name=name: cost.shortcuts(name))  # type: ignore[misc]
    if options.what in {"measure", "postings"}:
        trials.measured("postings", compare)
    figures = trials.collect()
    (RESULTS / "documents.md").write_text(table(figures), encoding="utf-8")
    plot(figures, IMAGES / "documents.png")


if __name__ == "__main__":
    main()
