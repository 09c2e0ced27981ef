"""Settings of the related tags, chosen on held-out documents."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
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
from worker.suggestions.held_out import HeldOut, Matrix, hold_out, pairs_of_tags, some_of

Report: TypeAlias = Callable[[int, int], None]
"""Parts done, and how many there are."""

PARTS: Final = 5

PENALTIES: Final = tuple(2.0**power for power in range(-4, 10))
LOGISTIC_PENALTIES: Final = tuple(2.0**power for power in range(-4, 5))
LOGISTIC_WEIGHTS: Final = (0.0, 0.25, 0.5, 0.75)
EXPONENTS: Final = tuple(round(0.05 * step, 2) for step in range(25))
FEW_EXPONENTS: Final = (0.0, 0.1, 0.2, 0.3, 0.4)
"""Enough to compare everything else by."""

TUNED_ON: Final = 35_000_000
"""Documents × tags that are enough to tune by: settings hardly change with the size of a corpus."""

FEWEST: Final = 5000
MOST: Final = 40_000
"""Documents to tune by, however many or few tags there are."""

ASKED: Final = 2000
"""Held-out documents that the exponents are chosen by."""

COMPARED: Final = 1500
"""Held-out documents that all other settings are compared by."""

TAIL_SHARE: Final = 0.5
"""What recall in the tail counts beside recall and MRR when settings are compared."""

COST: Final = 0.01
"""Of recall and of MRR, that the default gives up at most for rarer tags."""


@dataclass(frozen=True)
class Choice:
    """What is tuned: see suggestions.md (2)–(6). The exponents are those at specificity 0, ½ and 1."""

    penalty: float
    logistic_penalty: float
    logistic_weight: float
    popularity_exponents: tuple[float, float, float]
    single_tag_exponents: tuple[float, float, float]

    @property
    def by_specificity(self) -> list[tuple[float, float]]:
        """The exponents of queries of one tag and of longer ones, at specificity 0, ½ and 1."""
        return list(zip(self.single_tag_exponents, self.popularity_exponents, strict=True))


UNTUNED: Final = Choice(
    penalty=4.0,
    logistic_penalty=1.0,
    logistic_weight=0.5,
    popularity_exponents=(0.1, 0.25, 0.9),
    single_tag_exponents=(0.0, 0.1, 1.0),
)
"""Where the search begins, and what corpora get that are too small to hold anything out."""


def silently(done: int, total: int) -> None:
    """No report."""


def tuned(matrix: Matrix, min_count: int, seed: int, form: Form | None = None, report: Report = silently) -> Choice:
    """The settings that find most hidden tags of a validation part of these documents.

    First those of the linear weights alone, then those of the evidence beside them, then the exponents.
    """
    trial = hold_out(some_of(matrix, enough(matrix.shape[1]), seed), min_count, seed, most=ASKED)
    if trial is None:
        return UNTUNED
    few = replace(trial, documents=_spread(trial.documents, COMPARED))
    penalty, lists = _linear(few, form)
    report(1, PARTS)
    logistic_penalty, logistic_weight, evidence = _logistic(few, lists)
    report(2, PARTS)
    choice = replace(UNTUNED, penalty=penalty, logistic_penalty=logistic_penalty, logistic_weight=logistic_weight)
    related = related_tags(lists, evidence, choice)
    single = chosen_exponents(_by_exponent(pairs_of_tags(trial), related, 0.0, [(each, 0.0) for each in EXPONENTS]))
    if not asks_with_several(trial):
        return replace(choice, logistic_weight=UNTUNED.logistic_weight, single_tag_exponents=single)
    several = chosen_exponents(_by_exponent(trial, related, logistic_weight, [(single[1], each) for each in EXPONENTS]))
    report(3, PARTS)
    return replace(choice, popularity_exponents=several, single_tag_exponents=single)


def enough(tags: int) -> int:
    """How many documents to tune by."""
    return min(MOST, max(FEWEST, TUNED_ON // tags))


def _spread(documents: tuple[NDArray[np.int32], ...], most: int) -> tuple[NDArray[np.int32], ...]:
    """At most so many of the documents, evenly spread over them."""
    places = np.linspace(0, len(documents) - 1, min(most, len(documents))).astype(int)
    return tuple(documents[place] for place in places)


def asks_with_several(trial: HeldOut) -> bool:
    """Whether any held-out document leaves a query of several tags when one is hidden."""
    return any(len(document) > 2 for document in trial.documents)


def _linear(trial: HeldOut, form: Form | None) -> tuple[float, Lists]:
    """The penalty, and the lists that it gives."""

    @cache
    def lists(penalty: float) -> Lists:
        return suggestion_lists(trial.train, penalty, form)

    def value(penalty: float) -> float:
        """A penalty that is too small is worth nothing."""
        try:
            return _objectives(trial, lists(penalty), no_evidence(lists(penalty)), (0.0,))[0]
        except SingularRegressionError:
            return -1.0

    penalty = hill_climb(value, PENALTIES, UNTUNED.penalty)
    return penalty, lists(penalty)


def _logistic(trial: HeldOut, lists: Lists) -> tuple[float, float, Evidence]:
    """The penalty of the logistic regressions, then their weight, and the evidence."""
    documents = training_documents(trial.train)

    @cache
    def evidence(logistic_penalty: float) -> Evidence:
        return logistic(documents, lists, logistic_penalty)

    def value(logistic_penalty: float) -> float:
        return _objectives(trial, lists, evidence(logistic_penalty), (UNTUNED.logistic_weight,))[0]

    penalty = hill_climb(value, LOGISTIC_PENALTIES, UNTUNED.logistic_penalty)
    objectives = _objectives(trial, lists, evidence(penalty), LOGISTIC_WEIGHTS)
    return penalty, LOGISTIC_WEIGHTS[objectives.index(max(objectives))], evidence(penalty)


def _objectives(trial: HeldOut, lists: Lists, evidence: Evidence, logistic_weights: tuple[float, ...]) -> list[float]:
    """What each logistic weight is worth at its best exponent."""
    exponents = [(exponent, exponent) for exponent in FEW_EXPONENTS]
    qualities = evaluate(trial, related_tags(lists, evidence, UNTUNED), logistic_weights, exponents, coverage=False)
    return [max(objective(each) for each in by_exponent) for by_exponent in qualities]


def _by_exponent(
    trial: HeldOut, related: RelatedTags, logistic_weight: float, exponents: list[tuple[float, float]]
) -> list[RankingQuality]:
    (qualities,) = evaluate(trial, related, (logistic_weight,), exponents, coverage=False)
    return qualities


def fit_related(
    matrix: Matrix, choice: Choice, form: Form | None = None, distinct: DistinctRows | None = None
) -> RelatedTags:
    """The weights of all tags at these settings; a penalty that is too small for so many documents is doubled."""
    penalty = choice.penalty
    while True:
        try:
            lists = suggestion_lists(matrix, penalty, form)
            break
        except SingularRegressionError:
            penalty *= 2.0
    if not choice.logistic_weight:
        return related_tags(lists, no_evidence(lists), choice)
    evidence = logistic(training_documents(matrix, distinct), lists, choice.logistic_penalty)
    return related_tags(lists, evidence, choice)


def related_tags(lists: Lists, evidence: Evidence, choice: Choice) -> RelatedTags:
    """Weights and settings as a snapshot has them."""
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
    """The step with the largest value, going from the start in the direction that gains until it gains no more."""
    known = cache(value)
    place = steps.index(start)
    for direction in (1, -1):
        while 0 <= place + direction < len(steps) and known(steps[place + direction]) > known(steps[place]):
            place += direction
        if steps[place] != start:
            break
    return steps[place]


def chosen_exponents(by_exponent: list[RankingQuality]) -> tuple[float, float, float]:
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
    """What settings are compared by."""
    return quality.recall + quality.mrr + TAIL_SHARE * quality.tail_recall
