"""Tunes the settings of the related tags on held-out documents."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cocluster.duplicates import DistinctRows
from cocluster.suggestions import (
    Evidence,
    Form,
    Lists,
    SingularRegressionError,
    logistic,
    no_evidence,
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

TAIL_SHARE: Final = 0.5
"""The weight of recall in the tail in the objective, beside recall and MRR."""

COST: Final = 0.01
"""The share of recall and of MRR that the default may give up for rarer tags."""


CLIMBED: Final = 3
"""Results that `hill_climb` can still come back to: the best step and its two neighbours. Others need no memory."""


@dataclass(frozen=True)
class Choice:
    """The tuned settings: see suggestions.md (2)–(6). The exponents are those at specificity 0, ½ and 1."""

    penalty: float
    logistic_penalty: float
    logistic_weight: float
    popularity_exponents: tuple[float, float, float]
    single_tag_exponents: tuple[float, float, float]

    @property
    def by_specificity(self) -> list[tuple[float, float]]:
        """The exponents of queries of one tag and of longer ones, at specificity 0, ½ and 1."""
        return list(zip(self.single_tag_exponents, self.popularity_exponents, strict=True))


@dataclass(frozen=True, eq=False)
class Fitted:
    """Weights from a part of the documents, and which of the tags they are for."""

    related: RelatedTags
    columns: NDArray[np.int64]


UNTUNED: Final = Choice(
    penalty=4.0,
    logistic_penalty=1.0,
    logistic_weight=0.5,
    popularity_exponents=(0.1, 0.25, 0.9),
    single_tag_exponents=(0.0, 0.1, 1.0),
)
"""The start of the search, and the settings of corpora that are too small to hold documents out."""


def no_report(done: int, total: int) -> None:
    """Report nothing."""


def tune(matrix: Matrix, min_count: int, seed: int, form: Form | None = None, report: Report = no_report) -> Choice:
    """The settings that best predict hidden tags of a validation part of these documents.

    Tunes first the linear weights alone, then the logistic evidence beside them, then the exponents.
    """
    trial = hold_out(
        sample_documents(matrix, sample_size(matrix.shape[1]), seed), min_count, seed, most=EXPONENT_DOCUMENTS
    )
    if trial is None:
        return UNTUNED
    few = replace(trial, documents=_evenly_spaced(trial.documents, COMPARED))
    penalty, lists = _tune_linear(few, form)
    report(1, PARTS)
    logistic_penalty, logistic_weight, evidence = _tune_logistic(few, lists)
    report(2, PARTS)
    choice = replace(UNTUNED, penalty=penalty, logistic_penalty=logistic_penalty, logistic_weight=logistic_weight)
    related = related_tags(lists, evidence, choice)
    single = choose_exponents(
        _evaluate_exponents(pairs_of_tags(trial), related, 0.0, [(exponent, 0.0) for exponent in EXPONENTS])
    )
    if not has_long_queries(trial):
        return replace(choice, logistic_weight=UNTUNED.logistic_weight, single_tag_exponents=single)
    several = choose_exponents(
        _evaluate_exponents(trial, related, logistic_weight, [(single[1], exponent) for exponent in EXPONENTS])
    )
    report(3, PARTS)
    return replace(choice, popularity_exponents=several, single_tag_exponents=single)


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


def _tune_logistic(trial: HeldOut, lists: Lists) -> tuple[float, float, Evidence]:
    """The penalty of the logistic regressions, then their weight, and the evidence."""
    documents = training_documents(trial.train)

    @lru_cache(maxsize=CLIMBED)
    def evidence(logistic_penalty: float) -> Evidence:
        return logistic(documents, lists, logistic_penalty)

    def value(logistic_penalty: float) -> float:
        return _objectives(trial, lists, evidence(logistic_penalty), (UNTUNED.logistic_weight,))[0]

    penalty = hill_climb(value, LOGISTIC_PENALTIES, UNTUNED.logistic_penalty)
    objectives = _objectives(trial, lists, evidence(penalty), LOGISTIC_WEIGHTS)
    return penalty, LOGISTIC_WEIGHTS[objectives.index(max(objectives))], evidence(penalty)


def _objectives(trial: HeldOut, lists: Lists, evidence: Evidence, logistic_weights: tuple[float, ...]) -> list[float]:
    """The objective of each logistic weight at its best exponent."""
    exponents = [(exponent, exponent) for exponent in FEW_EXPONENTS]
    qualities = evaluate(trial, related_tags(lists, evidence, UNTUNED), logistic_weights, exponents, coverage=False)
    return [max(objective(quality) for quality in by_exponent) for by_exponent in qualities]


def _evaluate_exponents(
    trial: HeldOut, related: RelatedTags, logistic_weight: float, exponents: list[tuple[float, float]]
) -> list[RankingQuality]:
    (qualities,) = evaluate(trial, related, (logistic_weight,), exponents, coverage=False)
    return qualities


def fit_related(
    matrix: Matrix,
    choice: Choice,
    form: Form | None = None,
    distinct: DistinctRows | None = None,
    start: Fitted | None = None,
) -> RelatedTags:
    """The weights of all tags at these settings; doubles a penalty that is too small for so many documents.

    `start`: weights at the same settings from a part of the documents, where the logistic regressions start.
    """
    penalty = choice.penalty
    while True:
        try:
            lists = suggestion_lists(matrix, penalty, form)
            break
        except SingularRegressionError:
            penalty *= 2.0
    if not choice.logistic_weight:
        return related_tags(lists, no_evidence(lists), choice)
    begin = None if start is None else evidence_for(lists, start.related, start.columns)
    evidence = logistic(training_documents(matrix, distinct), lists, choice.logistic_penalty, start=begin)
    return related_tags(lists, evidence, choice)


def evidence_for(lists: Lists, related: RelatedTags, columns: NDArray[np.int64]) -> Evidence:
    """The logistic weights of `related`, whose tags are these columns, for the pairs of the lists; 0 for new pairs."""
    tags = len(lists.starts) - 1
    known = np.repeat(columns, np.diff(related.starts)) * tags + columns[related.indices]
    wanted = np.repeat(np.arange(tags), np.diff(lists.starts)) * tags + lists.indices
    order = np.argsort(known)
    place = order[np.minimum(np.searchsorted(known, wanted, sorter=order), len(known) - 1)]
    prior = np.zeros(tags, np.float32)
    prior[columns] = related.prior
    return Evidence(np.where(known[place] == wanted, related.evidence[place], np.float32(0.0)), prior)


def related_tags(lists: Lists, evidence: Evidence, choice: Choice) -> RelatedTags:
    """Weights and settings as one RelatedTags."""
    return RelatedTags(
        starts=lists.starts,
        indices=lists.indices,
        alone=lists.alone,
        together=lists.together,
        evidence=evidence.weights,
        prior=evidence.prior,
        logistic_weight=choice.logistic_weight,
        popularity_exponents=choice.popularity_exponents,
        single_tag_exponents=choice.single_tag_exponents,
    )


def hill_climb(value: Callable[[float], float], steps: tuple[float, ...], start: float) -> float:
    """The step with the largest value: from the start, go in the direction that improves until it does not."""
    cached = cache(value)
    position = steps.index(start)
    for direction in (1, -1):
        while 0 <= position + direction < len(steps) and cached(steps[position + direction]) > cached(steps[position]):
            position += direction
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
