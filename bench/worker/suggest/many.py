"""A corpus of more tags than the inverse is made for: the local form beside the others, and beside the inverse."""

from collections.abc import Iterator
from typing import Any, Final

from bench.cocluster.stability.table import machine
from bench.worker.suggest.measuring import our_result, rival_result
from bench.worker.suggest.rivals import RIVALS
from bench.worker.suggest.splits import matrix, split
from cocluster.suggestions import Form
from worker.suggestions import HeldOut

NAME: Final = "citeulike_a"
MIN_COUNT: Final = 3
"""Documents that a tag stands in; five, as elsewhere, leave fewer than 8,000 tags."""

SEED: Final = 60
"""Of a split that no other table is about."""

COMPARED: Final = ("conditional probability", "cosine", "T^Y", "T^Y × √count", "nearest documents", "EASE")
SPECIFICITIES: Final = ("0", "½ (default)", "1")


def many_table() -> str:
    """The figures of ours in both forms and of the rivals that need no package, on one split."""
    trial = split(matrix(NAME, MIN_COUNT), SEED, min_count=MIN_COUNT)
    documents, tags = trial.train.shape
    lines = [
        "# More than 8,000 tags, measured",
        "",
        f"`python -m bench.worker.suggest many`, {machine()}.",
        f"{NAME}, tags in at least {MIN_COUNT} documents: {documents:,} documents with {tags:,} tags to learn from,",
        f"{len(trial.documents):,} to ask about.",
        "",
        "| ranker | recall@10 | MRR | tail | one tag | ever suggested | choosing, s | learning, s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for ranker, found in _measured(trial):
        lines.append(f"| {ranker} | {found} |")
        print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


def _measured(trial: HeldOut) -> Iterator[tuple[str, str]]:
    forms: dict[Form, str] = {"local": "Cotag", "exact": "Cotag by the inverse"}
    for form, name in forms.items():
        ours = our_result(trial, SEED, form, MIN_COUNT)
        for specificity, figures in zip(SPECIFICITIES, ours["specificities"], strict=True):
            yield f"{name}, specificity {specificity}", _row({**ours, **figures})
    for rival in RIVALS:
        if rival.name in COMPARED:
            yield rival.name, _row(rival_result(rival, trial, SEED, MIN_COUNT))


def _row(found: dict[str, Any]) -> str:
    shares = [f"{found[name]:.4f}" for name in ("recall", "mrr", "tail_recall", "one_tag", "coverage")]
    return " | ".join([*shares, *(f"{found[name]:.1f}" for name in ("tuning_seconds", "building_seconds"))])
