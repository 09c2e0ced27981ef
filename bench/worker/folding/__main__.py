"""Measure what is missing, then write the tables: python -m bench.worker.folding"""

import argparse
from collections.abc import Iterable
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from bench.places import RESULTS
from bench.trials import Trials
from bench.worker.folding import __doc__ as usage
from bench.worker.folding.judged import JUDGED, SHOWN, draw, repeated, table
from bench.worker.folding.measuring import DOCUMENTS, KS, NAMES, SEEDS, measure


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.worker.folding", description=usage, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", default="measure", choices=("measure", "report", "draw"))
    parser.add_argument("corpora", nargs="*", help=", ".join(NAMES))
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="how many are drawn; 80 %% are clustered")
    options = parser.parse_args()
    if options.what == "draw":
        for corpus in options.corpora or JUDGED:
            for alias in draw(corpus):
                print(corpus, alias.name, alias.count, alias.tag, sep="\t")
        return
    trials = Trials("folding")
    if options.what == "measure":
        for seed in options.seeds:
            for corpus in options.corpora or NAMES:
                name = f"{corpus} {options.documents} {seed}"
                trials.measured(name, partial(measure, corpus, seed, options.documents))
        for corpus in JUDGED:
            trials.measured(f"commonest {corpus}", partial(repeated, corpus))
    trials.collect()
    (RESULTS / "folding.md").write_text("\n".join(report(trials)) + "\n", encoding="utf-8")


def report(trials: Trials) -> list[str]:
    """The tables, each figure without folding and with it."""
    lines = ["# Folding the spellings of tags", "", "Made by `python -m bench.worker.folding`.", "", "## Clusters", ""]
    heads = [f"{name} at {k}" for k in KS for name in ("gain", "bits")]
    lines.append(f"| corpus | seeds | documents | folds | tags | concepts | {' | '.join(heads)} | V at {KS[-1]} |")
    lines.append("|---|--:|--:|--:|---|---|" + "---|" * len(heads) + "--:|")
    sizes = sorted({int(name.split()[1]) for name in trials.names() if name.split()[0] in NAMES})
    for corpus, size in product(NAMES, sizes):
        found = (trials.get(name) for name in trials.names() if name.split()[:2] == [corpus, str(size)])
        rows = [row for row in found if row is not None]
        if rows:
            lines.append(_row(corpus, rows))
    lines += ["", "## Judged folds", "", *table(), "", f"Of the {SHOWN} commonest tags without folding, so many are a"]
    repetitions = [f"{corpus} {trials.get(f'commonest {corpus}')}" for corpus in JUDGED]
    return [*lines, f"spelling of a commoner one: {', '.join(repetitions)}."]


def _row(corpus: str, rows: list[dict[str, Any]]) -> str:
    cells = [corpus, str(len(rows)), _mean([row["documents"] for row in rows]), _mean([row["folds"] for row in rows])]
    cells += [_sides([row[name] for row in rows], "{:,.0f}") for name in ("tags", "concepts")]
    for k in KS:
        cells.append(_sides([row[str(k)]["gain"] for row in rows], "{:.4f}", ratio=True))
        cells.append(_sides([row[str(k)]["bits"] for row in rows], "{:.3f}", ratio=True))
    cells.append(f"{np.mean([row[str(KS[-1])]['v'] for row in rows]):.3f}")
    return f"| {' | '.join(cells)} |"


def _mean(values: Iterable[float]) -> str:
    return f"{np.mean(list(values)):,.0f}"


def _sides(pairs: list[list[float | None]], form: str, *, ratio: bool = False) -> str:
    """Without folding → with it: means over the seeds, and the ratio by which the second is more."""
    if any(value is None for pair in pairs for value in pair):
        return "no judge"
    one, other = np.mean(np.array(pairs, dtype=np.float64), axis=0).tolist()
    change = f" ({100 * (other / one - 1):+.1f} %)" if ratio else ""
    return f"{form.format(one)} → {form.format(other)}{change}"


if __name__ == "__main__":
    main()
