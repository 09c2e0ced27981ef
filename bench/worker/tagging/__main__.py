"""Measure what is missing, then write the table: python -m bench.worker.tagging"""

import sys
import time
from typing import Any, Final

import numpy as np

from bench.cocluster.stability.table import machine
from bench.places import CORPORA, RESULTS
from bench.trials import Trials
from bench.worker.tagging.rankers import RANKERS, Ranker, recall
from bench.worker.tagging.splits import NAMES, Split, split

FIRST: Final = (5, 10)
KINDS: Final = {"text": "text", "tags": "half of the tags", "both": "both"}


def main() -> None:
    names = sys.argv[1:] or NAMES
    if not CORPORA.exists():
        raise SystemExit(f"{CORPORA} is not there: nothing to measure")
    trials = Trials("tagging")
    for name in names:
        found: list[Split] = []
        for ranker in RANKERS:
            if trials.get(f"{name} {ranker.name}") is None:
                found = found or [split(name)]
                trials.put(f"{name} {ranker.name}", measured(ranker, found[0]))
                print(f"{name} {ranker.name}", flush=True)
    (RESULTS / "tagging.md").write_text(table(trials.collect()), encoding="utf-8")


def measured(ranker: Ranker, split: Split) -> dict[str, Any]:
    """Recall of each kind, seconds of the processor to learn, milliseconds a document, megabytes."""
    began = time.process_time()
    scores, size = ranker.fit(split)
    figures: dict[str, Any] = {
        "seconds": time.process_time() - began,
        "megabytes": size / 1e6,
        "machine": machine(),
        "documents": len(split.matrix.rows),
        "tags": len(split.keys),
        "asked": len(split.asked),
    }
    for kind in ranker.by:
        began = time.process_time()
        rows = [scores[kind](document) for document in split.asked]
        figures[f"{kind} ms"] = 1000 * (time.process_time() - began) / len(split.asked)
        for first in FIRST:
            hidden = [recall(row, each.hidden, each.given, first) for row, each in zip(rows, split.asked, strict=True)]
            figures[f"{kind} {first}"] = float(np.mean(hidden))
            if kind == "text":
                whole = [recall(row, each.tags, (), first) for row, each in zip(rows, split.asked, strict=True)]
                figures[f"all {first}"] = float(np.mean(whole))
    return figures


def table(trials: dict[str, Any]) -> str:
    """The table of all corpora."""
    lines = [
        "# Tags for untagged documents",
        "",
        "`python -m bench.worker.tagging` wrote this. Recall among the first 5 / 10 of held-out documents with two or",
        "more tags: of all tags from the text; of a random half of the tags from the text, from the other, from both.",
        "Milliseconds are of the processor, for a document, on a busy machine; megabytes are what is kept to answer.",
        "",
    ]
    for name in NAMES:
        rows = {ranker.name: trials[f"{name} {ranker.name}"] for ranker in RANKERS if f"{name} {ranker.name}" in trials}
        if not rows:
            continue
        one = next(iter(rows.values()))
        lines += [
            f"## {name}: {one['documents']:,} training documents, {one['tags']:,} tags, {one['asked']:,} asked",
            "",
            "| ranker | all, from text | half, from text | half, from tags | half, from both | ms | MB |",
            "|---|--:|--:|--:|--:|--:|--:|",
        ]
        for ranker, figures in rows.items():
            cells = [_cell(figures, kind) for kind in ("all", "text", "tags", "both")]
            longest = max(figures[f"{kind} ms"] for kind in KINDS if f"{kind} ms" in figures)
            lines.append(f"| {ranker} | {' | '.join(cells)} | {longest:.2f} | {figures['megabytes']:.1f} |")
        lines.append("")
    return "\n".join(lines)


def _cell(figures: dict[str, Any], kind: str) -> str:
    return " / ".join(f"{figures[f'{kind} {first}']:.3f}" for first in FIRST) if f"{kind} 5" in figures else "–"


if __name__ == "__main__":
    main()
