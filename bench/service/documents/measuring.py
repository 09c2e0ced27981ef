"""Measures every ranker in every task, and chooses settings on draws that are not reported."""

from collections.abc import Iterator
from functools import cache
from statistics import mean
from typing import Any, Final

import numpy as np

from bench.service.documents.ours import Setting, evidence_by_setting, evidence_scores, likeness_scores
from bench.service.documents.rivals import PARTS, RIVALS, Rival
from bench.service.documents.tasks import (
    HIDINGS,
    LABELLED,
    NAMES,
    SEEDS,
    TUNING_SEEDS,
    Classes,
    Hidden,
    Hiding,
    classes,
    hidden,
    recall,
    same_class,
)
from bench.trials import Trials
from cocluster import document_index
from service.questions.documents.ranking import ranked_documents, similar_documents

CLASSES: Final = "class"
TASKS: Final = (*HIDINGS, CLASSES)
OURS: Final = "Cotag"
EXACT: Final = "Cotag without shortcuts"
SIZES: Final = ((0.0, 1.0), (1.0, 1.0), (1.0, 1.1), (1.0, 1.2), (1.0, 1.3))
"""What is added to the number of a document's tags, and the power of the sum. The first is the plain number."""

GRID: Final = (
    *(Setting(own, 2.0, exponent, more) for more, exponent in SIZES for own in (1.5, 1.75, 2.0)),
    *(Setting(own, common) for common in (1.5, 3.0) for own in (1.5, 1.75, 2.0)),
)
"""Settings of ours that the tuning draws compare."""


def corpora(task: str) -> tuple[str, ...]:
    """The corpora of a task: only some have classes."""
    return LABELLED if task == CLASSES else NAMES


@cache
def posed(task: str, name: str, seed: int) -> Hidden | Classes:
    """One task on one draw; the last one is remembered."""
    posed.cache_clear()
    return classes(name, seed) if task == CLASSES else hidden(name, seed, _hiding(task))


def _hiding(task: str) -> Hiding:
    return next(hiding for hiding in HIDINGS if hiding == task)


def rival_figure(rival: Rival, setting: Any, task: Hidden | Classes) -> float:
    """Recall@10, or the share of the ten nearest with the same class."""
    if isinstance(task, Hidden):
        return recall(rival.scores(task.matrix, task.queries, setting), task.targets)
    return same_class(rival.scores(task.matrix, task.matrix[task.asked], setting), task)


def our_figure(task: Hidden | Classes) -> float:
    """The same for the code that the service runs."""
    index = document_index(task.matrix)
    if isinstance(task, Hidden):
        hits = 0
        for row, target in enumerate(task.targets.tolist()):
            query = task.queries.indices[task.queries.indptr[row] : task.queries.indptr[row + 1]].tolist()
            hits += bool(query) and target in ranked_documents(index, query, match="near", limit=10).documents
        return hits / len(task.targets)
    shares = []
    for document in task.asked.tolist():
        tags = index.tags_of(document).tolist()
        near = similar_documents(index, tags, exclude=document, limit=10).documents
        shares.append(np.sum(task.classes[near] == task.classes[document]) / 10)
    return float(np.mean(shares))


def exact_figure(task: Hidden | Classes) -> float:
    """The same by whole matrices: all neighbours count, all documents are compared."""
    if isinstance(task, Hidden):
        return recall(evidence_scores(task.matrix, task.queries), task.targets)
    return same_class(likeness_scores(task.matrix, task.matrix[task.asked]), task)


def tune(trials: Trials) -> None:
    """The settings of rivals, each task by itself; ours, one for all tasks."""
    for name in NAMES:
        for task in TASKS:
            if name not in corpora(task):
                continue
            for rival in (*RIVALS, *PARTS):
                for setting in rival.settings if len(rival.settings) > 1 else ():
                    seed = TUNING_SEEDS[0]
                    trials.measured(
                        f"tuning {task} {name} {seed} {rival.name} {setting}",
                        lambda rival=rival, setting=setting, task=task, name=name, seed=seed: rival_figure(  # type: ignore[misc]
                            rival, setting, posed(task, name, seed)
                        ),
                    )
            if task != CLASSES:
                for seed in TUNING_SEEDS:
                    trials.measured(
                        f"grid {task} {name} {seed}",
                        lambda task=task, name=name, seed=seed: grid_figures(posed(task, name, seed)),  # type: ignore[misc]
                    )


def grid_figures(task: Hidden | Classes) -> list[float]:
    """Recall of ours for each setting of the grid."""
    if isinstance(task, Classes):
        raise TypeError("the grid is about hidden tags")
    return [recall(scores, task.targets) for scores in evidence_by_setting(task.matrix, task.queries, GRID)]


def chosen_setting(trials: Trials, rival: Rival, task: str) -> Any:
    """The setting with the best mean over the corpora of the tuning draw."""
    if len(rival.settings) == 1:
        return rival.settings[0]

    def tuned(setting: Any) -> float:
        names = (f"tuning {task} {name} {TUNING_SEEDS[0]} {rival.name} {setting}" for name in corpora(task))
        return mean(float(trials.get(name) or 0.0) for name in names)

    return max(rival.settings, key=tuned)


def rankers(trials: Trials, task: str, seed: int) -> Iterator[tuple[str, Any]]:
    """Every ranker of a draw by name, and the function that measures it."""
    yield OURS, our_figure
    yield EXACT, exact_figure
    for rival in (*RIVALS, *PARTS) if seed == SEEDS[0] else RIVALS:
        setting = chosen_setting(trials, rival, task)
        yield rival.name, lambda posed_task, rival=rival, setting=setting: rival_figure(rival, setting, posed_task)


def measure(trials: Trials) -> None:
    """Everything that is missing, one draw after the other."""
    tune(trials)
    for seed in SEEDS:
        for name in NAMES:
            for task in TASKS:
                if name in corpora(task):
                    for ranker, figure in rankers(trials, task, seed):
                        trials.measured(
                            f"{task} {name} {seed} {ranker}",
                            lambda figure=figure, task=task, name=name, seed=seed: figure(posed(task, name, seed)),  # type: ignore[misc]
                        )
