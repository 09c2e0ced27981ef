"""Measure rare tags and write the tables: python -m bench.worker.tail"""

import argparse
from pathlib import Path
from typing import Final

import numpy as np

from bench.places import RESULTS
from bench.worker.tail import __doc__ as usage
from bench.worker.tail.continuity import continuity
from bench.worker.tail.cost import NAMES as COMPLETED
from bench.worker.tail.cost import completion_seconds, cost
from bench.worker.tail.placing import placing
from bench.worker.tail.recall import recall
from bench.worker.tail.samples import DOCUMENTS, NAMES, sample, tagged_corpus
from bench.worker.tail.vocabulary import vocabulary
from worker.vocabulary.tag_corpus import TagCorpus

MEASURES: Final = {
    "placing": placing,
    "recall": lambda tagged, rows, seed, _: recall(tagged.matrix[rows], seed),
    "continuity": continuity,
}

SEEDS: Final = (50, 51, 52)
"""What there is to tune was settled on others."""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.worker.tail", description=usage, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=[*MEASURES, "vocabulary", "cost"])
    parser.add_argument("corpora", nargs="*", default=NAMES)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="of each sample")
    parser.add_argument("--older", type=Path)
    options = parser.parse_args()
    if options.what == "cost":
        _print_costs(options.older, [each.partition("=") for each in options.corpora])
        return
    if options.what == "vocabulary":
        pairs = [each.partition("=") for each in options.corpora]
        print(_table({name: vocabulary(options.url, name, Path(path), SEEDS[0]) for name, _, path in pairs}))
        return
    columns: dict[str, dict[str, float]] = {}
    for name in options.corpora:
        tagged = tagged_corpus(name)
        found = [_measure(options.what, tagged, seed, name, options.documents) for seed in SEEDS]
        columns[name] = {row: float(np.mean([each[row] for each in found])) for row in found[0]}
        print(name, columns[name], flush=True)
    text = _table(columns)
    print(text)
    if tuple(options.corpora) == NAMES and options.documents == DOCUMENTS:
        (RESULTS / f"tail-{options.what}.md").write_text(text, encoding="utf-8")


def _print_costs(older: Path, pairs: list[tuple[str, str, str]]) -> None:
    for typed, seconds in completion_seconds().items():
        print(f"autocomplete among {COMPLETED:,} names, {typed}: {1e3 * seconds:.2f} ms")
    for name, _, path in pairs:
        print(f"| {name} | before | after | ratio |\n|---|--:|--:|--:|")
        for figure, (before, after) in cost(older, Path(path)).items():
            print(f"| {figure} | {before:.3g} | {after:.3g} | {after / before:.2f} |", flush=True)


def _measure(what: str, tagged: TagCorpus, seed: int, name: str, documents: int) -> dict[str, float]:
    rows = sample(tagged, seed, documents)
    return MEASURES[what](tagged, rows, seed, name)


def _table(columns: dict[str, dict[str, float]]) -> str:
    """Measures × corpora, the mean of all seeds."""
    lines = [f"| | {' | '.join(columns)} |", f"|---|{'--:|' * len(columns)}"]
    for row in next(iter(columns.values())):
        cells = [f"{values[row]:.0f}" if values[row] > 1 else f"{values[row]:.3f}" for values in columns.values()]
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
