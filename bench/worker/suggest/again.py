"""Our ranker measured again beside its stored figures: what a change of the code did to what it finds."""

from collections.abc import Iterator
from statistics import fmean
from typing import Any, Final

from bench.trials import Trials
from bench.worker.suggest.measuring import our_result
from bench.worker.suggest.splits import NAMES, SEEDS, matrix, split
from bench.worker.suggest.table import OURS
from bench.worker.suggest.trials import trial_name

FIGURES: Final = {"recall": "recall@10", "mrr": "MRR", "tail_recall": "tail", "one_tag": "one tag"}
DEFAULT: Final = 1
"""The place of specificity ½."""


def again_table(trials: Trials) -> str:
    """The stored figures and those of now, means of all splits, at the default."""
    lines = [
        "# Our ranker, measured again",
        "",
        "`python -m bench.worker.suggest again`: stored figure → figure of this code, means of the same splits.",
        "",
        f"| corpus | {' | '.join(FIGURES.values())} |",
        f"|---|{'---|' * len(FIGURES)}",
    ]
    for name in NAMES:
        pairs = list(_pairs(trials, name))
        cells = [
            f"{fmean(old[figure] for old, _ in pairs):.4f} → {fmean(new[figure] for _, new in pairs):.4f}"
            for figure in FIGURES
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


def _pairs(trials: Trials, name: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Stored and new figures of each split of a corpus that has stored ones."""
    for seed in SEEDS:
        stored = trials.get(trial_name(name, seed, OURS["exact"]))
        if stored is not None:
            fresh = our_result(split(matrix(name), seed), seed, "exact")
            yield stored["specificities"][DEFAULT], fresh["specificities"][DEFAULT]
