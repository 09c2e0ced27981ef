"""Tunes the settings of the related tags on held-out documents."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import log2
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cocluster.suggestions import (
    UNTUNED,
    Choice,
    Fitted,
    Form,
    Lists,
    LogisticWeights,
    SingularRegressionError,
    logistic,
    no_evidence,
    related_tags,
    suggestion_lists,
    training_documents,
)
from tagmodel import RelatedTags
from worker.suggestions.evaluation import RankingQuality, evaluate
from worker.suggestions.held_out import HeldOut, Matrix, hold_out, pairs_of_tags, sample_documents

Report: TypeAlias = Callable[[int, int], None]
"""Parts done, and how many there are."""

PARTS: Final = 5

PENALTIES: Final = tuple(2.0**power for power in range(-4, 10))
LOGISTIC_PENALTIES: Final = tuple(2.0**power for power in range(-4, 5))
LOGISTIC_WEIGHTS: Final = (0.0, 0.25, 0.5, 0.75)
EXPONENTS: Final = tuple(round(0.05 * step, 2) for step in range(25))
FEW_EXPONENTS: Final = (0.0, 0.1, 0.2, 0.3, 0.4)
"""Enough for comparing all other settings."""

TUNED_ON: Final = 35_000_000
"""Documents × tags that suffice for tuning: the settings hardly depend on the size of a corpus."""

FEWEST: Final = 5000
MOST: Final = 40_000
"""Limits of the number of documents for tuning, whatever the number of tags."""

EXPONENT_DOCUMENTS: Final = 2000
"""Held-out documents for choosing the exponents."""

COMPARED: Final = 1500
"""Held-out documents for comparing all other settings."""

HIDDEN: Final = 6
"""Tags that are hidden of each of these documents, at most: documents differ more than the tags of one do."""

FLAT: Final = 0.003
"""A step that gains less ends the climb: the next one would gain less still, and chance decides about as much."""

TAIL_SHARE: Final = 0.5
"""The weight of recall in the tail in the objective, beside recall and MRR."""

COST: Final = 0.01
"""The share of recall and of MRR that the default may give up for rarer tags."""


CLIMBED: Final = 3
"""Results that `hill_climb` can still come back to: the best step and its two neighbours. Others need no memory."""


@dataclass(frozen=True, eq=False)
class Tuned:
    """The chosen settings, and weights at these settings from which regressions on more documents can start."""

    choice: Choice
    start: Fitted | None = None


def no_report(done: int, total: int) -> None:
    """Report nothing."""


def tune(matrix: Matrix, min_count: int, seed: int, form: Form | None = None, report: Report = no_report) -> Tuned:
    """The settings that best predict hidden tags of a validation part of these documents.

    Tunes first the linear weights alone, then the logistic evidence beside them, then the exponents.
    """
    trial = hold_out(
        sample_documents(matrix, sample_size(matrix.shape[1]), seed), min_count, seed, most=EXPONENT_DOCUMENTS
    )
    if trial is None:
        return Tuned(UNTUNED)
    few = replace(trial, documents=_evenly_spaced(trial.documents, COMPARED), hidden=HIDDEN)
    penalty, lists = _tune_linear(few, form)
    report(1, PARTS)
    logistic_penalty, logistic_weight, evidence = _tune_logistic(few, lists)
    report(2, PARTS)
    choice = replace(UNTUNED, penalty=penalty, logistic_penalty=logistic_penalty, logistic_weight=logistic_weight)
    related = related_tags(lists, evidence, choice)
    single = choose_exponents(
        _evaluate_exponents(pairs_of_tags(trial), related, 0.0, [(exponent, 0.0) for exponent in EXPONENTS])
    )
    start = Fitted(related, trial.columns)
    if not has_long_queries(trial):
        return Tuned(replace(choice, logistic_weight=UNTUNED.logistic_weight, single_tag_exponents=single), start)
    several = choose_exponents(
        _evaluate_exponents(trial, related, logistic_weight, [(single[1], exponent) for exponent in EXPONENTS])
    )
    report(3, PARTS)
    return Tuned(replace(choice, popularity_exponents=several, single_tag_exponents=single), start)


def sample_size(tags: int) -> int:
    """The number of documents for tuning."""
    return min(MOST, max(FEWEST, TUNED_ON // tags))


def _evenly_spaced(documents: tuple[NDArray[np.int32], ...], most: int) -> tuple[NDArray[np.int32], ...]:
    """At most `most` of the documents, evenly spaced."""
    places = np.linspace(0, len(documents) - 1, min(most, len(documents))).astype(int)
    return tuple(documents[position] for position in places)


def has_long_queries(trial: HeldOut) -> bool:
    """Whether hiding one tag of some held-out document leaves a query of several tags."""
    return any(len(document) > 2 for document in trial.documents)


def _tune_linear(trial: HeldOut, form: Form | None) -> tuple[float, Lists]:
    """The penalty, and its lists."""

    @lru_cache(maxsize=CLIMBED)
    def lists(penalty: float) -> Lists:
        return suggestion_lists(trial.train, penalty, form)

    def value(penalty: float) -> float:
        """The objective; −1 for a penalty that is too small."""
        try:
            return _objectives(trial, lists(penalty), no_evidence(lists(penalty)), (0.0,))[0]
        except SingularRegressionError:
            return -1.0

    penalty = hill_climb(value, PENALTIES, UNTUNED.penalty)
    return penalty, lists(penalty)


def _tune_logistic(trial: HeldOut, lists: Lists) -> tuple[float, float, LogisticWeights]:
    """The penalty of the logistic regressions, then their weight, and the evidence."""
    documents = training_documents(trial.train)
    fitted: dict[float, LogisticWeights] = {}

    def evidence(logistic_penalty: float) -> LogisticWeights:
        """Starts from the fit of the nearest penalty; only those that may be asked for again are kept."""
        if logistic_penalty not in fitted:
            by_distance = sorted(fitted, key=lambda penalty: abs(log2(penalty / logistic_penalty)))
            start = fitted[by_distance[0]] if by_distance else None
            for penalty in by_distance[CLIMBED - 1 :]:
                del fitted[penalty]
            fitted[logistic_penalty] = logistic(documents, lists, logistic_penalty, start=start)
        return fitted[logistic_penalty]

    def value(logistic_penalty: float) -> float:
        return _objectives(trial, lists, evidence(logistic_penalty), (UNTUNED.logistic_weight,))[0]

    penalty = hill_climb(value, LOGISTIC_PENALTIES, UNTUNED.logistic_penalty)
    objectives = _objectives(trial, lists, evidence(penalty), LOGISTIC_WEIGHTS)
    return penalty, LOGISTIC_WEIGHTS[objectives.index(max(objectives))], evidence(penalty)


def _objectives(
    trial: HeldOut, lists: Lists, evidence: LogisticWeights, logistic_weights: tuple[float, ...]
) -> list[float]:
    """The objective of each logistic weight at its best exponent."""
    exponents = [(exponent, exponent) for exponent in FEW_EXPONENTS]
    qualities = evaluate(trial, related_tags(lists, evidence, UNTUNED), logistic_weights, exponents, coverage=False)
    return [max(objective(quality) for quality in by_exponent) for by_exponent in qualities]


def _evaluate_exponents(
    trial: HeldOut, related: RelatedTags, logistic_weight: float, exponents: list[tuple[float, float]]
) -> list[RankingQuality]:
    (qualities,) = evaluate(trial, related, (logistic_weight,), exponents, coverage=False)
    return qualities


def hill_climb(value: Callable[[float], float], steps: tuple[float, ...], start: float) -> float:
    """The step with the largest value: from the start, go in the direction that improves until it does not.

    Where the curve is flat, no further steps are tried.
    """
    cached = cache(value)
    position = steps.index(start)
    for direction in (1, -1):
        gain = np.inf
        while gain >= FLAT and 0 <= position + direction < len(steps):
            gain = cached(steps[position + direction]) - cached(steps[position])
            position += direction if gain > 0 else 0
        if steps[position] != start:
            break
    return steps[position]


def choose_exponents(by_exponent: list[RankingQuality]) -> tuple[float, float, float]:
    """The exponent of most recall, the default, and the one of most recall in the tail, in rising order.

    The default has the most recall in the tail that costs at most a hundredth of recall and of MRR.
    """
    pairs = list(zip(EXPONENTS, by_exponent, strict=True))
    recall = (1.0 - COST) * max(quality.recall for quality in by_exponent)
    mrr = (1.0 - COST) * max(quality.mrr for quality in by_exponent)
    cheap = [pair for pair in pairs if pair[1].recall >= recall and pair[1].mrr >= mrr]
    low = max(pairs, key=lambda pair: pair[1].recall)[0]
    middle = max(cheap, key=lambda pair: pair[1].tail_recall)[0] if cheap else low
    high = max(pairs, key=lambda pair: pair[1].tail_recall)[0]
    return min(low, middle), middle, max(middle, high)


def objective(quality: RankingQuality) -> float:
    """The objective of the tuning."""
    return quality.recall + quality.mrr + TAIL_SHARE * quality.tail_recall
