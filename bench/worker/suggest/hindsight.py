"""How much of the tail could be found by somebody who knew, for every question, which ranker to ask."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.cocluster.stability.table import machine
from bench.trials import Trials
from bench.worker.suggest.measuring import our_scores, ranked
from bench.worker.suggest.rivals import RIVALS
from bench.worker.suggest.splits import SEEDS, matrix, reachable, split
from bench.worker.suggest.table import OURS
from bench.worker.suggest.trials import trial_name
from cocluster.suggestions import Choice, fit_related
from worker.suggestions import HeldOut
from worker.suggestions.evaluation import FIRST, quality_of_ranks
from worker.suggestions.tuning import EXPONENTS

NAME: Final = "tabler_icons"


def hindsight(trials: Trials) -> str:
    """Recall@10 in the tail: the best ranker, all of them together, and what pairs can reach; at measured settings."""
    rows, exponents = [], len(EXPONENTS)
    for seed in SEEDS:
        trial = split(matrix(NAME), seed)
        by_ranker = dict(_ranks(trials, trial, seed))
        alone = {ranker: quality_of_ranks(trial, ranks, 0.0).tail_recall for ranker, ranks in by_ranker.items()}
        hits = np.any([(ranks > 0) & (ranks <= FIRST) for ranks in by_ranker.values()], axis=0)
        together = quality_of_ranks(trial, hits.astype(np.int32), 0.0).tail_recall
        rows.append((alone["EASE"], 1.15 * alone["EASE"], max(alone.values()), together, reachable(trial)))
    lines = [
        f"# What any ranker finds of the tail of {NAME}, measured",
        "",
        f"`python -m bench.worker.suggest hindsight`, {machine()}.",
        f"Recall@10 in the tail; *by any*: by at least one of {len(RIVALS)} rivals and ours at {exponents} tilts, as",
        "somebody would find it who knew for every question which to ask.",
        "*Pairs*: hidden tags that ever stood beside one of their query.",
        "",
        "| split | EASE | 1.15 × EASE | best ranker and tilt | by any | pairs |",
        "|---|---|---|---|---|---|",
        *(_row(str(seed), row) for seed, row in zip(SEEDS, rows, strict=True)),
        _row("mean", np.mean(rows, axis=0)),
    ]
    return "\n".join(lines) + "\n"


def _row(name: str, figures: Iterable[float]) -> str:
    return " | ".join([f"| {name}", *(f"{each:.3f}" for each in figures)]) + " |"


def _ranks(trials: Trials, trial: HeldOut, seed: int) -> Iterator[tuple[str, NDArray[np.int32]]]:
    """Of every rival, and of ours at every exponent."""
    for rival in RIVALS:
        setting = settings_of(trials, seed, rival.name)
        yield rival.name, ranked(trial, rival.build(trial.train, _unlisted(setting)))[0]
    choice = Choice(**{name: _unlisted(each) for name, each in settings_of(trials, seed, OURS["exact"]).items()})
    related = fit_related(trial.train, choice)
    for exponent in EXPONENTS:
        scores = our_scores(related, trial, (choice.single_tag_exponents[1], exponent))
        yield f"exponent {exponent}", ranked(trial, scores)[0]


def settings_of(trials: Trials, seed: int, ranker: str) -> Any:
    """What was chosen for a ranker when it was measured."""
    measured = trials.get(trial_name(NAME, seed, ranker))
    if measured is None:
        raise SystemExit(f"{ranker} has not been measured on {NAME}, split {seed}: python -m bench.worker.suggest")
    return measured["setting"]


def _unlisted(setting: Any) -> Any:
    """JSON has no tuples."""
    return tuple(setting) if isinstance(setting, list) else setting
