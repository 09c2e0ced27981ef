from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cocluster.suggestions import (
    Evidence,
    Form,
    Lists,
    SingularRegressionError,
    known,
    logistic,
    silent,
    suggestion_lists,
)
from snapshot import Related
from worker.suggestions.figures import Figures, figures
from worker.suggestions.holding import HeldOut, Matrix, hold_out, paired, some_of

Report: TypeAlias = Callable[[int, int], None]
"""Parts done, and how many there are."""

PARTS: Final = 5

PENALTIES: Final = tuple(2.0**power for power in range(-4, 10))
CAUTIONS: Final = tuple(2.0**power for power in range(-4, 5))
TRUSTS: Final = (0.0, 0.25, 0.5, 0.75)
TILTS: Final = tuple(round(0.05 * step, 2) for step in range(25))
FEW_TILTS: Final = (0.0, 0.1, 0.2, 0.3, 0.4)
"""Enough to compare everything else by."""

TUNED_ON: Final = 35_000_000
"""Documents × tags that are enough to tune by: settings hardly change with the size of a corpus."""

FEWEST: Final = 5000
MOST: Final = 40_000
"""Documents to tune by, however many or few tags there are."""

ASKED: Final = 2000
"""Held-out documents that the tilts are chosen by."""

COMPARED: Final = 1500
"""Held-out documents that all other settings are compared by."""

TAIL_WORTH: Final = 0.5
"""What recall in the tail counts beside recall and MRR when settings are compared."""

COST: Final = 0.01
"""Of recall and of MRR, that the default gives up at most for rarer tags."""


@dataclass(frozen=True)
class Choice:
    """What is tuned: see suggestions.md (2)–(6). The tilts are those at specificity 0, ½ and 1."""

    penalty: float
    caution: float
    trust: float
    tilts: tuple[float, float, float]
    lone_tilts: tuple[float, float, float]

    @property
    def by_specificity(self) -> list[tuple[float, float]]:
        """The tilts of queries of one tag and of longer ones, at specificity 0, ½ and 1."""
        return list(zip(self.lone_tilts, self.tilts, strict=True))


UNTUNED: Final = Choice(
    penalty=4.0,
    caution=1.0,
    trust=0.5,
    tilts=(0.1, 0.25, 0.9),
    lone_tilts=(0.0, 0.1, 1.0),
)
"""Where the search begins, and what corpora get that are too small to hold anything out."""


def silently(done: int, total: int) -> None:
    """No report."""


def tuned(matrix: Matrix, min_count: int, seed: int, form: Form | None = None, report: Report = silently) -> Choice:
    """The settings that find most hidden tags of a validation part of these documents.

    First those of the linear weights alone, then those of the evidence beside them, then the tilts.
    """
    trial = hold_out(some_of(matrix, enough(matrix.shape[1]), seed), min_count, seed, most=ASKED)
    if trial is None:
        return UNTUNED
    few = replace(trial, documents=_spread(trial.documents, COMPARED))
    penalty, lists = _linear(few, form)
    report(1, PARTS)
    caution, trust, evidence = _logistic(few, lists)
    report(2, PARTS)
    choice = replace(UNTUNED, penalty=penalty, caution=caution, trust=trust)
    related = served(lists, evidence, choice)
    lone = chosen_tilts(_by_tilt(paired(trial), related, 0.0, [(tilt, 0.0) for tilt in TILTS]))
    if not asks_with_several(trial):
        return replace(choice, trust=UNTUNED.trust, lone_tilts=lone)
    many = chosen_tilts(_by_tilt(trial, related, trust, [(lone[1], tilt) for tilt in TILTS]))
    report(3, PARTS)
    return replace(choice, tilts=many, lone_tilts=lone)


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
            return _worths(trial, lists(penalty), silent(lists(penalty)), (0.0,))[0]
        except SingularRegressionError:
            return -1.0

    penalty = climbed(value, PENALTIES, UNTUNED.penalty)
    return penalty, lists(penalty)


def _logistic(trial: HeldOut, lists: Lists) -> tuple[float, float, Evidence]:
    """The caution, then the trust, and the evidence."""
    documents = known(trial.train)

    @cache
    def evidence(caution: float) -> Evidence:
        return logistic(documents, lists, caution)

    caution = climbed(
        lambda each: _worths(trial, lists, evidence(each), (UNTUNED.trust,))[0], CAUTIONS, UNTUNED.caution
    )
    found = _worths(trial, lists, evidence(caution), TRUSTS)
    return caution, TRUSTS[found.index(max(found))], evidence(caution)


def _worths(trial: HeldOut, lists: Lists, evidence: Evidence, trusts: tuple[float, ...]) -> list[float]:
    """What each trust is worth at its best tilt."""
    tilts = [(tilt, tilt) for tilt in FEW_TILTS]
    found = figures(trial, served(lists, evidence, UNTUNED), trusts, tilts, coverage=False)
    return [max(worth(each) for each in by_tilt) for by_tilt in found]


def _by_tilt(trial: HeldOut, related: Related, trust: float, tilts: list[tuple[float, float]]) -> list[Figures]:
    (found,) = figures(trial, related, (trust,), tilts, coverage=False)
    return found


def built(matrix: Matrix, choice: Choice, form: Form | None = None) -> Related:
    """The weights of all tags at these settings; a penalty that is too small for so many documents is doubled."""
    penalty = choice.penalty
    while True:
        try:
            lists = suggestion_lists(matrix, penalty, form)
            break
        except SingularRegressionError:
            penalty *= 2.0
    evidence = logistic(known(matrix), lists, choice.caution) if choice.trust else silent(lists)
    return served(lists, evidence, choice)


def served(lists: Lists, evidence: Evidence, choice: Choice) -> Related:
    """Weights and settings as a snapshot has them."""
    return Related(
        starts=lists.starts,
        indices=lists.indices,
        alone=lists.alone,
        together=lists.together,
        evidence=evidence.weights,
        prior=evidence.prior,
        blend=0.0,
        trust=choice.trust,
        tilts=choice.tilts,
        lone_tilts=choice.lone_tilts,
    )


def climbed(value: Callable[[float], float], steps: tuple[float, ...], start: float) -> float:
    """The step with the largest value, going from the start in the direction that gains until it gains no more."""
    found = cache(value)
    place = steps.index(start)
    for direction in (1, -1):
        while 0 <= place + direction < len(steps) and found(steps[place + direction]) > found(steps[place]):
            place += direction
        if steps[place] != start:
            break
    return steps[place]


def chosen_tilts(by_tilt: list[Figures]) -> tuple[float, float, float]:
    """The tilt of most recall, the default, and the one of most recall in the tail, in rising order.

    The default has the most recall in the tail that costs at most a hundredth of recall and of MRR.
    """
    pairs = list(zip(TILTS, by_tilt, strict=True))
    recall = (1.0 - COST) * max(found.recall for found in by_tilt)
    mrr = (1.0 - COST) * max(found.mrr for found in by_tilt)
    cheap = [pair for pair in pairs if pair[1].recall >= recall and pair[1].mrr >= mrr]
    low = max(pairs, key=lambda pair: pair[1].recall)[0]
    middle = max(cheap, key=lambda pair: pair[1].tail_recall)[0] if cheap else low
    high = max(pairs, key=lambda pair: pair[1].tail_recall)[0]
    return min(low, middle), middle, max(middle, high)


def worth(found: Figures) -> float:
    """What settings are compared by."""
    return found.recall + found.mrr + TAIL_WORTH * found.tail_recall
